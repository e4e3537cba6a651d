"""The cells of a tensor: the storage positions of its numbers, in the order in which they are copied."""

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from accel.abc import Swizzling
from accel.copies import Elements
from accel.copies.elements import OffsetTable
from accel.copies.offset_ranges import offset_range, swizzled_offset_range
from accel.dtypes import DType
from accel.layout import ComposedLayout, Layout, Swizzle
from accel.layout.coordinates import Leaf
from accel.layout.layout import modes_of
from accel.memory import AnyStorage
from accel.views.geometry import CACHED, Geometry

__all__ = ["cells", "compact", "distances_between", "element_cells", "ends", "mask_of", "span_of"]


class HasCells(Protocol):
    """What this module reads of a tensor."""

    _dtype: DType
    _geometry: Geometry
    _offset: int
    _storage: AnyStorage


def cells(tensor: HasCells, *, by_rows: bool = False) -> Elements:
    """Return the numbers that have memory, in colexicographic or row-major order; those of one element are adjacent."""
    leaves = _leaves(tensor._geometry, by_rows)
    if tensor._geometry.swizzled is None:  # most tensors: one call less
        return Elements(tensor._storage, tensor._offset, leaves, tensor._dtype)
    return _elements(tensor, leaves, tensor._offset)


def element_cells(tensor: HasCells, step: int) -> Elements:
    """Return the numbers of one element, in row-major order; ``step`` is its offset before the swizzle."""
    return _elements(tensor, _lanes(tensor._geometry.element), tensor._offset + step)


def _elements(tensor: HasCells, leaves: tuple[Leaf, ...], place: int) -> Elements:
    swizzled = tensor._geometry.swizzled
    if swizzled is None:
        return Elements(tensor._storage, place, leaves, tensor._dtype)
    swizzle, origin = swizzled
    swizzling = Swizzling(mask_of(swizzle), swizzle.shift, place - origin)
    return Elements(tensor._storage, origin, leaves, tensor._dtype, swizzle=swizzling)


def mask_of(swizzle: Swizzle) -> int:
    """Return the mask of the bits that a swizzle XORs into other bits."""
    return ((1 << swizzle.bits) - 1) << (swizzle.base + max(swizzle.shift, 0))


def ends(layout: Layout | ComposedLayout) -> tuple[int, int, int]:
    """Return the offset of the first, the lowest and the highest element of a layout.

    Raises
    ------
    LayoutError
        If the bounds of a swizzled layout are too expensive to compute.
    """
    if isinstance(layout, Layout):
        _, low, high = offset_range(layout.leaves)
        return 0, low, high
    first = layout.swizzle(layout.offset)
    swizzling = Swizzling(mask_of(layout.swizzle), layout.swizzle.shift, layout.offset)
    size, low, high = swizzled_offset_range(layout.layout.leaves, swizzling, sys.maxsize)
    return (first, low, high) if size else (first, first, first)


@lru_cache(CACHED)
def _lanes(element: Layout) -> tuple[Leaf, ...]:
    """Return the loops over the numbers of an element in row-major order, the fastest first."""
    return tuple([leaf for mode in reversed(modes_of(element)) for leaf in mode.leaves])


@lru_cache(CACHED)
def _leaves(geometry: Geometry, by_rows: bool) -> tuple[Leaf, ...]:
    """Return the loops over all numbers, the fastest first."""
    modes = [_limited(mode, inside) for mode, inside in zip(geometry.modes, geometry.inside, strict=True)]
    outer = reversed(modes) if by_rows else modes
    return _lanes(geometry.element) + tuple([leaf for mode in outer for leaf in mode.leaves])


def _limited(mode: Layout, extent: int) -> Layout:
    """Return the first ``extent`` coordinates of a mode."""
    if extent == mode.size:
        return mode
    if isinstance(mode.stride, int):
        return Layout.unchecked(extent, mode.stride)
    return mode @ Layout.unchecked(extent, 1)  # never raises: the valid part of a nested mode ends where a leaf ends


@lru_cache(CACHED)
def span_of(geometry: Geometry) -> tuple[int, int]:
    """Return the lowest cell, and one past the highest, as distances from the first one, before a swizzle."""
    size, low, high = offset_range(_leaves(geometry, by_rows=False))
    return (low, high + 1) if size else (0, 0)


@lru_cache(CACHED)
def compact(geometry: Geometry) -> bool:
    """Tell whether the numbers fill a range of memory without gaps or overlaps, in any order."""
    if geometry.swizzled is not None:
        return False
    leaves, expected = _leaves(geometry, by_rows=False), 1
    if any(extent == 0 for extent, _ in leaves):
        return True
    for stride, extent in sorted([(abs(stride), extent) for extent, stride in leaves if extent != 1]):
        if stride != expected:
            return False
        expected *= extent
    return True


def distances_between(tensor: HasCells, first: int, count: int) -> OffsetTable:
    """Return those of ``count`` consecutive cells that belong to a tensor, as distances from cell ``first``."""
    geometry = tensor._geometry
    loops, lowest = _loops(_leaves(geometry, by_rows=False))
    start, all_of_them = tensor._offset + lowest, cells(tensor)
    count = min(count, all_of_them.start + all_of_them.offset_range.high + 1 - first)
    if geometry.swizzled is None:
        there = _cells_between(loops, first - start, first - start + count)
        distances = sorted({place + start - first for place in there})
    else:  # a swizzle is its own inverse
        steps = [geometry.swizzled(first + k) - start for k in range(count)]
        distances = [k for k, step in enumerate(steps) if any(True for _ in _cells_between(loops, step, step + 1))]
    return np.array(distances, np.int64)


class _Loop(NamedTuple):
    """A loop with a positive stride; ``inner`` is the distance to the last cell of the loops inside it."""

    extent: int
    stride: int
    inner: int


@lru_cache(CACHED)
def _loops(leaves: tuple[Leaf, ...]) -> tuple[tuple[_Loop, ...], int]:
    """Return loops with positive strides over the same cells, the longest stride first, and the lowest cell."""
    size, lowest, _ = offset_range(leaves)
    if not size:
        return (_Loop(0, 1, 0),), 0
    loops, inner = [], 0
    for stride, extent in sorted([(abs(stride), extent) for extent, stride in leaves if stride]):
        loops.append(_Loop(extent, stride, inner))
        inner += (extent - 1) * stride
    return tuple(loops[::-1]), lowest


def _cells_between(loops: tuple[_Loop, ...], low: int, high: int) -> Iterator[int]:
    """Yield the cells of the loops that are in ``range(low, high)``."""
    if not loops:
        if low <= 0 < high:
            yield 0
        return
    (extent, stride, inner), *rest = loops
    for i in range(max(0, -((inner - low) // stride)), min(extent, (high - 1) // stride + 1)):
        for place in _cells_between(tuple(rest), low - i * stride, high - i * stride):
            yield i * stride + place
