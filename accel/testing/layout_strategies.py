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
"""An integer, or a nested tuple of integers."""


def int_tuples(
    elements: SearchStrategy[int] | None = None, *, max_depth: int = 3, max_rank: int = 3
) -> SearchStrategy[IntTuple]:
    """Return a strategy for integers and nested tuples of them.

    Parameters
    ----------
    elements
        Strategy for the integers at the leaves; by default any integers.
    max_depth
        Largest depth of nesting; 0 gives integers only.
    max_rank
        Largest length of a tuple; the smallest is 1.

    Returns
    -------
    SearchStrategy
        A strategy of Hypothesis.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.testing import int_tuples
    >>> find(int_tuples(), lambda drawn: isinstance(drawn, tuple) and len(drawn) == 2)
    (0, 0)
    """
    leaves = st.integers() if elements is None else elements
    trees: SearchStrategy[IntTuple] = leaves
    for _ in range(max_depth):
        trees = st.one_of(leaves, st.lists(trees, min_size=1, max_size=max_rank).map(tuple))
    return trees


def shapes(
    *, min_extent: int = 1, max_extent: int = 6, max_size: int = 256, max_depth: int = 3
) -> SearchStrategy[IntTuple]:
    """Return a strategy for shapes of at most ``max_size`` elements; with ``min_extent=0`` some are empty.

    Parameters
    ----------
    min_extent : int, default 1
        The least extent.
    max_extent : int, default 6
        The greatest extent.
    max_size : int, default 256
        The most elements.
    max_depth : int, default 3
        The deepest nesting.

    Returns
    -------
    SearchStrategy
        A strategy of Hypothesis.

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
    """Return a strategy for layouts with any strides: with gaps, repeated offsets and negative strides.

    Parameters
    ----------
    shape
        Strategy for the shape; by default `shapes`.
    strides
        Strategy for the strides of the leaves; by default integers from -64 to 64.

    Returns
    -------
    Layout
        A strategy of Hypothesis.

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
    """Return a strategy for layouts that take each offset below their size once, with the leaves in any order.

    Parameters
    ----------
    shape : SearchStrategy, optional
        The shape; by default it is drawn.

    Returns
    -------
    Layout
        A strategy of Hypothesis.

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
    stride_of = dict(zip(order, steps, strict=False))
    return Layout(drawn, _like(drawn, (stride_of[leaf] for leaf in range(len(extents)))))


def coordinates(layout: Any) -> SearchStrategy[Any]:
    """Return a strategy for the coordinates of a layout: integers, nested tuples, and mixtures of both.

    A layout of size 0 has none.

    Parameters
    ----------
    layout
        A layout, or an object with the ``shape`` of one.

    Returns
    -------
    SearchStrategy
        A strategy of Hypothesis.

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
    """Return a strategy for tilers by mode that divide a layout evenly; all divide functions take them.

    Parameters
    ----------
    layout : Layout
        The layout, or a strategy for it.

    Returns
    -------
    tuple of Layout
        A strategy of Hypothesis.

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
    """Return the tile sizes that divide a mode evenly, leaf by leaf."""
    sizes, whole = [1], 1
    for extent, _ in coalesce(mode).leaves:
        sizes += [whole * part for part in range(2, extent + 1) if extent % part == 0]
        whole *= extent
    return sizes


def _leaves(tree: IntTuple) -> list[int]:
    return [leaf for branch in tree for leaf in _leaves(branch)] if isinstance(tree, tuple) else [tree]


def _like(tree: IntTuple, leaves: Iterator[int] | Iterable[int]) -> IntTuple:
    """Return a tuple that is nested like another one, with other leaves."""
    following = iter(leaves)
    return tuple(_like(branch, following) for branch in tree) if isinstance(tree, tuple) else next(following)
