"""Whether leaves name a byte twice, decided exactly.

They do if some steps, not all of them zero, lead back to where they began: ``sum(d * stride) = 0`` with every ``|d|``
below the extent. Where each stride is longer than all that the smaller ones reach together there are no such steps;
otherwise they are looked for from the longest stride down: the shorter ones must be able to make up for each d, as
far as their reach and their greatest common divisor tell.
"""

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from accel.copies.elements import CACHED, Leaves, Table
from accel.errors import OverlapError

__all__ = ["names_twice", "refuse_repeated_bytes", "refuse_repeats", "refuse_repeats_in_table"]


def refuse_repeats(target: Leaves) -> None:
    """Raise `OverlapError` if two elements of a target are the same; strides are in elements."""
    if names_twice(target):
        extents, strides = zip(*target, strict=True)
        raise OverlapError(
            f"a target of extents {extents} and strides {strides} (the fastest first) names an element twice, and one "
            f"cannot keep two values; write to a layout without overlap, or copy the target first"
        )


def refuse_repeats_in_table(table: Table) -> None:
    """Raise `OverlapError` if an offset is in a target's table twice."""
    if not table.size:
        return
    low = int(table.min())
    named = np.zeros(int(table.max()) - low + 1, np.bool_)  # to sort the offsets takes longer than most copies
    named[table - low] = True
    if np.count_nonzero(named) < table.size:
        offsets, counts = np.unique(table, return_counts=True)
        found = int(offsets[counts > 1][0])
        raise OverlapError(f"the target's table names the element at offset {found} twice; write each element once")


def refuse_repeated_bytes(target: Leaves, itemsize: int) -> None:
    """Raise `OverlapError` if two elements of a target share a byte; strides are in bytes."""
    if all(stride % itemsize == 0 for _, stride in target):
        refuse_repeats(target)
    else:  # an element may begin inside another, so it counts as a row of bytes
        refuse_repeats(((itemsize, 1), *target))


@lru_cache(CACHED)
def names_twice(leaves: Leaves) -> bool:
    """Tell whether two coordinates have the same offset."""
    if any(extent == 0 for extent, _ in leaves):
        return False
    rising = sorted((abs(stride), extent) for extent, stride in leaves if extent > 1)
    if rising and rising[0][0] == 0:
        return True
    levels = [_Level(0, 1, 0, 0)]
    for stride, extent in rising:
        below = levels[-1]
        levels.append(_Level(stride, extent, below.reach + (extent - 1) * stride, math.gcd(below.divisor, stride)))
    if all(level.stride > below.reach for below, level in pairwise(levels)):
        return False
    return _leads_back(levels)


class _Level(NamedTuple):
    """A stride and its extent, and what it and all shorter ones together reach and divide."""

    stride: int
    extent: int
    reach: int
    divisor: int


def _leads_back(levels: list[_Level]) -> bool:
    @cache
    def cancels(top: int, distance: int) -> bool:
        """Tell whether the shortest strides, so many of them, can go a distance."""
        if abs(distance) > levels[top].reach or distance % levels[top].divisor:
            return False
        if distance == 0 or top == 1:
            return True
        return any(cancels(top - 1, distance - go) for go in _goes(levels[top - 1], levels[top], distance))

    return any(
        cancels(top - 1, go) for top in range(2, len(levels)) for go in _goes(levels[top - 1], levels[top], 0) if go > 0
    )


def _goes(below: _Level, level: _Level, distance: int) -> Iterator[int]:
    """Yield how far one stride may go of a distance, so that what is left is within reach of the shorter ones."""
    # What is left must be a multiple of their divisor, and so steps * stride = distance modulo that.
    period = below.divisor // level.divisor
    residue = distance // level.divisor * pow(level.stride // level.divisor, -1, period)
    first = max(-((below.reach - distance) // level.stride), 1 - level.extent)
    last = min((distance + below.reach) // level.stride, level.extent - 1)
    for steps in range(first + (residue - first) % period, last + 1, period):
        yield steps * level.stride
