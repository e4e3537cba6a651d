"""Parts of a tensor by ranges and coordinates."""

from operator import index
from typing import Any

from accel.errors import BoundsError, LayoutError
from accel.layout import Layout
from accel.layout.coordinates import bounded, crd2idx_of_shape, evaluated, fitted
from accel.layout.layout import joined
from accel.views.checks import as_whole, position
from accel.views.geometry import Geometry, Moved, clamped, cut

__all__ = ["chosen", "key_of", "located", "refuse_other_rank", "sliced", "stretch"]


def refuse_other_rank(found: Geometry, key: tuple[Any, ...]) -> None:
    """Raise `BoundsError` if there is not one coordinate for each mode."""
    if len(key) != found.rank:
        raise BoundsError(
            f"{found.layout} expects {found.rank} coordinates, one for each mode; found {len(key)}: {key}"
        )


def key_of(key: Any) -> tuple[Any, ...]:
    """Return what stands between brackets as a tuple."""
    return key if isinstance(key, tuple) else (key,)


def coordinate(found: Geometry, axis: int, part: Any) -> int:
    """Return a coordinate as one integer; that of a nested mode may be as nested as the mode."""
    if isinstance(part, tuple | list):
        shape = found.modes[axis].shape
        natural = fitted(part, shape)
        bounded(natural, shape, shape)
        part = crd2idx_of_shape(natural, shape)
    return position(part, found.shape[axis], axis)


def located(found: Geometry, key: tuple[Any, ...]) -> tuple[int, bool]:
    """Return how far from the first element another one lies, and whether it has memory.

    Raises
    ------
    BoundsError
        If there is no such element.
    """
    refuse_other_rank(found, key)
    offset, exists = 0, True
    for axis, part in enumerate(key):
        i = coordinate(found, axis, part)
        exists = exists and i < found.inside[axis]
        offset += evaluated(found.modes[axis].leaves, i)
    return offset, exists


def chosen(found: Geometry, key: tuple[Any, ...]) -> Moved:
    """Return what ranges leave; an integer drops its mode.

    Raises
    ------
    BoundsError
        If an integer leaves its mode, or there are more or fewer parts than modes.
    LayoutError
        If a range has a step, or cuts a nested mode where no layout goes on.
    """
    refuse_other_rank(found, key)
    modes, valid, offset, exists = [], [], 0, True
    for axis, part in enumerate(key):
        if isinstance(part, slice):
            start, length = bounds(part, found.shape[axis], axis)
            mode, step = _cut_out(found.modes[axis], start, length)
            modes.append(mode)
            valid.append(clamped(found.inside[axis] - start, length))
        else:
            i = coordinate(found, axis, part)
            step = evaluated(found.modes[axis].leaves, i)
            exists = exists and i < found.inside[axis]
        offset += step
    return _of(found, modes, valid if exists else [0] * len(valid)), offset


def stretch(found: Geometry, axis: int, start: int, length: int) -> Moved:
    """Return some coordinates of one mode, and all of the others."""
    mode, offset = _cut_out(found.modes[axis], start, length)
    modes, valid = list(found.modes), list(found.inside)
    modes[axis], valid[axis] = mode, clamped(valid[axis] - start, length)
    return _of(found, modes, valid), offset


def _of(found: Geometry, modes: list[Layout], valid: list[int]) -> Geometry:
    whole = valid == [mode.size for mode in modes]
    return found.seen(joined(modes), None if whole else tuple(valid), found.padded and not whole)


def sliced(found: Geometry, ranges: tuple[slice, ...], indices: Any, offsets: Any) -> Moved:
    """Return ranges of some modes at fixed coordinates of the others.

    Raises
    ------
    LayoutError
        If the modes are not in ascending order, or coordinates are missing or too many.
    """
    axes = tuple([as_whole(axis, "the index of a mode") for axis in indices])
    others = tuple(offsets)
    if len(axes) != len(ranges) or list(axes) != sorted({*axes}) or any(not 0 <= axis < found.rank for axis in axes):
        raise LayoutError(
            f"indices are {len(ranges)} different modes of the {found.rank} in ascending order; found {axes}"
        )
    if len(others) + len(axes) != found.rank:
        raise LayoutError(
            f"a tensor of {found.rank} modes needs {found.rank - len(axes)} offsets, one for each mode that is not "
            f"sliced; found {len(others)}"
        )
    if not all(isinstance(part, slice) for part in ranges):
        raise TypeError(f"ranges are slices, as in slice(0, 4); found {ranges}")
    given, fixed = iter(ranges), iter(others)
    return chosen(found, tuple([next(given) if axis in axes else index(next(fixed)) for axis in range(found.rank)]))


def bounds(part: slice, extent: int, axis: int) -> tuple[int, int]:
    """Return where a range starts and how long it is, clamped as Python does.

    Raises
    ------
    LayoutError
        If it has a step.
    """
    if part.step is not None and as_whole(part.step, "a step") != 1:
        raise LayoutError(
            f"slices have step 1; found step {part.step} on axis {axis}: "
            f"write xp.asarray(t)[{':, ' * axis}::{part.step}, ...]"
        )
    start, stop, _ = part.indices(extent)
    return start, max(0, stop - start)


def _cut_out(mode: Layout, start: int, length: int) -> tuple[Layout, int]:
    """Return some coordinates of a mode, and the offset of the first."""
    if isinstance(mode.shape, int) and isinstance(mode.stride, int):
        return Layout.made(length, mode.stride), start * mode.stride
    if length == mode.size or not length:
        return (mode, 0) if length else (Layout.made(0, 0), 0)
    if start % length:
        raise LayoutError(
            f"coordinates {start} to {start + length} of the nested mode {mode} are no block of it; start at a "
            f"multiple of the length {length}, or copy the tensor to a flat layout"
        )
    block, rest = cut(mode, length)
    return block, evaluated(rest.leaves, start // length)
