"""How the elements of an array lie for a reduction: axes that one loop can step over are one."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = ["Layout", "layout_of"]

_MOST = 3
"""Loops of a layout."""


class Layout(NamedTuple):
    """Loops over the elements of an array, longest steps first.

    Attributes
    ----------
    pattern : str
        For each loop ``k`` if it is over elements that are kept apart, ``r`` if these are reduced. Then ``1`` if the
        elements of the last one are neighbours.
    extents, strides : tuple of int
        Of each loop; strides in elements.
    kept : tuple of int
        Extents of the axes that are kept, in the order of the loops.
    order : tuple of int or None
        These axes in the order of the array's; None if that is the same.
    shape, with_ones : tuple of int
        That of the result, and the same with an extent of 1 for each axis that is reduced.
    """

    pattern: str
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    kept: tuple[int, ...]
    order: tuple[int, ...] | None
    shape: tuple[int, ...]
    with_ones: tuple[int, ...]

    def shaped(self, result: Any, *, keepdims: bool) -> Any:
        """Return a result, which has an axis for each loop, with the axes of the array."""
        if self.order is not None:
            result = result.reshape(self.kept).transpose(self.order)
        return result.reshape(self.with_ones if keepdims else self.shape)


def layout_of(array: Any, axis: Any) -> Layout | None:
    """Return the layout of an array that is reduced along an axis, or several, or all; None if there is none."""
    flags = array.flags
    if not flags.aligned or not (axis is None or type(axis) is int or type(axis) is tuple):
        return None
    if axis is None and flags.c_contiguous:
        return Layout("r1", (array.size,), (1,), (), None, (), (1,) * array.ndim)
    return _layout(array.shape, array.strides, array.itemsize, axis)


@lru_cache(1024)
def _layout(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, axis: Any) -> Layout | None:
    rank = len(shape)
    axes = range(rank) if axis is None else axis if type(axis) is tuple else (axis,)
    if not all(type(each) is int and -rank <= each < rank for each in axes):
        return None
    reduced = {each % rank for each in axes}
    if len(reduced) < len(axes) or 0 in shape:
        return None
    order = sorted([each for each in range(rank) if shape[each] > 1], key=lambda each: -abs(strides[each]))
    if any(not strides[each] or strides[each] % itemsize for each in order):
        return None
    steps = [strides[each] // itemsize for each in order]
    loops = _loops([shape[each] for each in order], steps, [each in reduced for each in order])
    if not 0 < len(loops) <= _MOST or not any(is_reduced for _, _, is_reduced in loops):
        return None
    pattern = "".join(["kr"[is_reduced] for _, _, is_reduced in loops]) + ("1" if loops[-1][1] == 1 else "")
    kept = [each for each in order if each not in reduced]
    return Layout(
        pattern,
        tuple([extent for extent, _, _ in loops]),
        tuple([step for _, step, _ in loops]),
        tuple([shape[each] for each in kept]),
        None if kept == sorted(kept) else tuple([kept.index(each) for each in sorted(kept)]),
        tuple([extent for each, extent in enumerate(shape) if each not in reduced]),
        tuple([1 if each in reduced else extent for each, extent in enumerate(shape)]),
    )


def _loops(extents: Sequence[int], steps: Sequence[int], reduced: Sequence[bool]) -> list[tuple[int, int, bool]]:
    """Return the extent and the step of each loop, and whether it reduces."""
    loops: list[tuple[int, int, bool]] = []
    for extent, step, is_reduced in zip(extents, steps, reduced, strict=True):
        if loops and loops[-1][1] == step * extent and loops[-1][2] is is_reduced:
            loops[-1] = loops[-1][0] * extent, step, is_reduced
        else:
            loops.append((extent, step, is_reduced))
    return loops
