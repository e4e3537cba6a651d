"""`StridedView`: the base class of buffers."""

from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex

import numpy as np

from accel import copies
from accel.abc import Operand
from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError, LayoutError, reading_pickled
from accel.interchange import Interchange
from accel.memory import AnyStorage, allocate
from accel.memory.host_arrays import export
from accel.memory.host_storage import HostArray
from accel.memory.sizes import as_size
from accel.views.buffers.flat_memory import as_host_storage
from accel.views.buffers.simd import PrefetchOptions
from accel.views.buffers.text import html
from accel.views.rows import Rows, rows_of
from accel.views.sources import Source, row_major

__all__ = ["StridedView"]


class StridedView(Interchange):
    """Strided view of a storage; the abstract base of `BufferView` and `NDBuffer`.

    A view owns no memory. It uses the storage handle of its source; after that is released, access raises
    `ReleasedError`.
    """

    __slots__ = ("__weakref__", "_offset", "_shape", "_storage", "_strides")
    _rank: ClassVar[int] = 0  # number of axes of the class; 0 for any
    _storage: AnyStorage
    _offset: int
    _shape: tuple[int, ...]
    _strides: tuple[int, ...]

    if TYPE_CHECKING:

        def load(self, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None) -> Any:
            """Return numbers from a coordinate on: one, or a vector of ``width``."""

        def store(
            self,
            *index: Any,
            values: Any = None,
            width: SupportsIndex | None = None,
            alignment: SupportsIndex | None = None,
        ) -> None:
            """Write numbers from a coordinate on."""

        def simd_nt_store(self, *index: Any, values: Any = None) -> None:
            """Write numbers past the caches, where the processor can."""

        def prefetch(self, *index: Any, params: PrefetchOptions = ...) -> None:
            """Check that an element exists; the processor fetches it by itself."""

    @classmethod
    def _on(cls, storage: AnyStorage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Self:
        """Return a view of a storage; the caller has checked that all elements are inside it."""
        view = object.__new__(cls)
        view._storage = storage
        view._offset = offset
        view._shape = shape
        view._strides = strides
        return view

    @classmethod
    def _new(cls, shape: tuple[int, ...], dtype: DType, device: Device) -> Self:
        """Return a row-major view of new, uninitialized memory."""
        return cls._on(allocate(device, prod(shape), dtype), 0, shape, row_major(shape))

    @property
    def storage(self) -> AnyStorage:
        """The storage of the elements; it may have more elements."""
        return self._storage

    @property
    def offset(self) -> int:
        """The storage element of the first element."""
        return self._offset

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._storage.dtype

    @property
    def device(self) -> Device:
        """Device of the memory."""
        return self._storage.device

    @property
    def readonly(self) -> bool:
        """Whether the memory is read-only."""
        return self._storage.readonly

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self._shape)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return prod(self._shape) * self.dtype.itemsize

    def _repr_html_(self) -> str:
        return html(type(self).__name__, self._source)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous in row-major order."""
        return self._source.contiguous

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("a buffer without axes has no len; b[()] is its element, and b.size is 1")
        return self._shape[0]

    @property
    def _source(self) -> Source:
        return Source(self._storage, self._offset, self._shape, self._strides)

    def to_numpy(self) -> HostArray:
        """Return the elements as a new NumPy array of the same shape, from any device."""
        return copies.read(self._source.elements).reshape(self._shape)

    def from_numpy(self, array: HostArray) -> None:
        """Copy a NumPy array of the same shape into the elements, on any device; complete on return.

        Raises
        ------
        LayoutError
            If the shapes differ.
        DTypeError
            If the dtypes differ.
        ReadOnlyError, OverlapError
            If the memory is read-only, or two coordinates of the view have the same storage element.
        """
        source = np.asarray(array)
        astype, reshape = f"array.astype({self.dtype.name!r})", f"array.reshape({self._shape})"
        self._refuse_other(source.shape, as_dtype(source.dtype), astype, reshape)
        copies.write(self._source.elements, source)

    def copy_from(self, other: Any) -> None:
        """Copy the elements of another view, container or array into this one, from any device.

        Both may overlap.

        Parameters
        ----------
        other : view, container, storage or array of any library
            The elements to copy, of the same shape and dtype.

        Raises
        ------
        TypeError
            If ``other`` has no memory.
        LayoutError, DTypeError, ReadOnlyError, OverlapError
            As for `from_numpy`.
        """
        source = rows_of(other)
        astype, reshape = f"xp.astype(xp.asarray(x), {self.dtype.name!r})", f"NDBuffer(x, {self._shape})"
        self._refuse_other(source.shape, source.dtype, astype, reshape)
        copies.copy(self._source.elements, source.elements)

    def copy(self) -> Self:
        """Return a contiguous copy in new memory on the same device."""
        return self._lent_copy(self.device)

    def __copy__(self) -> Self:
        return self._on(self._storage, self._offset, self._shape, self._strides)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def _refuse_other(self, shape: tuple[int, ...], dtype: DType, astype: str, reshape: str) -> None:
        if dtype != self.dtype:
            raise DTypeError(f"{dtype.name} elements cannot be copied into {self.dtype.name}: write {astype}")
        if shape != self._shape:
            remedy = f"write {reshape}" if prod(shape) == self.size else "the sizes must be equal"
            raise LayoutError(f"elements of shape {shape} cannot be copied into shape {self._shape}: {remedy}")

    def fill(self, value: Any) -> None:
        """Set every element to one value, on any device.

        Raises
        ------
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError, OverlapError
            If the memory is read-only, or two coordinates of the view have the same storage element.
        """
        storage, offset, shape, strides = self._storage, self._offset, self._shape, self._strides
        item = copies.item_of(value, storage.dtype, "write v.from_numpy(array)")
        leaves = ((shape[0], strides[0]),) if len(shape) == 1 else tuple(zip(shape[::-1], strides[::-1], strict=True))
        if not copies.filled_within_device(storage, offset, leaves, item):
            copies.fill_with(copies.Elements(storage, offset, leaves), item)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        storage = as_host_storage(self._storage, "a NumPy array on the same memory")
        storage.settle(writing=not (copy or storage.readonly))
        return np.array(self._lent_array(storage), dtype and as_dtype(dtype), copy=copy)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        whole, itemsize = self._storage.__accel_operand__(), self.dtype.itemsize
        strides = tuple([stride * itemsize for stride in self._strides])
        return whole._replace(start=self._offset * itemsize, extents=self._shape, strides=strides)

    def __accel_rows__(self) -> Rows:
        """Return the elements in row-major order."""
        return Rows(self._shape, self.dtype, self.device, self._source.elements)

    def _lent_storage(self) -> AnyStorage:
        return self._storage

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        return export(self.__accel_operand__(), storage.keep_alive())

    def _lent_copy(self, device: Device) -> Self:
        copy = self._new(self._shape, self.dtype, device)
        copies.copy(copy._source.elements, self._source.elements)
        return copy

    def __reduce__(self) -> tuple[object, ...]:
        whole = self._source.contiguous and self._storage.size == prod(self._shape)
        storage = self._storage if whole else self._lent_copy(self.device)._storage
        return _unpickled, (type(self), storage, self._shape)


def _unpickled(*state: Any) -> StridedView:
    """Return the view that was pickled: all elements of a storage, in row-major order.

    Raises
    ------
    FormatError
        If the state is not that of a view.
    """
    with reading_pickled("view"):
        kind, storage, extents = state
        if not (isinstance(kind, type) and issubclass(kind, StridedView) and isinstance(storage, AnyStorage)):
            raise TypeError(f"found {type(kind).__name__} and {type(storage).__name__} for its class and its storage")
        shape = tuple([as_size(extent, 1) for extent in extents])
        if prod(shape) != storage.size or len(shape) != (kind._rank or len(shape)):
            raise ValueError(f"{storage.size} elements do not have the shape {shape} of a {kind.__name__}")
        return kind._on(storage, 0, shape, row_major(shape))
