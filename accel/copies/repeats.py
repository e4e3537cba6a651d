"""Whether leaves name an element twice: exactly, within a bound on the time, or not at all.

They do if some steps, not all of them zero, lead back to where they began: ``sum(d * stride) = 0`` with every ``|d|``
below the extent. To decide that is as hard as to find subsets of equal sum, so there are several ways. Nearly all
leaves are settled by the first two; the others are for strides that nearly cancel one another.

1. Where each stride is longer than all that the shorter ones reach together, no steps lead back.
2. Where there are more coordinates than places between the ends, some do.
3. A bit for each place between the ends: a leaf whose steps name as many places as it has coordinates names none twice.
4. Steps that lead back do so modulo one of the strides. Where the remainders of the others together reach less far than
   that, they lead back themselves, so that it is enough if they do not.
5. The leaves are shared out between two sides, the longest strides to one and the shortest to the other. Each side has
   the distances that its steps lead, as far as the leaves that it has not can make up for them: by their reach, and by
   their greatest common divisor. Steps lead back if they do so on one side alone, or if both sides have a distance in
   common. The side that grows less takes the next leaf.
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
"""How many distances the two sides look at in all, how many others it takes to begin with a leaf, and how many times as
long it takes where they need more than 64 bits."""

_SOON, _LATE = 1 << 16, 1 << 26
"""For how many places there are bits before all that is below, and when nothing else has helped."""

_FEW = 64
"""Of how many leaves remainders are looked at."""


@lru_cache(CACHED)
def names_twice(leaves: Leaves) -> bool:
    """Tell whether two coordinates have the same offset.

    Raises
    ------
    LayoutError
        If that is not found out within the bounds.
    """
    if any(extent == 0 for extent, _ in leaves):
        return False
    rising = sorted([(abs(stride), extent - 1) for extent, stride in leaves if extent > 1])
    if rising and rising[0][0] == 0:
        return True
    if _nested(rising):
        return False
    loops = _merged(rising)
    found = True if _crowded(loops) else _searched(loops)
    if found is None:
        raise LayoutError(
            f"whether extents and strides {leaves} name an element twice was not found out in {_STEPS} steps, because "
            f"the strides nearly cancel one another; write to a layout in which each stride is a multiple of a shorter "
            f"one, or to contiguous memory"
        )
    return found


class _Loop(NamedTuple):
    """A stride, and how many steps of it there are, either way."""

    stride: int
    steps: int


class _Rest(NamedTuple):
    """How far some loops reach together, and what divides wherever they lead; 0 of none."""

    reach: int
    divisor: int

    def with_loop(self, loop: _Loop) -> "_Rest":
        return _Rest(self.reach + loop.stride * loop.steps, math.gcd(self.divisor, loop.stride))


def _rests(loops: list[_Loop]) -> list[_Rest]:
    """Return what the first loops are together: none, one, two, and so on."""
    found = [_Rest(0, 0)]
    for loop in loops:
        found.append(found[-1].with_loop(loop))
    return found


def _nested(rising: Sequence[tuple[int, int]]) -> bool:
    """Tell whether each stride is longer than all that the ones before it reach together."""
    reach = 0
    for stride, steps in rising:
        if stride <= reach:
            return False
        reach += steps * stride
    return True


def _merged(rising: list[tuple[int, int]]) -> list[_Loop]:
    """Return the fewest loops that lead to the same places as often, in units of what divides all strides."""
    unit = math.gcd(*[stride for stride, _ in rising])
    found: list[_Loop] = []
    for stride, steps in rising:
        last = found[-1] if found else _Loop(0, 0)
        if stride == last.stride * (last.steps + 1) * unit:
            found[-1] = _Loop(last.stride, (last.steps + 1) * (steps + 1) - 1)
        else:
            found.append(_Loop(stride // unit, steps))
    return found


def _crowded(loops: list[_Loop]) -> bool:
    """Tell whether the shortest loops, so many of them, have more coordinates than places."""
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
    found = _by_two_sides(loops)
    return found if found is not None or places > _LATE else _by_bits(loops)


def _by_bits(loops: list[_Loop]) -> bool:
    named, size = 1, 1
    for stride, steps in loops:
        named, size = swept(named, stride, steps), size * (steps + 1)
        if named.bit_count() < size:
            return True
    return False


def _apart(loops: list[_Loop]) -> bool:
    """Tell that no steps lead back, if that is seen from remainders of remainders, and so on."""
    if _nested(loops):
        return True
    if _rests(loops)[-1].reach < _SOON:
        return not _by_bits(loops)
    for modulus, _ in loops if len(loops) <= _FEW else ():
        rests = [_Loop(abs((stride + modulus // 2) % modulus - modulus // 2), steps) for stride, steps in loops]
        others = sorted(rests)[1:]  # the first is of the modulus itself
        if others[0].stride and sum([stride * steps for stride, steps in others]) < modulus:
            return _apart(others)
    return False


def _by_two_sides(loops: list[_Loop]) -> bool | None:
    below, above = _rests(loops), _rests(loops[::-1])[::-1]
    # Python's integers where a sum may need more than 64 bits.
    kind, cost = (np.int64, 1) if below[-1].reach < 1 << 61 else (object, _SLOW)
    short, long = np.array([], kind), np.array([], kind)
    first, last, left = 0, len(loops), _STEPS
    while first < last:
        growing = _expected(short, loops[first], above[first + 1]), _expected(long, loops[last - 1], below[last - 1])
        left -= _ROUND + min(growing) * cost
        if left < 0:
            return _meet(short, long) or None  # the loops in between may stand still
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
    """Return how many distances a side looks at to take a loop, at most."""
    ways = min(2 * loop.steps, 2 * rest.reach // loop.stride) // _period(loop, rest) + 1
    return (side.size + 1) * ways


def _period(loop: _Loop, rest: _Rest) -> int:
    """Return after how many steps of a loop the rest can make up for the distance again."""
    return rest.divisor // math.gcd(rest.divisor, loop.stride) or 1  # without a rest only 0 is left, which reach tells


def _grown(side: _Distances, loop: _Loop, rest: _Rest) -> _Distances:
    """Return the distances that a side leads with one loop more, as far as the rest can make up for them.

    They are in order and without a sign, for each is led both ways. That of no steps at all is not among them, so that
    a 0 is of steps that lead back.
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
    found = np.abs(led[moved])
    found.sort()  # `numpy.unique` takes fifty times as long
    others: _Distances = found[np.concatenate([found[:1] >= 0, found[1:] != found[:-1]])]
    return others


def _residues(origin: _Distances, stride: int, period: int) -> _Distances:
    """Return how many steps lead from each distance to a multiple of a period to which the stride has no divisor."""
    if period == 1:
        return np.zeros_like(origin)
    inverse = pow(stride, -1, period)
    wide = origin if period < 1 << 31 else origin.astype(object)
    return (-wide % period * inverse % period).astype(origin.dtype)
