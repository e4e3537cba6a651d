"""Boxes: the indices that a map reaches, if each axis is stepped over by itself, as by slices and integers.

Where a view of a written array lies within what was written, its elements are those of the value; where it is apart
from that, those of the array before. So most reads of arrays that are filled part by part need no memory.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from accel.fusion.index_maps import Axis, IndexMap

__all__ = ["Box", "Ends", "are_apart", "box_of", "covers", "ends_of", "ends_of_box", "is_apart", "union", "within"]


class Span(NamedTuple):
    """Indices along one axis: ``start + step * index``; ``axis`` is that of the view, None for a single index."""

    start: int
    step: int
    extent: int
    axis: int | None


Box: TypeAlias = tuple[Span, ...]

Ends: TypeAlias = tuple[tuple[int, int], ...]
"""The first and the last index along each axis."""


def box_of(index_map: IndexMap, shape: Sequence[int]) -> Box | None:
    """Return the box of a view's map and shape; None if it is none, or if it is empty."""
    spans, used = [], set()
    for start, steps, turn in index_map:
        if turn is not None:
            return None
        if not steps:
            spans.append(Span(start, 1, 1, None))
            continue
        (axis, step), *others = steps
        if others or axis in used or not shape[axis]:
            return None
        used.add(axis)
        spans.append(Span(start, step, shape[axis], axis))
    return tuple(spans)


def within(view: Box, written: Box, rank: int) -> IndexMap | None:
    """Return the map from a view to the value that was written, which has so many axes; None if part is not written."""
    axes = [Axis()] * rank
    for one, other in zip(view, written, strict=True):
        first, odd = divmod(one.start - other.start, other.step)
        pace, uneven = divmod(one.step, other.step) if one.extent > 1 else (0, 0)
        last = first + pace * (one.extent - 1)
        if odd or uneven or not (min(first, last) >= 0 and max(first, last) < other.extent):
            return None
        if other.axis is not None:
            axes[other.axis] = Axis(first, ((one.axis, pace),) if one.axis is not None and pace else ())
    return tuple(axes)


def is_apart(view: Box, written: Box) -> bool:
    """Tell whether a view has no element that was written."""
    return any(_are_apart(one, other) for one, other in zip(view, written, strict=True))


def _are_apart(one: Span, other: Span) -> bool:
    low, high = _ends(one)
    first, last = _ends(other)
    if high < first or last < low:
        return True
    return abs(one.step) == abs(other.step) and one.extent > 1 < other.extent and (low - first) % abs(one.step) != 0


def _ends(span: Span) -> tuple[int, int]:
    last = span.start + span.step * (span.extent - 1)
    return min(span.start, last), max(span.start, last)


def covers(written: Box, before: Box) -> bool:
    """Tell whether everything in a box was written again."""
    rank = 1 + max([-1, *(span.axis for span in written if span.axis is not None)])
    return within(before, written, rank) is not None


def ends_of(index_map: IndexMap, shape: Sequence[int]) -> Ends:
    """Return the ends of what a map reaches from a shape."""
    ends = []
    for start, steps, turn in index_map:
        low = high = start
        if turn is not None:
            low, high = sorted((turn.first, turn.first + turn.pace * (turn.extent - 1)))
        for axis, step in steps if turn is None else ():
            reach = step * (shape[axis] - 1)
            low, high = (low, high + reach) if reach > 0 else (low + reach, high)
        ends.append((low, high))
    return tuple(ends)


def ends_of_box(box: Box) -> Ends:
    """Return the ends of a box."""
    return tuple(map(_ends, box))


def are_apart(one: Ends, other: Ends) -> bool:
    """Tell whether there is no index between the ends of both."""
    for (low, high), (first, last) in zip(one, other, strict=True):  # noqa: SIM110 - it is called most, and any() is slow
        if last < low or high < first:
            return True
    return False


def union(one: Ends, other: Ends) -> Ends:
    """Return the ends of both together."""
    return tuple([(min(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)])
