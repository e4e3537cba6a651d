"""`Elements`: which elements of a storage are meant, in the order of whoever copies them."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.errors import BoundsError
from accel.memory import AnyStorage, Operand

__all__ = ["CACHED", "Elements", "Leaves", "Reach", "Table", "reach"]

CACHED = 4096
"""How many answers about leaves are remembered."""

Leaves = tuple[tuple[int, int], ...]
"""Extent and stride of each loop, the fastest first."""

Table = np.ndarray[Any, np.dtype[np.int64]]
"""Offsets of elements, one by one."""


class Reach(NamedTuple):
    """How many elements there are, and the offsets of the lowest and of the highest of them."""

    size: int
    low: int
    high: int


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
    """

    storage: AnyStorage
    start: int
    leaves: Leaves
    dtype: DType | None = None
    table: Table | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return reach(self.leaves).size if self.table is None else self.table.size

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
        return reach(self.leaves) if self.table is None else _reach_of_table(self.table)

    @property
    def available(self) -> int:
        """How many elements of the dtype the storage has."""
        storage = self.storage
        return storage.size if self.dtype is None else storage.nbytes // self.dtype.itemsize

    def refuse_outside(self) -> None:
        """Raise `BoundsError` if an element is not in the storage."""
        size, low, high = self.reach
        available = self.available
        if size and not (self.start + low >= 0 and self.start + high < available):
            raise BoundsError(
                f"elements {self.start + low} to {self.start + high} of {self.element_type.name} are required, and the "
                f"{self.storage} has {available} available: from 0 to {available - 1}"
            )

    def covering(self) -> "Elements":
        """Return all elements from the lowest of these to the highest."""
        size, low, high = self.reach
        extent = high - low + 1 if size else 0
        return Elements(self.storage, self.start + low, ((extent, 1),), self.element_type)

    def operand(self) -> Operand:
        """Describe the elements to a backend, the slowest loop first."""
        dtype = self.element_type
        extents = tuple([extent for extent, _ in reversed(self.leaves)])
        strides = tuple([stride * dtype.itemsize for _, stride in reversed(self.leaves)])
        span = self.storage.__accel_operand__().span
        return Operand(span, self.start * dtype.itemsize, dtype, extents, strides, self.writable)


@lru_cache(CACHED)
def reach(leaves: Leaves) -> Reach:
    """Return how many elements leaves have, and how far from the first one they lie."""
    size, low, high = 1, 0, 0
    for extent, stride in leaves:
        size *= extent
        low += min((extent - 1) * stride, 0)
        high += max((extent - 1) * stride, 0)
    return Reach(size, low, high) if size else Reach(0, 0, 0)


def _reach_of_table(table: Table) -> Reach:
    return Reach(table.size, int(table.min()), int(table.max())) if table.size else Reach(0, 0, 0)
