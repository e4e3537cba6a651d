"""`Elements`: some elements of a storage, in the order in which a copy reads or writes them."""

from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from accel.abc import OffsetTable, Operand, Swizzling
from accel.copies.offset_ranges import (
    CACHED,
    Leaves,
    OffsetRange,
    offset_range,
    swizzled_offset_range,
    whole_runs,
)
from accel.dtypes import DType
from accel.errors import BoundsError
from accel.memory import AnyStorage, HostStorage
from accel.memory.host_arrays import bytes_at

__all__ = [
    "CACHED",
    "Axes",
    "Elements",
    "HasElements",
    "Leaves",
    "OffsetRange",
    "OffsetTable",
    "all_of",
    "axes",
    "of_array",
    "offset_range",
    "places",
]

Axes = tuple[tuple[int, ...], tuple[int, ...]]
"""Extents, and strides in bytes, of some axes, the slowest first, as in an operand."""


class Elements(NamedTuple):
    """Some elements of a storage, in the caller's order.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory.
    start : int
        The first element, in elements of the dtype from the start of the storage.
    leaves : tuple of (int, int)
        Extent and stride in elements of each loop, the fastest first; ``()`` is one element.
    dtype : numpy.dtype, optional
        Type of the elements; by default the storage's dtype.
    table : numpy.ndarray of int64, optional
        Offsets in elements from ``start``, in order, instead of ``leaves``, which are then ignored.
    swizzle : Swizzling, optional
        Applied to the offset that the loops lead to; it counts elements here.
    """

    storage: AnyStorage
    start: int
    leaves: Leaves
    dtype: DType | None = None
    table: OffsetTable | None = None
    swizzle: Swizzling | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return offset_range(self.leaves).size if self.table is None else self.table.size

    @property
    def writable(self) -> bool:
        """Whether the elements may be written."""
        return not self.storage.readonly

    @property
    def element_type(self) -> DType:
        """Type of the elements."""
        return self.storage.dtype if self.dtype is None else self.dtype

    @property
    def offset_range(self) -> OffsetRange:
        """How many elements there are, and the range of their offsets from ``start``."""
        if self.table is not None:
            return _range_of_table(self.table)
        leaves, swizzle = self.leaves, self.swizzle
        return offset_range(leaves) if swizzle is None else swizzled_offset_range(leaves, swizzle, self.available)

    @property
    def available(self) -> int:
        """How many elements of the dtype the storage has."""
        storage = self.storage
        return storage.size if self.dtype is None else storage.nbytes // self.dtype.itemsize

    def refuse_outside(self) -> int:
        """Raise `BoundsError` if an element is not in the storage; return how many elements there are.

        Raises
        ------
        BoundsError
            As said.
        LayoutError
            If a swizzle permutes such large blocks that too many elements would have to be enumerated.
        """
        storage, start, leaves, dtype, table, swizzle = self
        available = storage.size if dtype is storage.dtype else self.available
        if swizzle is not None and table is None:
            size, low, high = whole_runs(leaves, swizzle)
            if not size or (start + low >= 0 and start + high < available):
                return size  # without enumerating any element
        size, low, high = offset_range(leaves) if table is None and swizzle is None else self.offset_range
        if size and not (start + low >= 0 and start + high < available):
            raise BoundsError(
                f"elements {start + low} to {start + high} of {self.element_type.name} are required, and the "
                f"{storage} has {available} available: from 0 to {available - 1}"
            )
        return size

    def places(self) -> OffsetTable:
        """Return the offset of each element from ``start``, in order."""
        return places(self.leaves, self.swizzle) if self.table is None else self.table

    def operand(self) -> Operand:
        """Describe the elements to a backend, the slowest loop first."""
        storage, start, leaves, dtype, table, swizzle = self
        if dtype is None:
            dtype = storage.dtype
        itemsize = dtype.itemsize
        extents, strides = axes(leaves, itemsize) if table is None else ((table.size,), (0,))
        if swizzle is not None:
            swizzle = Swizzling(swizzle.mask * itemsize, swizzle.shift, swizzle.offset * itemsize)
        return storage.operand(start * itemsize, dtype, extents, strides, swizzle, table)


def all_of(storage: AnyStorage) -> Elements:
    """Return all elements of a storage.

    Parameters
    ----------
    storage : HostStorage or DeviceStorage
        The storage.

    Returns
    -------
    Elements
        Its elements, in order.
    """
    return Elements(storage, 0, ((storage.size, 1),))


def of_array(array: "np.ndarray[Any, DType]") -> Elements:
    """Return the elements of a NumPy array in C order, whatever its strides; the array must stay alive."""
    itemsize = array.itemsize
    if not array.flags.aligned or any(stride % itemsize for stride in array.strides):
        array = np.ascontiguousarray(array)
    leaves = tuple([(extent, step // itemsize) for extent, step in zip(array.shape, array.strides, strict=True)][::-1])
    size, low, high = offset_range(leaves)
    nbytes = (high - low + 1) * itemsize if size else 0
    pointer = array.__array_interface__["data"][0] + low * itemsize
    memory = bytes_at(pointer, nbytes, not array.flags.writeable, array)
    return Elements(HostStorage.on_array(memory), -low, leaves, array.dtype)


@runtime_checkable
class HasElements(Protocol):
    """Anything that describes its elements in the order in which they are copied."""

    def __accel_elements__(self) -> Elements:
        """Return the elements, in that order."""
        ...


@lru_cache(CACHED)
def axes(leaves: Leaves, itemsize: int) -> Axes:
    """Return the axes of leaves, whose strides are in elements.

    The stride of a loop of one step is never used and may need more than 64 bits, so it becomes 0.
    """
    strides = [stride * itemsize if extent > 1 else 0 for extent, stride in reversed(leaves)]
    return tuple([extent for extent, _ in reversed(leaves)]), tuple(strides)


def places(leaves: Leaves, swizzle: Swizzling | None = None) -> OffsetTable:
    """Return the offset of each element of some leaves, in order."""
    if not offset_range(leaves).size:
        return np.empty(0, np.int64)
    offsets: OffsetTable = np.zeros(1, np.int64)
    for extent, stride in leaves:
        if extent > 1:
            offsets = (np.arange(extent, dtype=np.int64)[:, None] * stride + offsets).reshape(-1)
    return offsets if swizzle is None else np.asarray(swizzle(offsets))


def _range_of_table(table: OffsetTable) -> OffsetRange:
    return OffsetRange(table.size, int(table.min()), int(table.max())) if table.size else OffsetRange(0, 0, 0)
