"""`BufferAccess`: indexing, assignment and iteration of buffers."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

from accel.dtypes import exact_cast
from accel.views.buffers.vector_access import VectorAccess

__all__ = ["BufferAccess"]


class BufferAccess(VectorAccess):
    """Mixin of buffers: read, write and iterate over single elements."""

    __slots__ = ()

    def __getitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Any:
        """Return an element of host memory as a NumPy scalar; negative coordinates count from the end.

        Raises
        ------
        BoundsError
            If the number of coordinates is wrong, or there is no such element.
        DeviceMismatchError
            If the memory is not the host's.
        """
        return self._host()[self._cell(index if isinstance(index, tuple) else (index,))]

    def __setitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...], value: Any) -> None:
        """Set an element of host memory to a number, or to an array of one number.

        Raises
        ------
        BoundsError
            If the number of coordinates is wrong, or there is no such element.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError, DeviceMismatchError
            If the memory is read-only, or not the host's.
        """
        given = exact_cast(value, self.dtype)
        cell = self._cell(index if isinstance(index, tuple) else (index,))
        self._host()[cell] = given.reshape(()) if given.size == 1 else given

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the first axis: yields views without it; with one axis, elements of host memory."""
        if not self._shape:
            raise TypeError("a buffer without axes cannot be iterated over; b[()] is its element")
        (extent, *shape), (step, *strides) = self._shape, self._strides
        starts = (self._offset + i * step for i in range(extent))
        if shape:
            return (self._on(self._storage, start, tuple(shape), tuple(strides)) for start in starts)
        storage = self._host()
        return (storage[start] for start in starts)
