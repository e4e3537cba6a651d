"""Basic indices, shapes and orders of axes as index maps."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from accel.fusion.index_maps import Axis, IndexMap

__all__ = ["is_basic", "reshaped_extents", "selection", "split"]

_BASIC = (int, np.integer, slice, type(None), type(...))


def is_basic(key: Any) -> bool:
    """Tell whether an index is made of integers, slices, None and an ellipsis."""
    parts = key if type(key) is tuple else (key,)
    return all(isinstance(part, _BASIC) and not isinstance(part, bool) for part in parts)


def selection(shape: Sequence[int], key: Any) -> tuple[IndexMap, tuple[int, ...]]:
    """Return the map and the shape of what a basic index selects.

    Raises
    ------
    IndexError
        If an integer is out of range, or there are too many.
    """
    parts = key if type(key) is tuple else (key,)
    others = [part for part in parts if part is None or part is ...]
    taken = len(parts) - len(others)
    if taken > len(shape) or others.count(...) > 1:
        np.empty((0,) * len(shape))[parts]  # refused in NumPy's words
    if ... not in others:
        parts = (*parts, ...)
    axes: list[Axis] = []
    extents: list[int] = []
    for part in parts:
        if isinstance(part, slice):
            start, stop, step = part.indices(shape[len(axes)])
            axes.append(Axis(start, ((len(extents), step),)))
            extents.append(len(range(start, stop, step)))
        elif part is None:
            extents.append(1)
        elif part is ...:
            for _ in range(len(shape) - taken):
                axes.append(Axis(0, ((len(extents), 1),)))
                extents.append(shape[len(axes) - 1])
        else:
            axes.append(Axis(_index(int(part), shape, len(axes))))
    return tuple(axes), tuple(extents)


def _index(index: int, shape: Sequence[int], axis: int) -> int:
    extent = shape[axis]
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return index % extent


def reshaped_extents(size: int, shape: Any) -> tuple[int, ...]:
    """Return a shape with its extent of -1 replaced.

    Raises
    ------
    ValueError
        If an array of this size has no such shape.
    """
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    model: Any = np.broadcast_to(np.zeros(()), (size,))
    found: tuple[int, ...] = model.reshape(extents).shape
    return found


def split(shape: Sequence[int], target: Sequence[int]) -> IndexMap | None:
    """Return the map of a reshape that only splits axes, and adds or removes those of extent 1; None for any other."""
    if 0 in shape:
        return None
    axes, place = [], 0
    for extent in shape:
        count, first = 1, place
        while count < extent and place < len(target):
            count *= target[place]
            place += 1
        if count != extent:
            return None
        steps = [(axis, prod(target[axis + 1 : place])) for axis in range(first, place)]
        axes.append(Axis(0, tuple(steps)))
    return tuple(axes) if all(extent == 1 for extent in target[place:]) else None
