"""`PhysicalStore`: the memory of one store in one place, and access to it."""

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np

from accel.abc.operand import Operand
from accel.device import Device
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import DeviceMismatchError, StoreError, StoreValueError
from accel.interchange import Interchange
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.binding import Binding
from accel.store.descriptions import html_of, values_text
from accel.store.local_buffer import InlineAllocation, TaskLocalBuffer
from accel.store.parts import Part
from accel.store.physical_access import PhysicalAccess
from accel.store.regions import Access
from accel.views import LayoutTensor

__all__ = ["PhysicalStore"]

_Extents = SupportsIndex | Iterable[SupportsIndex]
_NEWEST_CAPSULE = 1, 1
_MOST_AXES = 6  # whose values are shown


class PhysicalStore(PhysicalAccess, Interchange):
    """The memory of one store in one place, in a task or after `LogicalStore.get_physical_store` (Legate's).

    Accessors index it by the points of its `domain`. The methods ``span_...`` return arrays that count from 0: of
    NumPy on the host, a `LayoutTensor` on a device. NumPy, ``accel.xp.asarray`` and kernels take a physical store
    itself.

    All accessors take these arguments:

    - ``bounds``: only the points of the domain that are also in these bounds. If there are none, all strides are 0.
    - ``dtype``: the type that the caller expects; another one than the store's is refused.
    - ``elem_size``, ``validate``: with ``validate=False`` each element is seen as one of the type ``dtype``, from its
      first byte on. If the sizes differ, ``elem_size`` must be the number of bytes of an element of the store.

    Parameters
    ----------
    array : PhysicalArray
        An array without null mask and without nested arrays, whose store this is.

    Raises
    ------
    StoreValueError
        If the array is nullable or nested.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the elements.

    Examples
    --------
    >>> from accel.store import create_store
    >>> store = create_store("float32", (2, 3)).get_physical_store()
    >>> store.span_write_accessor()[...] = 1
    >>> store.read_accessor(bounds=((0, 1), (1, 1)))[1, 1], store.domain
    (np.float32(1.0), Domain(lo=(0, 0), hi=(1, 2)))
    """

    __slots__ = ()

    def __init__(self, array: Any) -> None:
        if array.nullable or array.nested:
            kind = "nested" if array.nested else "nullable"
            raise StoreValueError(f"a {kind} array is more than one store; use its data, null_mask and children")
        self._share_fields(array.data)

    def scalar(self, dtype: DTypeLike | None = None) -> Any:
        """Return the value of a scalar store as a NumPy scalar.

        Parameters
        ----------
        dtype : dtype_like, optional
            The dtype; by default that of the store.

        Raises
        ------
        StoreValueError
            If this is no scalar store, or ``dtype`` is not its type.
        """
        if not self._future:
            raise StoreValueError("this is no scalar store; write read_accessor() for its elements")
        value = self.span_read_accessor(dtype=dtype)
        return (value if isinstance(value, np.ndarray) else value.to_numpy()).reshape(-1)[0]

    def get_inline_allocation(self) -> InlineAllocation:
        """Return the address, the strides in bytes and the kind of memory; all strides are 0 without elements."""
        part = self._all()
        return InlineAllocation(self._memory().pointer + part.start, part.strides, self.target)

    # Unbound stores

    def create_output_buffer(self, extents: _Extents, bind_buffer: bool = False) -> TaskLocalBuffer:
        """Return a buffer for the data of an unbound store, in memory of its kind.

        Parameters
        ----------
        extents : int or sequence of int
            Number of elements along each dimension.
        bind_buffer : bool
            Bind the buffer at once. Otherwise `bind_data` does, for one of as many buffers as needed.

        Raises
        ------
        StoreValueError
            If this is no unbound store, or the extents have another number of dimensions.
        StoreError
            If ``bind_buffer`` is true and data is bound already, or the task has ended.
        """
        return self._unbound().create_output_buffer(extents, bind_buffer)

    def bind_data(self, buffer: TaskLocalBuffer, extents: _Extents | None = None, check_type: bool = False) -> None:
        """Make the elements of a buffer the data of an unbound store.

        Parameters
        ----------
        buffer : TaskLocalBuffer
            A buffer in memory of the store's kind.
        extents : int or sequence of int, optional
            The shape of the store: the first points of the buffer, by default all.
        check_type : bool
            Refuse a buffer of another type. Otherwise its bytes are taken for elements of the store's type.

        Raises
        ------
        StoreValueError
            If this is no unbound store, the buffer has another number of dimensions, kind of memory or element size,
            or the extents are larger than it.
        StoreError
            If data is bound already, or the task has ended.
        """
        self._unbound().bind(buffer, extents, check_type)

    def bind_untyped_data(self, buffer: TaskLocalBuffer, extents: _Extents | None = None) -> None:
        """Make the bytes of a buffer the elements of an unbound store of one dimension.

        Parameters
        ----------
        buffer : TaskLocalBuffer
            A buffer of bytes, in memory of the store's kind, that holds whole elements.
        extents : int, optional
            Number of elements of the store, by default all.

        Raises
        ------
        StoreValueError
            As for `bind_data`, or if the buffer holds no whole number of elements.
        StoreError
            If data is bound already, or the task has ended.
        """
        self._unbound().bind_bytes(buffer, extents)

    def bind_empty_data(self) -> None:
        """Make an unbound store empty; errors as for `bind_data`."""
        self._unbound().bind_empty()

    # Other libraries

    def to_dlpack(self, copy: bool | None = None, stream: int | None = None) -> object:
        """Return a DLPack capsule on the elements; a read-only store gives a read-only one.

        Parameters
        ----------
        copy : bool, optional
            True: always copy, and mark the capsule as a copy. False: never copy. None: copy if that is needed.
        stream : int, optional
            The consumer's stream, by DLPack's numbers, on which the values are ready.

        Raises
        ------
        InterchangeError
            If this is not possible; a BufferError.
        """
        return self.__dlpack__(copy=copy, stream=stream, max_version=_NEWEST_CAPSULE)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        part = self._all()
        writable = self._access is not Access.READ
        return Operand(self._memory().span, part.start, part.dtype, part.shape, part.strides, writable)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        array = self._elements(self._all(), writable=self._access is not Access.READ)
        if not isinstance(array, np.ndarray):
            raise DeviceMismatchError(f"NumPy cannot read memory of {self.device}; write get_physical_store('cpu')")
        return np.array(array, dtype and as_dtype(dtype), copy=copy)

    def _all(self) -> Part:
        return Part.of(self._known_map(), self.dtype)

    def _lent_storage(self) -> AnyStorage:
        storage = self._memory()
        writable = self._access is not Access.READ
        if storage.dtype == self.dtype and writable != storage.readonly:
            return storage
        return storage.window(0, storage.nbytes // self.dtype.itemsize, self.dtype, const=not writable)

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        return self._tensor(storage)._lent_array(storage)

    def _lent_copy(self, device: Device) -> Any:
        return self._tensor(self._lent_storage())._lent_copy(device)

    def _tensor(self, storage: AnyStorage) -> LayoutTensor:
        tensor = LayoutTensor(storage, self._map.layout, self._map.offset)
        return tensor.get_immutable() if self._access is Access.READ else tensor

    def __repr__(self) -> str:
        return f"<PhysicalStore {''.join(self._described())}>"

    def _repr_html_(self) -> str:
        return html_of("PhysicalStore", *self._described())

    def _described(self) -> tuple[str, str]:
        """Return what is known of the store, and its values if they can be read."""
        where = f"{self._place.kind.name} of {self._place.device}"
        if self._binding is not None:
            return f"of {self.dtype.name}, unbound, {where}", ""
        valid = self.valid
        readable = valid and self.is_readable and isinstance(self._storage, HostStorage) and self.ndim <= _MOST_AXES
        values = values_text(self.span_read_accessor() if readable else None)
        return f"of {self.dtype.name}, shape {self.shape}, {where}{'' if valid else ', not valid any more'}", values

    def _unbound(self) -> Binding:
        if self._binding is None:
            raise StoreValueError(
                "data is bound to unbound stores only, and this store has a shape; write its elements"
            )
        if not self.valid:
            raise StoreError(
                "this unbound store gets no data any more, since its task has ended; bind the data in the body of the "
                "task, before it returns"
            )
        return self._binding
