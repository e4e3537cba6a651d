"""The strategies for layouts draw only what they promise, and all kinds of it."""

from math import prod

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from accel.layout import Layout, zipped_divide
from accel.testing import compact_layouts, coordinates, int_tuples, layouts, shapes, tilers

QUICK = settings(max_examples=100, deadline=None, database=None)


def depth(tree):
    return 1 + max(map(depth, tree), default=0) if isinstance(tree, tuple) else 0


def leaves(tree):
    return [leaf for branch in tree for leaf in leaves(branch)] if isinstance(tree, tuple) else [tree]


def widest(tree):
    return max(len(tree), *map(widest, tree)) if isinstance(tree, tuple) else 0


@QUICK
@given(int_tuples(st.integers(3, 5), max_depth=2, max_rank=4))
def test_int_tuples_keep_to_their_limits(tree):
    assert depth(tree) <= 2
    assert widest(tree) <= 4
    assert set(leaves(tree)) <= {3, 4, 5}


@QUICK
@given(int_tuples(max_depth=0))
def test_int_tuples_without_depth_are_integers(tree):
    assert isinstance(tree, int)


@QUICK
@given(shapes(min_extent=0, max_extent=5, max_size=20, max_depth=4))
def test_shapes_keep_to_their_limits(shape):
    assert depth(shape) <= 4
    assert prod(leaves(shape)) <= 20
    assert all(0 <= extent <= 5 for extent in leaves(shape))


@QUICK
@given(compact_layouts())
def test_compact_layouts_take_each_offset_once(layout):
    assert sorted(layout(i) for i in range(layout.size)) == list(range(layout.size))


@QUICK
@given(st.data())
def test_coordinates_are_inside(data):
    layout = data.draw(layouts())
    coordinate = data.draw(coordinates(layout))
    assert 0 <= Layout(layout.shape)(coordinate) < layout.size


@QUICK
@given(st.data())
def test_tilers_cut_evenly(data):
    layout = data.draw(layouts())
    tiler = data.draw(tilers(layout))
    assert 1 <= len(tiler) <= layout.rank
    assert zipped_divide(layout, tiler).size == layout.size


@pytest.mark.parametrize(
    ("strategy", "kind"),
    [
        (shapes(), lambda shape: depth(shape) == 3),
        (shapes(min_extent=0), lambda shape: not prod(leaves(shape))),
        (layouts(), lambda layout: layout.size > 1 and layout(1) < 0),
        (layouts(), lambda layout: layout.size > 1 and layout.cosize == 1),
        (layouts(strides=st.just(2**70)), lambda layout: layout.cosize > 2**64),
        (compact_layouts(), lambda layout: layout.size > 1 and layout(1) > 1),
        (coordinates(Layout((4, (2, 3)))), lambda coordinate: isinstance(coordinate, int)),
        (coordinates(Layout((4, (2, 3)))), lambda coordinate: depth(coordinate) == 1),
        (coordinates(Layout((4, (2, 3)))), lambda coordinate: depth(coordinate) == 2),
        (tilers(Layout((4, 8))), lambda tiler: tiler == (Layout(2), Layout(8))),
    ],
)
def test_every_kind_is_met(strategy, kind):
    result = find(strategy, kind, settings=settings(max_examples=2000, database=None, derandomize=True))
    assert kind(result)


def test_there_is_no_coordinate_in_a_layout_of_size_zero():
    assert coordinates(Layout((4, 0))).is_empty
