"""Index maps: which element of an array each element of a view of it is. They are exact.

A map has an `Axis` for each axis of the array that is viewed: a first index, and how far each axis of the view steps.
Slices, flips, transpositions and broadcasts are such maps, and so are maps of maps. An axis that is rolled turns: after
its last index comes the first one.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

__all__ = [
    "Axis",
    "IndexMap",
    "Turn",
    "broadcast",
    "composed",
    "composes",
    "identity",
    "merged",
    "of_operand",
    "offset_and_strides",
    "strides_of",
]


class Turn(NamedTuple):
    """What an axis does at its end: the index is ``first + pace * (number % extent)``, as in `roll`.

    Attributes
    ----------
    extent : int
        Numbers until it begins again.
    first, pace : int
        The index of the number 0, and how far the next ones are.
    """

    extent: int
    first: int = 0
    pace: int = 1


class Axis(NamedTuple):
    """The index along one axis of the viewed array: ``start + sum(step * index[axis] for axis, step in steps)``.

    Attributes
    ----------
    start : int
        The index of the view's first element.
    steps : tuple of (int, int)
        Axes of the view, in order, each with its step, which is not 0.
    turn : Turn or None
        If the axis turns, this says which index such a number is; there is one step then, of 1 or -1.
    """

    start: int = 0
    steps: tuple[tuple[int, int], ...] = ()
    turn: Turn | None = None


IndexMap: TypeAlias = tuple[Axis, ...]


@lru_cache(4096)
def identity(shape: tuple[int, ...]) -> IndexMap:
    """Return the map of a view that is the whole array; along axes of extent 1 there are no steps, as in every map."""
    return tuple([Axis() if extent == 1 else Axis(0, ((axis, 1),)) for axis, extent in enumerate(shape)])


def composed(inner: IndexMap, outer: IndexMap) -> IndexMap:
    """Return the map of a view of a view: ``inner`` leads from the first view to the array, ``outer`` to that view."""
    axes = [_composed(each, outer) if len(each.steps) > 1 or each.turn else _stepped(each, outer) for each in inner]
    assert None not in axes, "the caller asks whether there is such a map, where axes turn"
    return tuple(axes)  # type: ignore[arg-type]


def composes(inner: IndexMap, outer: IndexMap) -> bool:
    """Tell whether there is a map of a view of a view; there is, unless axes turn."""
    return all(_composed(each, outer) is not None for each in inner)


def _composed(inner: Axis, outer: IndexMap) -> Axis | None:
    start, total, turn = inner.start, dict[int, int](), inner.turn
    for axis, step in inner.steps:
        first, others, turned = outer[axis]
        if turned is not None:
            return _turned(inner, outer[axis])
        start += step * first
        for other, pace in others:
            total[other] = total.get(other, 0) + step * pace
    steps = tuple(sorted((axis, step) for axis, step in total.items() if step))
    if turn is None:
        return Axis(start, steps)
    if not steps:
        return Axis(turn.first + turn.pace * (start % turn.extent))
    fits = len(steps) == 1 and abs(steps[0][1]) == 1
    return Axis(start % turn.extent, steps, turn) if fits else None


def _turned(inner: Axis, outer: Axis) -> Axis | None:
    (_, step), *others = inner.steps
    turn = outer.turn
    assert turn is not None, "the axis turns"
    if others:
        return None
    if inner.turn is None:
        return outer._replace(turn=Turn(turn.extent, inner.start + step * turn.first, step * turn.pace))
    if turn != Turn(inner.turn.extent):
        return None
    steps = tuple([(axis, step * pace) for axis, pace in outer.steps])
    return Axis((inner.start + step * outer.start) % turn.extent, steps, inner.turn)


def _stepped(inner: Axis, outer: IndexMap) -> Axis | None:
    """Return a composed axis that has one step, or none, and no turn; most are such."""
    if not inner.steps:
        return inner
    ((axis, step),) = inner.steps
    if step == 1 and not inner.start:
        return outer[axis]
    start, steps, turn = outer[axis]
    if turn is not None:
        return _turned(inner, outer[axis])
    return Axis(inner.start + step * start, tuple([(other, step * pace) for other, pace in steps]))


@lru_cache(4096)
def broadcast(shape: tuple[int, ...], target: tuple[int, ...]) -> IndexMap:
    """Return the map of an array of a shape that is broadcast to another one."""
    behind = len(target) - len(shape)
    return tuple([Axis() if extent == 1 else Axis(0, ((axis + behind, 1),)) for axis, extent in enumerate(shape)])


def of_operand(shape: tuple[int, ...], target: tuple[int, ...], outer: IndexMap) -> IndexMap:
    """Return the map to an operand of a shape that is broadcast to another one, at the places of a map to that."""
    if shape == target or not shape:
        return outer if shape else ()
    return composed(broadcast(shape, target), outer)


def offset_and_strides(index_map: IndexMap, strides: Sequence[int], rank: int) -> tuple[int, tuple[int, ...]]:
    """Return where the view's first element lies in memory, and its strides up to a turn, for an array's strides."""
    offset, totals = 0, [0] * rank
    for (start, steps, turn), stride in zip(index_map, strides, strict=True):
        first, pace = (0, 1) if turn is None else turn[1:]
        offset += (first + pace * start) * stride
        for axis, step in steps:
            totals[axis] += pace * step * stride
    return offset, tuple(totals)


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of memory in C order."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(strides[::-1])


def merged(
    shape: Sequence[int], strides: Sequence[Sequence[int]], *, together: bool = True, alone: int | None = None
) -> list[list[int]]:
    """Return groups of axes over which everything steps as over one, longest steps first; extents of 1 are left out.

    If they are not to be ``together``, each axis is a group; one may be a group ``alone``.
    """
    groups: list[list[int]] = []
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    for axis in sorted(axes, key=lambda axis: -sum(abs(steps[axis]) for steps in strides)):
        extent = shape[axis]
        before = groups[-1][-1] if groups else axis
        joins = together and groups and alone not in (axis, before)
        if joins and all(steps[before] == steps[axis] * extent for steps in strides):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups
