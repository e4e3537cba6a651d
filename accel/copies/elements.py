"""`Elements`: which elements of a storage are meant, in the order of whoever copies them."""

from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from accel.abc import OffsetTable, Operand, Swizzling
from accel.copies.reaching import CACHED, Leaves, Reach, reach, swizzled_reach, whole_runs
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
    "OffsetTable",
    "Reach",
    "all_of",
    "axes",
    "of_array",
    "places",
    "reach",
]

Axes = tuple[tuple[int, ...], tuple[int, ...]]
"""The extents and the strides in bytes of axes, the slowest first, as operands have them."""


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
        How the bytes are read; by default as the storage's dtype.
    table : numpy.ndarray of int64, optional
        Offsets in elements from ``start``, in order, where no leaves describe them; then ``leaves`` says nothing.
    swizzle : Swizzling, optional
        What becomes of the sum of the steps; it counts elements here.
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
        return reach(self.leaves).size if self.table is None else self.table.size

    @property
    def plain(self) -> bool:
        """Whether strides alone lead to the elements."""
        return self.table is None and self.swizzle is None

    @property
    def writable(self) -> bool:
        """Whether the elements may be written."""
        return not self.storage.readonly

    @property
    def element_type(self) -> DType:
        """How the bytes are read."""
        return self.storage.dtype if self.dtype is None else self.dtype

    @property
    def reach(self) -> Reach:
        """How many elements there are, and how far from the first one they lie."""
        if self.table is not None:
            return _reach_of_table(self.table)
        leaves, swizzle = self.leaves, self.swizzle
        return reach(leaves) if swizzle is None else swizzled_reach(leaves, swizzle, self.available)

    @property
    def available(self) -> int:
        """How many elements of the dtype the storage has."""
        storage = self.storage
        return storage.size if self.dtype is None else storage.nbytes // self.dtype.itemsize

    def refuse_outside(self) -> None:
        """Raise `BoundsError` if an element is not in the storage.

        Raises
        ------
        LayoutError
            If a swizzle exchanges so many elements so far apart that it is not found out.
        """
        start, leaves, swizzle = self.start, self.leaves, self.swizzle
        available = self.available
        if swizzle is not None:
            size, low, high = whole_runs(leaves, swizzle)
            if not size or (start + low >= 0 and start + high < available):
                return  # and nothing had to be counted out
        size, low, high = self.reach
        if size and not (start + low >= 0 and start + high < available):
            raise BoundsError(
                f"elements {start + low} to {start + high} of {self.element_type.name} are required, and the "
                f"{self.storage} has {available} available: from 0 to {available - 1}"
            )

    def places(self) -> OffsetTable:
        """Return the offset of each element from ``start``, in order."""
        return places(self.leaves, self.swizzle) if self.table is None else self.table

    def operand(self) -> Operand:
        """Describe the elements to a backend, the slowest loop first."""
        dtype, table, swizzle = self.element_type, self.table, self.swizzle
        itemsize = dtype.itemsize
        extents, strides = axes(self.leaves, itemsize) if table is None else ((table.size,), (0,))
        if swizzle is not None:
            swizzle = Swizzling(swizzle.mask * itemsize, swizzle.shift, swizzle.offset * itemsize)
        start, span = self.start * itemsize, self.storage.span
        return Operand(span, start, dtype, extents, strides, self.writable, swizzle, table)


def all_of(storage: AnyStorage) -> Elements:
    """Return all elements of a storage."""
    return Elements(storage, 0, ((storage.size, 1),))


def of_array(array: "np.ndarray[Any, DType]") -> Elements:
    """Return the elements of a NumPy array in C order, wherever its strides lead; the array must stay alive."""
    itemsize = array.itemsize
    if not array.flags.aligned or any(stride % itemsize for stride in array.strides):
        array = np.ascontiguousarray(array)
    leaves = tuple([(extent, step // itemsize) for extent, step in zip(array.shape, array.strides, strict=True)][::-1])
    size, low, high = reach(leaves)
    nbytes = (high - low + 1) * itemsize if size else 0
    pointer = array.__array_interface__["data"][0] + low * itemsize
    held = bytes_at(pointer, nbytes, not array.flags.writeable, array)
    return Elements(HostStorage.on_array(held), -low, leaves, array.dtype)


@runtime_checkable
class HasElements(Protocol):
    """What knows its elements in the order in which it is copied."""

    def __accel_elements__(self) -> Elements:
        """Return the elements, in that order."""
        ...


@lru_cache(CACHED)
def axes(leaves: Leaves, itemsize: int) -> Axes:
    """Return the axes that leaves are, whose strides are in elements.

    The stride of a single step leads nowhere, and may have more than 64 bits, so it is 0.
    """
    strides = [stride * itemsize if extent > 1 else 0 for extent, stride in reversed(leaves)]
    return tuple([extent for extent, _ in reversed(leaves)]), tuple(strides)


def places(leaves: Leaves, swizzle: Swizzling | None = None) -> OffsetTable:
    """Return the offset of each element that leaves name, in order."""
    if not reach(leaves).size:
        return np.empty(0, np.int64)
    found: OffsetTable = np.zeros(1, np.int64)
    for extent, stride in leaves:
        if extent > 1:
            found = (np.arange(extent, dtype=np.int64)[:, None] * stride + found).reshape(-1)
    return found if swizzle is None else np.asarray(swizzle(found))


def _reach_of_table(table: OffsetTable) -> Reach:
    return Reach(table.size, int(table.min()), int(table.max())) if table.size else Reach(0, 0, 0)
