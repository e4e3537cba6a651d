"""Keys of tensors: the offset of an element, and the geometry of a slice."""

from functools import lru_cache
from operator import index
from typing import Any

from accel.errors import BoundsError, LayoutError
from accel.layout import Layout
from accel.layout.coordinates import bounded, crd2idx_of_shape, evaluated, fitted
from accel.layout.layout import joined
from accel.views.geometry import CACHED, Geometry, Shifted, blocks_of, clamped
from accel.views.index_checks import as_whole, position

__all__ = ["as_key", "locate", "refuse_other_rank", "selected", "sliced", "subrange"]


def refuse_other_rank(geometry: Geometry, key: tuple[Any, ...]) -> None:
    """Raise `BoundsError` if there is not one coordinate for each mode."""
    if len(key) != geometry.rank:
        raise BoundsError(
            f"{geometry.layout} expects {geometry.rank} coordinates, one for each mode; found {len(key)}: {key}"
        )


def as_key(key: Any) -> tuple[Any, ...]:
    """Return the key of ``t[key]`` as a tuple."""
    return key if isinstance(key, tuple) else (key,)


def coordinate(geometry: Geometry, axis: int, part: Any) -> int:
    """Return a coordinate as one integer; the coordinate of a nested mode may be a nested tuple."""
    if isinstance(part, tuple | list):
        shape = geometry.modes[axis].shape
        natural = fitted(part, shape)
        bounded(natural, shape, shape)
        part = crd2idx_of_shape(natural, shape)
    return position(part, geometry.shape[axis], axis)


def locate(geometry: Geometry, key: tuple[Any, ...]) -> tuple[int, bool]:
    """Return the offset of an element from the first one, before a swizzle, and whether the element has memory.

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
    """Return the geometry of a slice; an integer drops its mode.

    Raises
    ------
    BoundsError
        If an integer is out of bounds, or the key has more or fewer parts than there are modes.
    LayoutError
        If a range has a step, or is not a block of a nested mode.
    """
    refuse_other_rank(geometry, key)
    if geometry.steps is not None and geometry.valid is None:
        by_steps = _selected_by_steps(geometry, geometry.steps, key)
        if by_steps is not None:
            return by_steps
    modes, valid, offset, exists = [], [], 0, True
    for axis, part in enumerate(key):
        if isinstance(part, slice):
            start, length = bounds(part, geometry.shape[axis], axis)
            mode, step = _mode_range(geometry.modes[axis], start, length)
            modes.append(mode)
            valid.append(clamped(geometry.inside[axis] - start, length))
        else:
            i = coordinate(geometry, axis, part)
            step = evaluated(geometry.modes[axis].leaves, i)
            exists = exists and i < geometry.inside[axis]
        offset += step
    return _with_modes(geometry, modes, valid if exists else [0] * len(valid)), offset


def _selected_by_steps(geometry: Geometry, steps: tuple[tuple[int, int], ...], key: tuple[Any, ...]) -> Shifted | None:
    """Return the same for modes of one stride, without arithmetic of layouts; None if the key needs checks."""
    offset, lengths = 0, []
    for part, (extent, stride) in zip(key, steps, strict=True):
        if type(part) is slice and part.step is None:
            start, stop, _ = part.indices(extent)
            lengths.append(stop - start if stop > start else 0)
            offset += start * stride
        elif type(part) is int and 0 <= part < extent:
            lengths.append(-1)
            offset += part * stride
        else:
            return None
    return _shortened(geometry, tuple(lengths)), offset


@lru_cache(CACHED)
def _shortened(geometry: Geometry, lengths: tuple[int, ...]) -> Geometry:
    """Return a geometry with other extents of its modes, and without those whose length is -1."""
    modes = [
        _mode_range(mode, 0, length)[0] for mode, length in zip(geometry.modes, lengths, strict=True) if length >= 0
    ]
    return geometry.with_layout(joined(modes))


def subrange(geometry: Geometry, axis: int, start: int, length: int) -> Shifted:
    """Return the geometry of a range of one mode and all of the other modes."""
    mode, offset = _mode_range(geometry.modes[axis], start, length)
    modes, valid = list(geometry.modes), list(geometry.inside)
    modes[axis], valid[axis] = mode, clamped(valid[axis] - start, length)
    return _with_modes(geometry, modes, valid), offset


def _with_modes(geometry: Geometry, modes: list[Layout], valid: list[int]) -> Geometry:
    """Return a geometry with other modes, masked only if a part of them has no memory."""
    whole = valid == [mode.size for mode in modes]
    return geometry.with_layout(joined(modes), None if whole else tuple(valid), geometry.padded and not whole)


def sliced(geometry: Geometry, ranges: tuple[slice, ...], indices: Any, offsets: Any) -> Shifted:
    """Return the geometry of ranges of some modes at fixed coordinates of the others.

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
    parts, fixed = iter(ranges), iter(others)
    return selected(
        geometry, tuple([next(parts) if axis in axes else index(next(fixed)) for axis in range(geometry.rank)])
    )


def bounds(part: slice, extent: int, axis: int) -> tuple[int, int]:
    """Return the start and length of a range, clamped as in Python.

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


def _mode_range(mode: Layout, start: int, length: int) -> tuple[Layout, int]:
    """Return the layout of a range of a mode, and the offset of its first coordinate."""
    if isinstance(mode.shape, int) and isinstance(mode.stride, int):
        return Layout.unchecked(length, mode.stride), start * mode.stride
    if length == mode.size or not length:
        return (mode, 0) if length else (Layout.unchecked(0, 0), 0)
    if start % length:
        raise LayoutError(
            f"coordinates {start} to {start + length} of the nested mode {mode} are no block of it; start at a "
            f"multiple of the length {length}, or copy the tensor to a flat layout"
        )
    block, rest = blocks_of(mode, length)
    return block, evaluated(rest.leaves, start // length)
