"""Boxes: which elements of a root a store covers."""

from math import prod

__all__ = [
    "Box",
    "box_of",
    "covers",
    "everything",
    "extents",
    "intersection",
    "is_empty",
    "overlap",
    "volume",
    "without",
]

Box = tuple[tuple[int, int], ...]
"""The first index and the index past the last one, for each axis of a root."""

_PAST_ALL = 1 << 63


def box_of(shape: tuple[int, ...]) -> Box:
    """Return the box of all elements of a shape."""
    return tuple([(0, extent) for extent in shape])


def everything(ndim: int) -> Box:
    """Return a box that covers every box: that of a root whose shape is not known yet."""
    return ((0, _PAST_ALL),) * ndim


def overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes of one root have an element in common; an empty box has none."""
    for (low, high), (first, past) in zip(one, other):  # noqa: B905 - strict= costs a fifth of it
        if low >= past or first >= high or low >= high or first >= past:
            return False
    return True


def intersection(one: Box, other: Box) -> Box:
    """Return the elements that two overlapping boxes have in common."""
    return tuple([(max(low, first), min(high, past)) for (low, high), (first, past) in zip(one, other, strict=True)])


def covers(outer: Box, inner: Box) -> bool:
    """Tell whether one box of a root contains another."""
    return all(low <= first and past <= high for (low, high), (first, past) in zip(outer, inner, strict=True))


def is_empty(box: Box) -> bool:
    """Tell whether a box has no elements."""
    for low, high in box:  # noqa: SIM110 - `any` of a generator takes twice the time
        if low >= high:
            return True
    return False


def without(box: Box, removed: Box) -> list[Box]:
    """Return boxes, disjoint, of the elements of a box that another one does not have."""
    if not overlap(box, removed):
        return [box]
    rest: list[Box] = []
    inner = list(box)
    for axis, ((low, high), (first, past)) in enumerate(zip(box, removed, strict=True)):
        outside = [ends for ends in ((low, first), (past, high)) if ends[0] < ends[1]]
        rest += [(*inner[:axis], ends, *inner[axis + 1 :]) for ends in outside]
        inner[axis] = max(low, first), min(high, past)
    return rest


def extents(box: Box) -> tuple[int, ...]:
    """Return the number of indices along each axis."""
    return tuple([high - low for low, high in box])


def volume(box: Box) -> int:
    """Return the number of elements."""
    return prod([high - low for low, high in box])
