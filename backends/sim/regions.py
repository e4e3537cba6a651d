"""`Region`: which bytes of an address space some elements cover, and whether two regions overlap."""

import math
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Region"]

_Addresses = np.ndarray[Any, np.dtype[np.int64]]

# Overlap of two strided regions is NP-hard in general, but cheap for the strides that occur in practice.
_EFFORT = 100_000


class Region(NamedTuple):
    """The addresses of some elements: bytes within ``low`` to ``high``.

    The elements are strided, or ``items`` lists the address of each, ascending, as bytes of 64-bit integers: so that
    regions can be compared and hashed by value.
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
        """Return the region of strided elements, given the address of the first."""
        if 0 in shape:
            return cls(address, address, address, shape, strides, itemsize)
        low = high = address
        for extent, stride in zip(shape, strides, strict=True):
            if stride < 0:
                low += (extent - 1) * stride
            else:
                high += (extent - 1) * stride
        return cls(low, high + itemsize, address, shape, strides, itemsize)

    @classmethod
    def of_items(cls, addresses: _Addresses, itemsize: int) -> "Region":
        """Return the region of elements with these addresses, in any order."""
        if not addresses.size:
            return cls.at(0, (0,), (0,), itemsize)
        ascending = np.sort(addresses)
        low, high = int(ascending[0]), int(ascending[-1]) + itemsize
        return cls(low, high, low, ascending.shape, (0,), itemsize, ascending.tobytes())

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return math.prod(self.shape) * self.itemsize

    def overlaps(self, other: "Region") -> bool:
        """Return whether two regions share a byte."""
        if self.high <= other.low or other.high <= self.low or not (self.nbytes and other.nbytes):
            return False
        if self.items or other.items:
            return _meet(*_pieces(self), *_pieces(other))
        try:
            return bool(np.shares_memory(_outline(self), _outline(other), max_work=_EFFORT))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


def _pieces(region: Region) -> tuple[_Addresses, int]:
    """Return the ascending addresses of equal pieces that make up a region, and the bytes of a piece."""
    if region.items:
        return np.frombuffer(region.items, np.int64), region.itemsize
    addresses, nbytes = np.full(1, region.address), region.itemsize
    for stride, extent in sorted(zip(region.strides, region.shape, strict=True), key=lambda loop: abs(loop[0])):
        if stride == nbytes and addresses.size == 1:
            nbytes *= extent
        else:
            addresses = (addresses[:, None] + np.arange(extent) * stride).reshape(-1)
    return np.sort(addresses), nbytes


def _meet(ours: _Addresses, length: int, theirs: _Addresses, other: int) -> bool:
    """Return whether pieces of both share a byte: one of ours and the first of theirs that ends after it begins."""
    first = np.searchsorted(theirs, ours - other, side="right")
    there = first < theirs.size
    return bool(np.any(theirs[first[there]] < ours[there] + length))


class _Outline:
    """An array interface with a shape but no memory: NumPy must never read its elements."""

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
