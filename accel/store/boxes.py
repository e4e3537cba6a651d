"""Boxes: which elements of a root a store covers."""

from math import prod

__all__ = ["Box", "box_of", "covers", "everything", "extents", "overlap", "volume"]

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
    return all(max(first, low) < min(past, high) for (low, high), (first, past) in zip(one, other, strict=True))


def covers(outer: Box, inner: Box) -> bool:
    """Tell whether one box of a root contains another."""
    return all(low <= first and past <= high for (low, high), (first, past) in zip(outer, inner, strict=True))


def extents(box: Box) -> tuple[int, ...]:
    """Return the number of indices along each axis."""
    return tuple([high - low for low, high in box])


def volume(box: Box) -> int:
    """Return the number of elements."""
    return prod([high - low for low, high in box])
