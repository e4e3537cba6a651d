"""Whether both ends of a copy share bytes, so that the source must be read before the target is written."""

import math
from functools import lru_cache
from typing import NamedTuple

from accel.abc import Operand, Swizzling
from accel.copies.elements import CACHED, Leaves, offset_range

__all__ = ["ByteRange", "byte_range", "leaves_of", "share_bytes"]


class ByteRange(NamedTuple):
    """The bytes of an operand.

    Attributes
    ----------
    address : int
        The address from which strides, tables and swizzles count.
    low, high : int
        Distances from there: of the first byte, and of the one after the last.
    """

    address: int
    low: int
    high: int


def byte_range(operand: Operand) -> ByteRange:
    """Return the range of an operand's bytes; under a swizzle, a range that contains them."""
    span, start, dtype, extents, strides, _, swizzle, table = operand
    address, itemsize = span.block.pointer + span.start + start, dtype.itemsize
    if table is not None:
        if not table.size:
            return ByteRange(address, 0, 0)
        return ByteRange(address, int(table.min()) * itemsize, (int(table.max()) + 1) * itemsize)
    low, high = _strided(extents, strides, itemsize)
    if swizzle is not None and low != high:
        low, high = _swizzled(swizzle, low, high)
    return ByteRange(address, low, high)


def share_bytes(target: Operand, source: Operand, into: ByteRange, out_of: ByteRange) -> bool:
    """Tell whether a byte of the target may also belong to another element of the source than the one copied there.

    The answer may be yes where no bytes are shared; the copy is then slower, and right. ``into`` and ``out_of`` are the
    byte ranges of target and source.
    """
    distance = out_of.address - into.address
    if into.high <= distance + out_of.low or distance + out_of.high <= into.low:
        return False
    if target.table is not None or source.table is not None or target.swizzle or source.swizzle:
        return True
    mine, other = leaves_of(target), leaves_of(source)
    if not distance and mine == other:
        return False  # each element is copied onto itself
    return not _between(mine, other, target.dtype.itemsize, source.dtype.itemsize, distance)


@lru_cache(CACHED)
def _strided(extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    size, low, high = offset_range(tuple(zip(extents, strides, strict=True)))
    return (low, high + itemsize) if size else (0, 0)


def leaves_of(operand: Operand) -> Leaves:
    """Return the loops over an operand, the fastest first, with strides in bytes."""
    return tuple(zip(reversed(operand.extents), reversed(operand.strides), strict=True))


def _swizzled(swizzle: Swizzling, low: int, high: int) -> tuple[int, int]:
    """Return the ends of the swizzle's blocks that contain a range of distances: within them, the swizzle permutes."""
    block = swizzle.block
    return (low + swizzle.offset) // block * block, -(-(high + swizzle.offset) // block) * block


@lru_cache(CACHED)
def _between(target: Leaves, source: Leaves, itemsize: int, source_itemsize: int, distance: int) -> bool:
    """Tell whether the elements of one lie in the gaps of the other, as odd ones do between even ones."""
    period = math.gcd(*[stride for extent, stride in (*target, *source) if extent > 1])
    gap = distance % period if period else 0
    return itemsize <= gap <= period - source_itemsize
