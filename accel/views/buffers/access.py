"""`ElementAccess`: single elements of buffers on the host, and the rows of any."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

from accel.dtypes import exact_cast
from accel.views.buffers.vector_access import VectorAccess

__all__ = ["BufferAccess"]


class BufferAccess(VectorAccess):
    """The members of buffers that read and write elements one by one; see `NDBuffer`."""

    __slots__ = ()

    def __getitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Any:
        """Return an element of host memory as a NumPy scalar; negative coordinates count from the end.

        Raises
        ------
        BoundsError
            If there is another number of axes, or no such element.
        DeviceMismatchError
            If the memory is an accelerator's.
        """
        return self._host()[self._cell(index if isinstance(index, tuple) else (index,))]

    def __setitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...], value: Any) -> None:
        """Set an element of host memory to a number, or to a vector of one.

        Raises
        ------
        BoundsError
            If there is another number of axes, or no such element.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError, DeviceMismatchError
            If the memory must not change, or is an accelerator's.
        """
        given = exact_cast(value, self.dtype)
        cell = self._cell(index if isinstance(index, tuple) else (index,))
        self._host()[cell] = given.reshape(()) if given.size == 1 else given

    def __iter__(self) -> Iterator[Any]:
        """Go through the first axis: elements of host memory if there is no other, else views without it."""
        if not self._shape:
            raise TypeError("a buffer without axes has no elements to go through; b[()] is its element")
        (extent, *shape), (step, *strides) = self._shape, self._strides
        starts = (self._offset + i * step for i in range(extent))
        if shape:
            return (self._on(self._storage, start, tuple(shape), tuple(strides)) for start in starts)
        storage = self._host()
        return (storage[start] for start in starts)
