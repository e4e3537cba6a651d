"""`Region`: which bytes of an address space some elements cover, and whether two regions overlap."""

import math
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Region"]

_Addresses = np.ndarray[Any, np.dtype[np.int64]]

# Overlap of two strided regions is NP-hard in general, but cheap for the strides that occur in practice.
_EFFORT = 100_000


class Region(NamedTuple):
    """Elements in an address space: the bytes from ``low`` to ``high``, or some of them.

    Where no strides say which, ``items`` has the address of each, rising, as the bytes of 64-bit integers: a region is
    known again by its value.
    """

    low: int
    high: int
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    items: bytes = b""

    @classmethod
    def at(cls, address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> "Region":
        """Return the region of elements by the address of the first."""
        if 0 in shape:
            return cls(address, address, address, shape, strides, itemsize)
        steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
        low = address + sum(step for step in steps if step < 0)
        high = address + sum(step for step in steps if step > 0) + itemsize
        return cls(low, high, address, shape, strides, itemsize)

    @classmethod
    def of_items(cls, addresses: _Addresses, itemsize: int) -> "Region":
        """Return the region of elements by the address of each, in any order."""
        if not addresses.size:
            return cls.at(0, (0,), (0,), itemsize)
        rising = np.sort(addresses)
        low, high = int(rising[0]), int(rising[-1]) + itemsize
        return cls(low, high, low, rising.shape, (0,), itemsize, rising.tobytes())

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return math.prod(self.shape) * self.itemsize

    def overlaps(self, other: "Region") -> bool:
        """Tell whether two regions share a byte."""
        if self.high <= other.low or other.high <= self.low:
            return False
        if self.items or other.items:
            return _meet(*_pieces(self), *_pieces(other))
        try:
            return bool(np.shares_memory(_outline(self), _outline(other), max_work=_EFFORT))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


def _pieces(region: Region) -> tuple[_Addresses, int]:
    """Return the addresses, rising, of pieces that make up a region, and the bytes of a piece."""
    if region.items:
        return np.frombuffer(region.items, np.int64), region.itemsize
    found, nbytes = np.full(1, region.address), region.itemsize
    for stride, extent in sorted(zip(region.strides, region.shape, strict=True), key=lambda loop: abs(loop[0])):
        if stride == nbytes and found.size == 1:
            nbytes *= extent
        else:
            found = (found[:, None] + np.arange(extent) * stride).reshape(-1)
    return np.sort(found), nbytes


def _meet(ours: _Addresses, length: int, theirs: _Addresses, other: int) -> bool:
    """Tell whether a piece shares a byte with one of theirs: with the first that ends after it begins."""
    first = np.searchsorted(theirs, ours - other, side="right")
    there = first < theirs.size
    return bool(np.any(theirs[first[there]] < ours[there] + length))


class _Outline:
    """What NumPy makes an array of that has a shape and no memory: its elements must never be looked at."""

    __slots__ = ("__array_interface__",)

    def __init__(self, region: Region) -> None:
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": region.shape,
            "strides": region.strides,
            "typestr": f"|V{region.itemsize}",
            "data": (region.address, True),
        }


def _outline(region: Region) -> "np.ndarray[Any, np.dtype[np.void]]":
    return np.asarray(_Outline(region))
