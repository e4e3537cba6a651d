"""`TaskLocalBuffer`: scratch memory of a task, with extents and an element type (Legate's)."""

from collections.abc import Iterable
from itertools import accumulate
from math import prod
from operator import index, mul
from typing import Any, NamedTuple, Self, SupportsIndex, overload

import numpy as np

from accel.abc.operand import Operand
from accel.device import Device, DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DeviceMismatchError, ReleasedError, StoreIndexError, StoreValueError
from accel.interchange import Interchange
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.sizes import as_alignment, as_size
from accel.store.domains import Domain
from accel.store.scratch import DEFAULT_ALIGNMENT, bytes_of
from accel.store.store_targets import Place, StoreTarget, place_of
from accel.store.task import current_task
from accel.views import LayoutTensor

__all__ = ["Domain", "InlineAllocation", "TaskLocalBuffer", "create_buffer"]

Extents = SupportsIndex | Iterable[SupportsIndex]
"""Number of elements in each dimension; an integer for one dimension."""


class InlineAllocation(NamedTuple):
    """Address and strides of the elements.

    Attributes
    ----------
    ptr : int
        Address of the first element.
    strides : tuple of int
        Bytes from one element to the next, in each dimension.
    target : StoreTarget
        The kind of memory.
    """

    ptr: int
    strides: tuple[int, ...]
    target: StoreTarget


class _SharedMemory(NamedTuple):
    """The memory that all views of one buffer share."""

    place: Place
    storage: AnyStorage


