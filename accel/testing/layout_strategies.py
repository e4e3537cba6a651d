"""Hypothesis strategies for layouts, coordinates in them, and tilers for them. Needs hypothesis."""

from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from accel.layout import Layout, coalesce

__all__ = ["compact_layouts", "coordinates", "int_tuples", "layouts", "shapes", "tilers"]

IntTuple: TypeAlias = "int | tuple[IntTuple, ...]"
"""An integer, or a tuple of such, nested."""


def int_tuples(
    elements: SearchStrategy[int] | None = None, *, max_depth: int = 3, max_rank: int = 3
) -> SearchStrategy[IntTuple]:
    """Return a strategy for integers and nested tuples of them.

    Parameters
    ----------
    elements
        The integers at the leaves; by default any.
    max_depth
        How deep the tuples are nested at most; 0 gives integers only.
    max_rank
        How many branches a tuple has at most; it has one at least.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.testing import int_tuples
    >>> find(int_tuples(), lambda found: isinstance(found, tuple) and len(found) == 2)
    (0, 0)
    """
    leaves = st.integers() if elements is None else elements
    found: SearchStrategy[IntTuple] = leaves
    for _ in range(max_depth):
        found = st.one_of(leaves, st.lists(found, min_size=1, max_size=max_rank).map(tuple))
    return found


def shapes(
    *, min_extent: int = 1, max_extent: int = 6, max_size: int = 256, max_depth: int = 3
) -> SearchStrategy[IntTuple]:
    """Return a strategy for shapes of at most ``max_size`` elements; ``min_extent=0`` gives empty ones too.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.testing import shapes
    >>> find(shapes(max_depth=1), lambda shape: shape != 1 and isinstance(shape, int))
    2
    """
    extents = st.integers(min_extent, max_extent)
    return int_tuples(extents, max_depth=max_depth).filter(lambda shape: prod(_leaves(shape)) <= max_size)


@st.composite
def layouts(
    draw: DrawFn, shape: SearchStrategy[Any] | None = None, strides: SearchStrategy[int] | None = None
) -> Layout:
    """Return a strategy for layouts with any strides: gaps, repetitions and reversals included.

    Parameters
    ----------
    shape
        The shapes to draw from; by default `shapes`.
    strides
        The strides of the leaves; by default between -64 and 64.

    Examples
    --------
    >>> from hypothesis import find, strategies as st
    >>> from accel.testing import layouts
    >>> str(find(layouts(st.just((4, 8))), lambda layout: layout(3, 7) < 0))
    '(4,8):(0,-1)'
    """
    drawn = draw(shape if shape is not None else shapes())
    steps = strides if strides is not None else st.integers(-64, 64)
    return Layout(drawn, _like(drawn, iter([draw(steps) for _ in _leaves(drawn)])))


@st.composite
def compact_layouts(draw: DrawFn, shape: SearchStrategy[Any] | None = None) -> Layout:
    """Return a strategy for layouts that take each offset below their size once: the leaves in any order.

    Examples
    --------
    >>> from hypothesis import find, strategies as st
    >>> from accel.testing import compact_layouts
    >>> str(find(compact_layouts(st.just((4, 8))), lambda layout: layout(0, 1) == 1))
    '(4,8):(8,1)'
    """
    drawn = draw(shape if shape is not None else shapes())
    extents = _leaves(drawn)
    order = draw(st.permutations(range(len(extents))))
    steps = accumulate((extents[leaf] for leaf in order), mul, initial=1)
    found = dict(zip(order, steps, strict=False))
    return Layout(drawn, _like(drawn, (found[leaf] for leaf in range(len(extents)))))


def coordinates(layout: Any) -> SearchStrategy[Any]:
    """Return a strategy for the coordinates of a layout: integers, natural ones, and mixtures.

    There are none in a layout of size 0.

    Parameters
    ----------
    layout
        A layout, or anything that has its ``shape``.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.layout import Layout
    >>> from accel.testing import coordinates
    >>> find(coordinates(Layout((4, (2, 3)))), lambda coordinate: coordinate not in range(24))
    (0, 0)
    """
    return _coordinates(layout.shape)


def _coordinates(shape: IntTuple) -> SearchStrategy[Any]:
    size = prod(_leaves(shape))
    if not size:
        return st.nothing()
    indices = st.integers(0, size - 1)
    return st.one_of(indices, st.tuples(*map(_coordinates, shape))) if isinstance(shape, tuple) else indices


@st.composite
def tilers(draw: DrawFn, layout: Layout) -> tuple[Layout, ...]:
    """Return a strategy for tilers by mode that cut a layout evenly: every divide takes them.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.layout import Layout
    >>> from accel.testing import tilers
    >>> find(tilers(Layout((4, 8))), lambda tiler: len(tiler) == 2 and tiler[1].size == 2)
    (Layout(1, 1), Layout(2, 1))
    """
    modes = draw(st.integers(1, layout.rank))
    return tuple(Layout(draw(st.sampled_from(_tile_sizes(layout.mode(i)))), 1) for i in range(modes))


def _tile_sizes(mode: Layout) -> list[int]:
    """Return the sizes that end at a whole part of a leaf; the others may cut across two strides."""
    sizes, whole = [1], 1
    for extent, _ in coalesce(mode).leaves:
        sizes += [whole * part for part in range(2, extent + 1) if extent % part == 0]
        whole *= extent
    return sizes


def _leaves(tree: IntTuple) -> list[int]:
    return [leaf for branch in tree for leaf in _leaves(branch)] if isinstance(tree, tuple) else [tree]


def _like(tree: IntTuple, leaves: Iterator[int] | Iterable[int]) -> IntTuple:
    """Return a tuple nested as another, with other leaves."""
    following = iter(leaves)
    return tuple(_like(branch, following) for branch in tree) if isinstance(tree, tuple) else next(following)
