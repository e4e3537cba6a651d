"""How far from the first one elements lie, under a swizzle or not: by integers, and exactly.

A swizzle changes the lowest bits of a distance alone, so that each distance stays within its run of so many. The lowest
element is among those whose distance is in the lowest run, and the highest among those in the highest; only these are
counted out.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from accel.abc import Swizzling
from accel.errors import BoundsError, LayoutError

__all__ = ["CACHED", "Leaves", "Reach", "reach", "swept", "swizzled_reach", "whole_runs"]

CACHED = 4096
"""How many answers about leaves are remembered."""

_FEW, _MANY = 1 << 12, 1 << 20
"""How many distances are counted out in no time, and how many at most, which takes half a second and 100 MiB."""

Leaves = tuple[tuple[int, int], ...]
"""Extent and stride of each loop, the fastest first."""


class Reach(NamedTuple):
    """How many elements there are, and offsets between which they lie."""

    size: int
    low: int
    high: int


@lru_cache(CACHED)
def reach(leaves: Leaves) -> Reach:
    """Return how many elements leaves have, and how far from the first one they lie."""
    size, low, high = 1, 0, 0
    for extent, stride in leaves:
        size *= extent
        low += min((extent - 1) * stride, 0)
        high += max((extent - 1) * stride, 0)
    return Reach(size, low, high) if size else Reach(0, 0, 0)


def swept(places: int, stride: int, steps: int) -> int:
    """Return the places, a bit for each, that up to so many steps of a stride forwards lead to from given ones."""
    done = 0
    while done < steps:
        more = min(done + 1, steps - done)
        places |= places << more * stride
        done += more
    return places


@lru_cache(CACHED)
def whole_runs(leaves: Leaves, swizzle: Swizzling) -> Reach:
    """Return how many elements leaves under a swizzle have, and whole runs between which all of them lie."""
    size, low, high = reach(leaves)
    first, last, run = swizzle.offset + low, swizzle.offset + high, swizzle.run
    return Reach(size, first - first % run, last - last % run + run - 1)


@lru_cache(CACHED)
def swizzled_reach(leaves: Leaves, swizzle: Swizzling, most: int) -> Reach:
    """Return how many elements leaves under a swizzle have, and between which distances they lie.

    Parameters
    ----------
    leaves : Leaves
        What leads to the distances that are swizzled.
    swizzle : Swizzling
        Of distances in elements.
    most : int
        How many different elements there may be at most.

    Raises
    ------
    BoundsError
        If there are many more.
    LayoutError
        If the swizzle exchanges elements so far apart that they are too many to be counted out.
    """
    size, low, high = reach(leaves)
    if not size:
        return Reach(0, 0, 0)
    first, last, run = swizzle.offset + low, swizzle.offset + high, swizzle.run
    near = _sums(leaves, max(run - first % run, last % run + 1), swizzle, most)
    # No element of memory is farther away than 64 bits reach; only to say how far it is takes Python's integers.
    kind = np.int64 if max(abs(first), abs(last)) < 1 << 62 else object
    steps = np.array([*near], kind)
    found = swizzle._replace(offset=0)  # which is in both ends already
    return Reach(size, int(found(first + steps).min()), int(found(last - steps).max()))


def _sums(leaves: Leaves, bound: int, swizzle: Swizzling, most: int) -> set[int]:
    """Return the distances below a bound that the leaves lead from where they reach least far."""
    found, steps = {0}, 0
    for extent, stride in leaves:
        step, done = abs(stride), 1
        while done < extent and 0 < done * step < bound:
            more = min(done, extent - done)  # those there are, moved by so many strides, double the leaf's part
            steps += len(found)
            found |= {distance + more * step for distance in found if distance + more * step < bound}
            done += more
            if len(found) > most and steps > _FEW:
                raise BoundsError(f"more than {most} different elements are required, and {most} available")
            if steps > _MANY:
                raise LayoutError(
                    f"{swizzle} exchanges elements {swizzle.run} apart, and more than {_MANY} of {leaves} lie so "
                    f"near the ends that they would have to be counted out; write a swizzle of lower bits"
                )
    return found
