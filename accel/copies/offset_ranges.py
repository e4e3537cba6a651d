"""The range of offsets of some elements, with or without a swizzle: exact, and computed from integers alone.

A swizzle changes only the lowest bits of an offset. So each offset stays in its run: a block of consecutive offsets,
which the swizzle permutes. The lowest element is therefore one of those in the lowest run, and the highest is one of
those in the highest run. Only the elements of these two runs are enumerated.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from accel.abc import Swizzling
from accel.errors import BoundsError, LayoutError

__all__ = ["CACHED", "Leaves", "OffsetRange", "offset_range", "swept", "swizzled_offset_range", "whole_runs"]

CACHED = 4096
"""How many results each cache of this package keeps."""

_FEW, _MANY = 1 << 12, 1 << 20
"""How many offsets are enumerated without counting the cost, and how many at most: half a second, 100 MiB."""

Leaves = tuple[tuple[int, int], ...]
"""Extent and stride of each loop, the fastest first."""


class OffsetRange(NamedTuple):
    """How many elements there are, and the lowest and the highest of their offsets."""

    size: int
    low: int
    high: int


@lru_cache(CACHED)
def offset_range(leaves: Leaves) -> OffsetRange:
    """Return how many elements leaves have, and the range of their offsets from the first one."""
    size, low, high = 1, 0, 0
    for extent, stride in leaves:
        size *= extent
        low += min((extent - 1) * stride, 0)
        high += max((extent - 1) * stride, 0)
    return OffsetRange(size, low, high) if size else OffsetRange(0, 0, 0)


def swept(offsets: int, stride: int, steps: int) -> int:
    """Return the offsets, one bit each, that up to ``steps`` steps of a stride lead to from each of some offsets."""
    done = 0
    while done < steps:
        more = min(done + 1, steps - done)
        offsets |= offsets << more * stride
        done += more
    return offsets


@lru_cache(CACHED)
def whole_runs(leaves: Leaves, swizzle: Swizzling) -> OffsetRange:
    """Return how many elements swizzled leaves have, and the whole runs that contain their offsets."""
    size, low, high = offset_range(leaves)
    first, last, run = swizzle.offset + low, swizzle.offset + high, swizzle.run
    return OffsetRange(size, first - first % run, last - last % run + run - 1)


@lru_cache(CACHED)
def swizzled_offset_range(leaves: Leaves, swizzle: Swizzling, most: int) -> OffsetRange:
    """Return how many elements swizzled leaves have, and the range of their offsets.

    Parameters
    ----------
    leaves : Leaves
        The loops whose offsets are swizzled.
    swizzle : Swizzling
        Of offsets in elements.
    most : int
        How many different elements are available.

    Raises
    ------
    BoundsError
        If many more elements than that are required.
    LayoutError
        If the swizzle permutes such large blocks that too many elements would have to be enumerated.
    """
    size, low, high = offset_range(leaves)
    if not size:
        return OffsetRange(0, 0, 0)
    first, last, run = swizzle.offset + low, swizzle.offset + high, swizzle.run
    near = _sums(leaves, max(run - first % run, last % run + 1), swizzle, most)
    # No element of real memory needs more than 64 bits; Python's integers are for the message about those that do.
    kind = np.int64 if max(abs(first), abs(last)) < 1 << 62 else object
    steps = np.array([*near], kind)
    plain = swizzle._replace(offset=0)  # `first` and `last` contain the offset already
    return OffsetRange(size, int(plain(first + steps).min()), int(plain(last - steps).max()))


def _sums(leaves: Leaves, bound: int, swizzle: Swizzling, most: int) -> set[int]:
    """Return the distances below a bound that the leaves have from their lowest element."""
    sums, steps = {0}, 0
    for extent, stride in leaves:
        step, done = abs(stride), 1
        while done < extent and 0 < done * step < bound:
            more = min(done, extent - done)  # doubles the part of this leaf: the known sums, shifted
            steps += len(sums)
            sums |= {distance + more * step for distance in sums if distance + more * step < bound}
            done += more
            if len(sums) > most and steps > _FEW:
                raise BoundsError(f"more than {most} different elements are required, and {most} available")
            if steps > _MANY:
                raise LayoutError(
                    f"{swizzle} exchanges elements {swizzle.run} apart, and more than {_MANY} elements of {leaves} "
                    f"would have to be enumerated to find its bounds; write a swizzle of lower bits"
                )
    return sums