class TaskLocalBuffer(Interchange):
    """Scratch memory of a task, in C order, valid until it is destroyed or its task ends (Legate's).

    The task is the `task_scope` in which it is made. Outside of any, the buffer lives as long as it is referenced.

    ``accel.xp.asarray``, views, kernels and DLPack take a buffer on any device, and use its memory without a copy. On
    the host it is indexed as a NumPy array; on a device ``buffer[...]`` and slices are a `LayoutTensor`.

    ``TaskLocalBuffer(dtype, extents, target)`` allocates. ``TaskLocalBuffer(buffer, dtype)`` is another buffer on the
    same memory, as `view` returns it; without a dtype it has that of the buffer.

    Parameters
    ----------
    dtype : dtype_like
        Type of the elements.
    extents : int or sequence of int
        Number of elements in each dimension.
    target : StoreTarget or Device or str, optional
        The kind of memory; by default that of the task, or that of `Device.default` outside of any.
    buffer : TaskLocalBuffer
        The buffer whose memory to use.

    Raises
    ------
    ValueError
        If an extent is negative, or the dtypes differ in size or alignment.
    DTypeError, DeviceUnavailableError, OutOfMemoryError
        If there is no such dtype or device, or not enough memory.

    Examples
    --------
    >>> from accel.store import TaskLocalBuffer
    >>> buffer = TaskLocalBuffer("float32", (2, 3), "cpu")
    >>> buffer.dim, buffer.domain, buffer.get_inline_allocation().strides
    (2, Domain(lo=(0, 0), hi=(1, 2)), (12, 4))
    """

    __slots__ = ("_extents", "_scratch", "_type")
    _extents: tuple[int, ...]
    _scratch: _SharedMemory
    _type: DType

    @overload
    def __init__(self, dtype: DTypeLike, extents: Extents, target: StoreTarget | DeviceLike | None = None) -> None: ...
    @overload
    def __init__(self, buffer: "TaskLocalBuffer", dtype: DTypeLike | None = None) -> None: ...
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        on_buffer = "buffer" in keywords or (arguments and isinstance(arguments[0], TaskLocalBuffer))
        buffer = (_same_memory if on_buffer else create_buffer)(*arguments, **keywords)
        self._type, self._extents, self._scratch = buffer._type, buffer._extents, buffer._scratch

    @classmethod
    def _on(cls, scratch: _SharedMemory, dtype: DType, extents: tuple[int, ...]) -> Self:
        buffer = object.__new__(cls)
        buffer._scratch, buffer._type, buffer._extents = scratch, dtype, extents
        return buffer

    @property
    def type(self) -> DType:
        """Type of the elements."""
        return self._type

    @property
    def dtype(self) -> DType:
        """Type of the elements; the same as `type`."""
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements in each dimension."""
        return self._extents

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return len(self._extents)

    @property
    def domain(self) -> Domain:
        """The first and the last point."""
        return Domain((0,) * self.dim, tuple(extent - 1 for extent in self._extents))

    @property
    def memory_kind(self) -> StoreTarget:
        """The kind of memory."""
        return self._scratch.place.kind

    @property
    def device(self) -> Device:
        """The device of the memory, or the device that it is pinned for."""
        return self._scratch.place.device

    def get_inline_allocation(self) -> InlineAllocation:
        """Return address and strides of the elements; `ReleasedError` after the memory is freed."""
        return InlineAllocation(self._storage().pointer, _strides(self._extents, self._type), self.memory_kind)

    def ptr(self, point: SupportsIndex | Iterable[SupportsIndex] | None = None) -> int:
        """Return the address of an element, by default of the first one; 0 if there are no bytes.

        Parameters
        ----------
        point : SupportsIndex or iterable of int, optional
            The point.

        Raises
        ------
        StoreIndexError
            If the point is not in the `domain`.
        ReleasedError
            If the memory is freed.
        """
        pointer = self._storage().pointer
        if point is None:
            return pointer
        at = tuple(map(index, point)) if isinstance(point, Iterable) else (index(point),)
        if at not in self.domain:
            raise StoreIndexError(f"the point {at} is not in this buffer of extents {self._extents}")
        offset: int = sum(map(mul, at, _strides(self._extents, self._type)))
        return pointer + offset

    def __getitem__(self, key: Any) -> Any:
        if self._on_host:
            return self.__array__()[key]
        where = self._whole_key(key)
        return self._tensor()[where] if where else self._tensor()

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._on_host:
            self.__array__()[key] = value
        elif where := self._whole_key(key):
            self._tensor()[where] = value
        else:
            self._tensor().fill(value)

    def __len__(self) -> int:
        if not self._extents:
            raise TypeError("a buffer without dimensions has no length")
        return self._extents[0]

    def view(self, dtype: DTypeLike) -> "TaskLocalBuffer":
        """Return a buffer on the same memory, of another element type of the same size and alignment.

        Parameters
        ----------
        dtype : dtype_like
            The dtype of the elements.

        Raises
        ------
        StoreValueError
            If the size or the alignment differs.
        ReleasedError
            If the memory is freed.
        """
        viewed = as_dtype(dtype)
        self._storage()
        if (viewed.itemsize, viewed.alignment) != (self._type.itemsize, self._type.alignment):
            raise StoreValueError(
                f"{self._type.name} has {self._type.itemsize} bytes aligned to {self._type.alignment}, and "
                f"{viewed.name} has {viewed.itemsize} aligned to {viewed.alignment}: a view needs both to be equal"
            )
        return self._on(self._scratch, viewed, self._extents)

    def destroy(self) -> None:
        """Free the memory now; every later use, also of its views, raises `ReleasedError`."""
        current_task().drop(self._storage())
        self._scratch.storage.release()

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        whole = self._storage().__accel_operand__()
        return Operand(whole.span, 0, self._type, self._extents, _strides(self._extents, self._type), True)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        storage = self._storage()
        if not isinstance(storage, HostStorage):
            raise DeviceMismatchError(
                f"NumPy cannot read memory of {self.device}; write accel.xp.asarray(buffer) for an array on this "
                f"memory, or buffer[...].to_numpy() for a copy on the host"
            )
        array = storage.export().view(self._type).reshape(self._extents)
        return np.array(array, dtype and as_dtype(dtype), copy=copy)

    @property
    def _on_host(self) -> bool:
        return isinstance(self._storage(), HostStorage)

    def _whole_key(self, key: Any) -> tuple[Any, ...]:
        """Return a key with a slice for each dimension that an ellipsis, or the end of the key, leaves out."""
        parts = key if isinstance(key, tuple) else (key,)
        at = next((place for place, part in enumerate(parts) if part is ...), len(parts))
        rest = (slice(None),) * (self.dim - len(parts) + (at < len(parts)))
        return (*parts[:at], *rest, *parts[at + 1 :])

    def _tensor(self) -> LayoutTensor:
        return LayoutTensor(self._lent_storage(), Layout.row_major(*self._extents))

    def _lent_storage(self) -> AnyStorage:
        return self._storage().window(0, prod(self._extents), self._type)

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        return self._tensor()._lent_array(storage)

    def _lent_copy(self, device: Device) -> Any:
        return self._tensor()._lent_copy(device)

    def __repr__(self) -> str:
        return f"<TaskLocalBuffer of {self._type.name}, extents {self._extents}, {self.memory_kind.name}>"

    def _storage(self) -> AnyStorage:
        storage = self._scratch.storage
        if storage.released:
            raise ReleasedError(
                f"this TaskLocalBuffer ({self._type.name}, extents {self._extents}) was destroyed, or its task is "
                f"over; make another inside the task with create_buffer"
            )
        return storage


def create_buffer(
    dtype: DTypeLike,
    extents: Extents,
    target: StoreTarget | Place | DeviceLike | None = None,
    alignment: SupportsIndex = DEFAULT_ALIGNMENT,
) -> TaskLocalBuffer:
    """Return scratch memory of this task, with an alignment in bytes; otherwise as `TaskLocalBuffer`.

    Parameters
    ----------
    dtype : dtype_like
        The dtype of the elements.
    extents : Extents
        The extent of each dimension.
    target : StoreTarget or Place or Device or str, optional
        The kind of memory.
    alignment : int, default 16
        What the address is a multiple of.

    Returns
    -------
    TaskLocalBuffer
        The buffer.

    Raises
    ------
    ValueError
        If the alignment is not a power of two, or an extent is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.store import create_buffer
    >>> buffer = create_buffer("int32", 4, alignment=256)
    >>> np.asarray(buffer)[:] = 7
    >>> np.asarray(buffer.view("uint32")), buffer.get_inline_allocation().ptr % 256
    (array([7, 7, 7, 7], dtype=uint32), 0)
    >>> buffer.destroy()
    """
    element_type = as_dtype(dtype)
    checked = _extents(extents, element_type)
    scratch = _allocated(element_type, checked, target, max(as_alignment(alignment), element_type.alignment))
    return TaskLocalBuffer._on(scratch, element_type, checked)


def _same_memory(buffer: TaskLocalBuffer, dtype: DTypeLike | None = None) -> TaskLocalBuffer:
    return buffer.view(buffer.type if dtype is None else dtype)


def _allocated(
    dtype: DType, extents: tuple[int, ...], target: StoreTarget | Place | DeviceLike | None, alignment: int
) -> _SharedMemory:
    task = current_task()
    place = place_of(task.place if target is None else target)
    storage = bytes_of(place, prod(extents) * dtype.itemsize, alignment)
    task.add_buffer(storage)
    return _SharedMemory(place, storage)


def _extents(extents: Extents, dtype: DType) -> tuple[int, ...]:
    sizes = tuple(extents) if isinstance(extents, Iterable) else (extents,)
    shape = tuple(as_size(extent, 1) for extent in sizes)
    as_size(prod(shape), dtype.itemsize)
    return shape


def _strides(extents: tuple[int, ...], dtype: DType) -> tuple[int, ...]:
    """Return the strides in bytes of C order."""
    return tuple(reversed([*accumulate(reversed(extents[1:]), mul, initial=dtype.itemsize)]))[: len(extents)]
