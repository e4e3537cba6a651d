"""Index maps: which element of an array each element of a view of it is. They are affine, and exact.

A map has an `Axis` for each axis of the array that is viewed: a first index, and how far each axis of the view steps.
Slices, flips, transpositions and broadcasts are such maps, and so are maps of maps.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple, TypeAlias

__all__ = ["Axis", "IndexMap", "broadcast", "composed", "identity", "merged", "offset_and_strides", "strides_of"]


class Axis(NamedTuple):
    """The index along one axis of the viewed array: ``start + sum(step * index[axis] for axis, step in steps)``.

    Attributes
    ----------
    start : int
        The index of the view's first element.
    steps : tuple of (int, int)
        Axes of the view, in order, each with its step, which is not 0.
    """

    start: int = 0
    steps: tuple[tuple[int, int], ...] = ()


IndexMap: TypeAlias = tuple[Axis, ...]


@lru_cache(4096)
def identity(shape: tuple[int, ...]) -> IndexMap:
    """Return the map of a view that is the whole array; along axes of extent 1 there are no steps, as in every map."""
    return tuple([Axis() if extent == 1 else Axis(0, ((axis, 1),)) for axis, extent in enumerate(shape)])


def composed(inner: IndexMap, outer: IndexMap) -> IndexMap:
    """Return the map of a view of a view: ``inner`` leads from the first view to the array, ``outer`` to that view."""
    axes = []
    for each in inner:
        start, steps = each
        if len(steps) < 2:  # most are such
            axes.append(_stepped(start, *steps[0], outer) if steps else each)
            continue
        total: dict[int, int] = {}
        for axis, step in steps:
            first, others = outer[axis]
            start += step * first
            for other, pace in others:
                total[other] = total.get(other, 0) + step * pace
        axes.append(Axis(start, tuple(sorted((axis, step) for axis, step in total.items() if step))))
    return tuple(axes)


def _stepped(start: int, axis: int, step: int, outer: IndexMap) -> Axis:
    if step == 1 and not start:
        return outer[axis]
    first, steps = outer[axis]
    return Axis(start + step * first, tuple([(other, step * pace) for other, pace in steps]))


@lru_cache(4096)
def broadcast(shape: tuple[int, ...], target: tuple[int, ...]) -> IndexMap:
    """Return the map of an array of a shape that is broadcast to another one."""
    behind = len(target) - len(shape)
    return tuple([Axis() if extent == 1 else Axis(0, ((axis + behind, 1),)) for axis, extent in enumerate(shape)])


def offset_and_strides(index_map: IndexMap, strides: Sequence[int], rank: int) -> tuple[int, tuple[int, ...]]:
    """Return where the view's first element lies in memory, and its strides, for an array's strides."""
    offset, totals = 0, [0] * rank
    for (start, steps), stride in zip(index_map, strides, strict=True):
        offset += start * stride
        for axis, step in steps:
            totals[axis] += step * stride
    return offset, tuple(totals)


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of memory in C order."""
    return tuple([prod(shape[axis + 1 :]) for axis in range(len(shape))])


def merged(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return groups of axes over which everything steps as over one, longest steps first; extents of 1 are left out."""
    groups: list[list[int]] = []
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    for axis in sorted(axes, key=lambda axis: -sum(abs(steps[axis]) for steps in strides)):
        extent = shape[axis]
        if groups and all(steps[groups[-1][-1]] == steps[axis] * extent for steps in strides):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups
