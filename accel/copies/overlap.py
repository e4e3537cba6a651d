"""Whether the two ends of a copy share bytes, so that the source must be read before the target is written."""

import math
from functools import lru_cache

from accel.abc import Operand, Swizzling
from accel.copies.elements import CACHED, Leaves, reach

__all__ = ["distances", "leaves_of", "share_bytes"]


def share_bytes(target: Operand, source: Operand) -> bool:
    """Tell whether a byte of the target may also be one of the source, other than of the element it is copied from.

    It errs towards yes, which costs a copy.
    """
    into, out_of = target.address, source.address
    (low, high), (first, last) = distances(target), distances(source)
    if into + high <= out_of + first or out_of + last <= into + low:
        return False
    if target.table is not None or source.table is not None or target.swizzle or source.swizzle:
        return True
    mine, other = leaves_of(target), leaves_of(source)
    if into == out_of and mine == other:
        return False  # each element is copied onto itself
    return not _between(mine, other, target.dtype.itemsize, source.dtype.itemsize, out_of - into)


def distances(operand: Operand) -> tuple[int, int]:
    """Return between which distances in bytes from an operand's start its bytes lie."""
    itemsize = operand.dtype.itemsize
    if operand.table is not None:
        table = operand.table
        return (int(table.min()) * itemsize, (int(table.max()) + 1) * itemsize) if table.size else (0, 0)
    low, high = _strided(operand.extents, operand.strides, itemsize)
    return (low, high) if operand.swizzle is None or low == high else _swizzled(operand.swizzle, low, high)


@lru_cache(CACHED)
def _strided(extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    size, low, high = reach(tuple(zip(extents, strides, strict=True)))
    return (low, high + itemsize) if size else (0, 0)


def leaves_of(operand: Operand) -> Leaves:
    """Return the loops over an operand, the fastest first, with strides in bytes."""
    return tuple(zip(reversed(operand.extents), reversed(operand.strides), strict=True))


def _swizzled(swizzle: Swizzling, low: int, high: int) -> tuple[int, int]:
    """Return the blocks between whose ends a swizzle leaves all that lies between two distances."""
    block = swizzle.block
    return (low + swizzle.offset) // block * block, -(-(high + swizzle.offset) // block) * block


@lru_cache(CACHED)
def _between(target: Leaves, source: Leaves, itemsize: int, source_itemsize: int, distance: int) -> bool:
    """Tell whether all elements of one lie between those of the other, as odd ones do between even ones."""
    period = math.gcd(*[stride for extent, stride in (*target, *source) if extent > 1])
    gap = distance % period if period else 0
    return itemsize <= gap <= period - source_itemsize
