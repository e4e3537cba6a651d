"""The methods of buffers that read, write and iterate over single elements."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

from accel.dtypes import exact_cast
from accel.views.buffers.strided import StridedView
from accel.views.buffers.vector_access import element_place, host_storage

__all__ = ["get_item", "iterate", "set_item"]


def get_item(buffer: StridedView, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Any:
    """Return an element of host memory as a NumPy scalar; negative coordinates count from the end.

    Raises
    ------
    BoundsError
        If the number of coordinates is wrong, or there is no such element.
    DeviceMismatchError
        If the memory is not the host's.
    """
    return host_storage(buffer)[element_place(buffer, index if isinstance(index, tuple) else (index,))]


def set_item(buffer: StridedView, index: SupportsIndex | tuple[SupportsIndex, ...], value: Any) -> None:
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
    number = exact_cast(value, buffer.dtype)
    place = element_place(buffer, index if isinstance(index, tuple) else (index,))
    host_storage(buffer)[place] = number.reshape(()) if number.size == 1 else number


def iterate(buffer: StridedView) -> Iterator[Any]:
    """Iterate over the first axis: yields views without it; with one axis, elements of host memory."""
    if not buffer._shape:
        raise TypeError("a buffer without axes cannot be iterated over; b[()] is its element")
    (extent, *shape), (step, *strides) = buffer._shape, buffer._strides
    starts = (buffer._offset + i * step for i in range(extent))
    if shape:
        return (buffer._on(buffer._storage, start, tuple(shape), tuple(strides)) for start in starts)
    storage = host_storage(buffer)
    return (storage[start] for start in starts)
