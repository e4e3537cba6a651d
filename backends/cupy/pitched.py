"""`Pitched`: copies of rows at equal distances, which the driver does by itself between the host and a device."""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from accel.abc import Leaf, Operand, Plan

from .copy_ends import ByteRange

__all__ = ["Pitched", "pitched"]

_MOST = 64
"""Calls of the driver that cost less than what is done otherwise."""
_WIDE = 64
"""Bytes of a row from which on moving it by itself pays."""
_FARTHEST = (1 << 31) - 1
"""The largest pitch that drivers take."""
_SPARSE = 8
"""How many times more bytes there may be between the items than in them, before it pays for narrow rows too."""


class Pitched(NamedTuple):
    """Rectangles of bytes, all alike.

    Attributes
    ----------
    starts : list of tuple of int
        Where each one begins, in the target and in the source.
    width, height : int
        Bytes of a row, and how many rows there are.
    target_pitch, source_pitch : int
        How far the rows are from each other.
    """

    starts: list[tuple[int, int]]
    width: int
    height: int
    target_pitch: int
    source_pitch: int


def pitched(target: Operand, source: Operand, plan: Plan, host: ByteRange) -> Pitched | None:
    """Return a planned copy as rectangles; None where it is none, or where that takes longer than what else there is.

    Parameters
    ----------
    target, source : Operand
        Both ends.
    plan : Plan
        The copy.
    host : ByteRange
        How far the items of the host reach.
    """
    plain = all(end.swizzle is None and end.table is None for end in (target, source))
    if not plain or plan.bound is not None:
        return None
    leaves, width = _without_row(plan)
    if width < _WIDE and host.nbytes <= _SPARSE * plan.nbytes:
        return None
    *outer, rows = leaves or [Leaf(1, width, width)]
    # The driver takes pitches that are no less than a row, so no rows that overlap, or go downwards.
    pitches = rows.target_stride, rows.source_stride
    if min(pitches) < width or (rows.extent > 1 and max(pitches) > _FARTHEST):
        return None
    if math.prod(leaf.extent for leaf in outer) > _MOST:
        return None
    into, out_of = target.address + plan.target_start, source.address + plan.source_start
    starts = [(into + there, out_of + here) for there, here in _steps(outer)]
    return Pitched(starts, width, rows.extent, *pitches)


def _without_row(plan: Plan) -> tuple[list[Leaf], int]:
    """Return the loops over rows, and the bytes of a row."""
    *outer, last = plan.leaves or (Leaf(1, 0, 0),)
    if plan.leaves and last.target_stride == last.source_stride == plan.itemsize:
        return outer, last.extent * plan.itemsize
    return list(plan.leaves), plan.itemsize


def _steps(leaves: list[Leaf]) -> Iterator[tuple[int, int]]:
    for counters in product(*(range(leaf.extent) for leaf in leaves)):
        pairs = list(zip(counters, leaves, strict=True))
        yield (
            sum(count * leaf.target_stride for count, leaf in pairs),
            sum(count * leaf.source_stride for count, leaf in pairs),
        )
