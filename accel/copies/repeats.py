"""Decides whether leaves name an element twice: an exact answer within bounded time, or an error.

An element is named twice if some steps, not all zero, sum to zero: ``sum(d * stride) = 0`` with every ``|d|`` below the
extent. This is as hard as finding subsets of equal sum, so there are five methods, from fast to slow. The first two
decide nearly all leaves; the others are for strides that nearly cancel one another.

1. If each stride is longer than the reach of all shorter ones together, no steps sum to zero.
2. If there are more coordinates than offsets between the lowest and the highest, two coordinates share an offset.
3. A bit set of all offsets: after each leaf, there must be as many offsets as coordinates.
4. Steps that sum to zero do so modulo one of the strides. If the remainders of the other strides together reach less
   far than that stride, their steps must sum to zero too. So it is enough to show that they do not.
5. Meet in the middle: the leaves are divided between two sides, the longest strides on one and the shortest on the
   other. Each side holds the sums of its steps, as far as the leaves that it does not hold can cancel them: limited by
   their reach, and by their greatest common divisor. Steps sum to zero if they do on one side alone, or if both sides
   hold an equal sum. The side that grows less takes the next leaf.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.copies.offset_ranges import CACHED, Leaves, swept
from accel.errors import LayoutError

__all__ = ["names_twice"]

_Distances = np.ndarray[Any, np.dtype[Any]]

_STEPS, _ROUND, _SLOW = 1 << 18, 1 << 10, 16
"""Limits of method 5: the sums that both sides may examine, the cost of a round in sums, and the cost of a sum that
needs more than 64 bits."""

_SOON, _LATE = 1 << 16, 1 << 26
"""Up to how many offsets the bit set is used: before methods 4 and 5, and after both have failed."""

_FEW = 64
"""Up to how many leaves method 4 is used."""


@lru_cache(CACHED)
def names_twice(leaves: Leaves) -> bool:
    """Tell whether two coordinates have the same offset.

    Raises
    ------
    LayoutError
        If no method decides it within its limits.
    """
    if any(extent == 0 for extent, _ in leaves):
        return False
    rising = sorted([(abs(stride), extent - 1) for extent, stride in leaves if extent > 1])
    if rising and rising[0][0] == 0:
        return True
    if _nested(rising):
        return False
    loops = _merged(rising)
    twice = True if _crowded(loops) else _searched(loops)
    if twice is None:
        raise LayoutError(
            f"whether extents and strides {leaves} name an element twice was not found out in {_STEPS} steps, because "
            f"the strides nearly cancel one another; write to a layout in which each stride is a multiple of a shorter "
            f"one, or to contiguous memory"
        )
    return twice


class _Loop(NamedTuple):
    """A stride, and how many steps of it there are, forwards or backwards."""

    stride: int
    steps: int


class _Rest(NamedTuple):
    """The reach of some loops together, and the greatest common divisor of their strides; 0 for no loops."""

    reach: int
    divisor: int

    def with_loop(self, loop: _Loop) -> "_Rest":
        return _Rest(self.reach + loop.stride * loop.steps, math.gcd(self.divisor, loop.stride))


def _rests(loops: list[_Loop]) -> list[_Rest]:
    """Return the rest that the first 0, 1, 2, ... loops form."""
    rests = [_Rest(0, 0)]
    for loop in loops:
        rests.append(rests[-1].with_loop(loop))
    return rests


def _nested(rising: Sequence[tuple[int, int]]) -> bool:
    """Tell whether each stride is longer than the reach of all strides before it together."""
    reach = 0
    for stride, steps in rising:
        if stride <= reach:
            return False
        reach += steps * stride
    return True


def _merged(rising: list[tuple[int, int]]) -> list[_Loop]:
    """Return the fewest loops with the same offsets, each as often, divided by the common divisor of the strides."""
    unit = math.gcd(*[stride for stride, _ in rising])
    merged: list[_Loop] = []
    for stride, steps in rising:
        last = merged[-1] if merged else _Loop(0, 0)
        if stride == last.stride * (last.steps + 1) * unit:
            merged[-1] = _Loop(last.stride, (last.steps + 1) * (steps + 1) - 1)
        else:
            merged.append(_Loop(stride // unit, steps))
    return merged


def _crowded(loops: list[_Loop]) -> bool:
    """Tell whether some number of the shortest loops have more coordinates than offsets."""
    size = 1
    for loop, (reach, divisor) in zip(loops, _rests(loops)[1:], strict=True):
        size *= loop.steps + 1
        if size > reach // divisor + 1:
            return True
    return False


def _searched(loops: list[_Loop]) -> bool | None:
    places = _rests(loops)[-1].reach + 1
    if places <= _SOON:
        return _by_bits(loops)
    if _apart(loops):
        return False
    twice = _by_two_sides(loops)
    return twice if twice is not None or places > _LATE else _by_bits(loops)


def _by_bits(loops: list[_Loop]) -> bool:
    named, size = 1, 1
    for stride, steps in loops:
        named, size = swept(named, stride, steps), size * (steps + 1)
        if named.bit_count() < size:
            return True
    return False


def _apart(loops: list[_Loop]) -> bool:
    """Tell whether method 4, applied to remainders again and again, shows that no steps sum to zero."""
    if _nested(loops):
        return True
    if _rests(loops)[-1].reach < _SOON:
        return not _by_bits(loops)
    for modulus, _ in loops if len(loops) <= _FEW else ():
        rests = [_Loop(abs((stride + modulus // 2) % modulus - modulus // 2), steps) for stride, steps in loops]
        others = sorted(rests)[1:]  # the first is the remainder of the modulus itself
        if others[0].stride and sum([stride * steps for stride, steps in others]) < modulus:
            return _apart(others)
    return False


def _by_two_sides(loops: list[_Loop]) -> bool | None:
    below, above = _rests(loops), _rests(loops[::-1])[::-1]
    # Python's integers where a sum may need more than 64 bits.
    kind, cost = (np.int64, 1) if below[-1].reach < 1 << 61 else (object, _SLOW)
    short, long = np.array([], kind), np.array([], kind)
    first, last, remaining = 0, len(loops), _STEPS
    while first < last:
        growing = _expected(short, loops[first], above[first + 1]), _expected(long, loops[last - 1], below[last - 1])
        remaining -= _ROUND + min(growing) * cost
        if remaining < 0:
            return _meet(short, long) or None  # an equal sum proves it, with no steps of the loops in between
        if growing[0] < growing[1]:
            short = _grown(short, loops[first], above[first + 1])
            first += 1
        else:
            long = _grown(long, loops[last - 1], below[last - 1])
            last -= 1
        if 0 in short[:1] or 0 in long[:1]:
            return True
    return _meet(short, long)


def _meet(short: _Distances, long: _Distances) -> bool:
    both = np.concatenate([short, long])
    both.sort()
    return bool((both[1:] == both[:-1]).any())


def _expected(side: _Distances, loop: _Loop, rest: _Rest) -> int:
    """Return how many sums a side examines at most when it takes a loop."""
    choices = min(2 * loop.steps, 2 * rest.reach // loop.stride) // _period(loop, rest) + 1
    return (side.size + 1) * choices


def _period(loop: _Loop, rest: _Rest) -> int:
    """Return after how many steps of a loop the rest can cancel the sum again."""
    return rest.divisor // math.gcd(rest.divisor, loop.stride) or 1  # without a rest only 0 cancels, as its reach says


def _grown(side: _Distances, loop: _Loop, rest: _Rest) -> _Distances:
    """Return the sums of a side with one more loop, as far as the rest can cancel them.

    They are sorted and without a sign, since each occurs with both signs. The sum of no steps is left out, so a 0 means
    that some steps sum to zero.
    """
    stride, period = loop.stride, _period(loop, rest)
    common = math.gcd(rest.divisor, stride)
    origin = np.concatenate([np.zeros(1, side.dtype), side])
    origin = origin[origin % common == 0]
    low = np.maximum(-((rest.reach + origin) // stride), -loop.steps)
    low += (_residues(origin // common, stride // common, period) - low) % period
    high = np.minimum((rest.reach - origin) // stride, loop.steps)
    count = np.maximum((high - low) // period + 1, 0).astype(np.int64)
    nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    steps = np.repeat(low, count) + nth.astype(side.dtype) * period
    led = np.repeat(origin, count) + steps * stride
    moved = steps != 0
    moved[count[0] :] = True
    sums = np.abs(led[moved])
    sums.sort()  # `numpy.unique` takes fifty times as long
    others: _Distances = sums[np.concatenate([sums[:1] >= 0, sums[1:] != sums[:-1]])]
    return others


def _residues(origin: _Distances, stride: int, period: int) -> _Distances:
    """Return how many steps lead from each sum to a multiple of a period that is coprime to the stride."""
    if period == 1:
        return np.zeros_like(origin)
    inverse = pow(stride, -1, period)
    wide = origin if period < 1 << 31 else origin.astype(object)
    return (-wide % period * inverse % period).astype(origin.dtype)
