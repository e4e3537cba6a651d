"""`Rectangles`: rows with constant pitches, which the driver copies itself (memcpy2D) between host and device."""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from accel.abc import Leaf, Operand, Plan

from .copy_ends import ByteRange

__all__ = ["Rectangles", "rectangles_of"]

_MOST = 64
"""The most rectangles: with more, so many calls of the driver cost more than the other ways to copy."""
_WIDE = 64
"""Bytes of a row from which on copying row by row pays."""
_FARTHEST = (1 << 31) - 1
"""The largest pitch that drivers accept."""
_SPARSE = 8
"""If the range of the items is more than so many times their bytes, narrow rows pay too."""


class Rectangles(NamedTuple):
    """Rectangles of bytes, all of the same shape.

    Attributes
    ----------
    starts : list of tuple of int
        Address of the first byte of each, in the target and in the source.
    width, height : int
        Bytes of a row, and number of rows.
    target_pitch, source_pitch : int
        Bytes from the start of a row to the start of the next.
    """

    starts: list[tuple[int, int]]
    width: int
    height: int
    target_pitch: int
    source_pitch: int


def rectangles_of(target: Operand, source: Operand, plan: Plan, host: ByteRange) -> Rectangles | None:
    """Return a planned copy as rectangles; None if it cannot be described so, or if other ways are faster.

    Parameters
    ----------
    target, source : Operand
        The operands.
    plan : Plan
        The copy.
    host : ByteRange
        The range of offsets that contains the items on the host.
    """
    plain = all(end.swizzle is None and end.table is None for end in (target, source))
    if not plain or plan.bound is not None:
        return None
    leaves, width = _without_row(plan)
    if width < _WIDE and host.nbytes <= _SPARSE * plan.nbytes:
        return None
    *outer, rows = leaves or [Leaf(1, width, width)]
    # The driver requires pitches of at least the width: rows must not overlap, or have negative strides.
    pitches = rows.target_stride, rows.source_stride
    if min(pitches) < width or (rows.extent > 1 and max(pitches) > _FARTHEST):
        return None
    if math.prod(leaf.extent for leaf in outer) > _MOST:
        return None
    into, out_of = target.address + plan.target_start, source.address + plan.source_start
    starts = [(into + target_offset, out_of + source_offset) for target_offset, source_offset in _offsets(outer)]
    return Rectangles(starts, width, rows.extent, *pitches)


def _without_row(plan: Plan) -> tuple[list[Leaf], int]:
    """Return the loops around the rows, and the bytes of a row."""
    *outer, last = plan.leaves or (Leaf(1, 0, 0),)
    if plan.leaves and last.target_stride == last.source_stride == plan.itemsize:
        return outer, last.extent * plan.itemsize
    return list(plan.leaves), plan.itemsize


def _offsets(leaves: list[Leaf]) -> Iterator[tuple[int, int]]:
    for counters in product(*(range(leaf.extent) for leaf in leaves)):
        pairs = list(zip(counters, leaves, strict=True))
        yield (
            sum(count * leaf.target_stride for count, leaf in pairs),
            sum(count * leaf.source_stride for count, leaf in pairs),
        )
