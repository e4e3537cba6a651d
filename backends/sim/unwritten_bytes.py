"""`Unwritten`: which bytes of a block were never written, for the initialisation check of kernels.

Most blocks are written whole at once, or from one end to the other: that is an interval. Other writes are kept as their
regions, and become a mask of bytes when a kernel asks for it, or when they are many.
"""

from typing import Any

import numpy as np

from .regions import Region

__all__ = ["Mask", "Unwritten"]

Mask = np.ndarray[Any, np.dtype[np.uint8]]

_MOST_REGIONS = 64


class Unwritten:
    """The bytes of a block that were never written.

    Parameters
    ----------
    pointer, nbytes : int
        Address of the first byte, and size in bytes.
    """

    __slots__ = ("_end", "_high", "_low", "_mask", "_pointer", "_regions")

    def __init__(self, pointer: int, nbytes: int) -> None:
        self._pointer = self._low = self._high = pointer
        self._end = pointer + nbytes
        self._regions: dict[Region, None] = {}
        self._mask: Mask | None = None

    def all_written_with(self, region: Region) -> bool:
        """Add a region that is written; return whether it is known that now all bytes are."""
        low, high = region.low, region.high
        if self._mask is not None:
            _mark(self._mask, region, self._pointer)
        elif not _is_interval(region) or not self._extend(low, high):
            self._keep(region)
        return self._high - self._low == self._end - self._pointer

    def mask(self) -> Mask:
        """Return an array with 1 for each byte that was written, which later writes change."""
        if self._mask is None:
            mask: Mask = np.zeros(self._end - self._pointer, np.uint8)
            mask[self._low - self._pointer : self._high - self._pointer] = 1
            for region in self._regions:
                _mark(mask, region, self._pointer)
            self._mask, self._regions = mask, {}
        return self._mask

    def _extend(self, low: int, high: int) -> bool:
        """Extend the interval by another that touches it, or by one that contains it; return whether that was done."""
        if low > self._high or high < self._low:
            if self._low != self._high:
                return False
            self._low, self._high = low, high
        self._low, self._high = min(low, self._low), max(high, self._high)
        return True

    def _keep(self, region: Region) -> None:
        self._regions[region] = None
        if len(self._regions) > _MOST_REGIONS:
            self.mask()


def _is_interval(region: Region) -> bool:
    """Return whether the items follow each other without gaps and none shares bytes with another."""
    nbytes = region.itemsize
    for stride, extent in sorted(zip(map(abs, region.strides), region.shape, strict=True)):
        if extent > 1 and stride != nbytes:
            return False
        nbytes *= extent
    return not region.items


def _mark(mask: Mask, region: Region, pointer: int) -> None:
    if region.low == region.high:
        return
    if region.items:
        starts = np.frombuffer(region.items, np.int64) - pointer
        mask[starts[:, None] + np.arange(region.itemsize)] = 1
        return
    shape, strides = (*region.shape, region.itemsize), (*region.strides, 1)
    np.ndarray(shape, np.uint8, mask, region.address - pointer, strides)[...] = 1
