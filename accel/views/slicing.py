"""Parts of a tensor by ranges and coordinates."""

from operator import index
from typing import Any

from accel.errors import BoundsError, LayoutError
from accel.layout import Layout
from accel.layout.coordinates import bounded, crd2idx_of_shape, evaluated, fitted
from accel.layout.layout import joined
from accel.views.checks import as_whole, position
from accel.views.geometry import Geometry, Shifted, blocks_of, clamped

__all__ = ["as_key", "locate", "refuse_other_rank", "selected", "sliced", "subrange"]


def refuse_other_rank(geometry: Geometry, key: tuple[Any, ...]) -> None:
    """Raise `BoundsError` if there is not one coordinate for each mode."""
    if len(key) != geometry.rank:
        raise BoundsError(
            f"{geometry.layout} expects {geometry.rank} coordinates, one for each mode; found {len(key)}: {key}"
        )


def as_key(key: Any) -> tuple[Any, ...]:
    """Return what stands between brackets as a tuple."""
    return key if isinstance(key, tuple) else (key,)


def coordinate(geometry: Geometry, axis: int, part: Any) -> int:
    """Return a coordinate as one integer; that of a nested mode may be as nested as the mode."""
    if isinstance(part, tuple | list):
        shape = geometry.modes[axis].shape
        natural = fitted(part, shape)
        bounded(natural, shape, shape)
        part = crd2idx_of_shape(natural, shape)
    return position(part, geometry.shape[axis], axis)


def locate(geometry: Geometry, key: tuple[Any, ...]) -> tuple[int, bool]:
    """Return how far from the first element another one lies, and whether it has memory.

    Raises
    ------
    BoundsError
        If there is no such element.
    """
    refuse_other_rank(geometry, key)
    offset, exists = 0, True
    for axis, part in enumerate(key):
        i = coordinate(geometry, axis, part)
        exists = exists and i < geometry.inside[axis]
        offset += evaluated(geometry.modes[axis].leaves, i)
    return offset, exists


def selected(geometry: Geometry, key: tuple[Any, ...]) -> Shifted:
    """Return what ranges leave; an integer drops its mode.

    Raises
    ------
    BoundsError
        If an integer leaves its mode, or there are more or fewer parts than modes.
    LayoutError
        If a range has a step, or cuts a nested mode where no layout goes on.
    """
    refuse_other_rank(geometry, key)
    modes, valid, offset, exists = [], [], 0, True
    for axis, part in enumerate(key):
        if isinstance(part, slice):
            start, length = bounds(part, geometry.shape[axis], axis)
            mode, step = _cut_out(geometry.modes[axis], start, length)
            modes.append(mode)
            valid.append(clamped(geometry.inside[axis] - start, length))
        else:
            i = coordinate(geometry, axis, part)
            step = evaluated(geometry.modes[axis].leaves, i)
            exists = exists and i < geometry.inside[axis]
        offset += step
    return _of(geometry, modes, valid if exists else [0] * len(valid)), offset


def subrange(geometry: Geometry, axis: int, start: int, length: int) -> Shifted:
    """Return some coordinates of one mode, and all of the others."""
    mode, offset = _cut_out(geometry.modes[axis], start, length)
    modes, valid = list(geometry.modes), list(geometry.inside)
    modes[axis], valid[axis] = mode, clamped(valid[axis] - start, length)
    return _of(geometry, modes, valid), offset


def _of(geometry: Geometry, modes: list[Layout], valid: list[int]) -> Geometry:
    whole = valid == [mode.size for mode in modes]
    return geometry.with_layout(joined(modes), None if whole else tuple(valid), geometry.padded and not whole)


def sliced(geometry: Geometry, ranges: tuple[slice, ...], indices: Any, offsets: Any) -> Shifted:
    """Return ranges of some modes at fixed coordinates of the others.

    Raises
    ------
    LayoutError
        If the modes are not in ascending order, or coordinates are missing or too many.
    """
    axes = tuple([as_whole(axis, "the index of a mode") for axis in indices])
    others = tuple(offsets)
    if len(axes) != len(ranges) or list(axes) != sorted({*axes}) or any(not 0 <= axis < geometry.rank for axis in axes):
        raise LayoutError(
            f"indices are {len(ranges)} different modes of the {geometry.rank} in ascending order; found {axes}"
        )
    if len(others) + len(axes) != geometry.rank:
        raise LayoutError(
            f"a tensor of {geometry.rank} modes needs {geometry.rank - len(axes)} offsets, one for each mode that is "
            f"not sliced; found {len(others)}"
        )
    if not all(isinstance(part, slice) for part in ranges):
        raise TypeError(f"ranges are slices, as in slice(0, 4); found {ranges}")
    given, fixed = iter(ranges), iter(others)
    return selected(
        geometry, tuple([next(given) if axis in axes else index(next(fixed)) for axis in range(geometry.rank)])
    )


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
    block, rest = blocks_of(mode, length)
    return block, evaluated(rest.leaves, start // length)
