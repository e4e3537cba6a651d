"""Layouts without elements, and the layout without modes: each operation keeps its definition there, or raises."""

import pytest

from accel import layout as library
from accel.errors import BoundsError, LayoutError
from accel.layout import Layout

from . import definitions as by_hand

EMPTY = [Layout(0), Layout((4, 0)), Layout((0, (2, 3)), (5, (0, 1))), Layout((2, 0), (0, 0))]
POINT = Layout(())


@pytest.mark.parametrize("empty", EMPTY, ids=str)
def test_what_can_be_made_of_nothing_is_empty(empty):
    for operation in (library.coalesce, library.filter, library.filter_zeros, library.flatten):
        assert operation(empty).size == 0
    for operation in (library.right_inverse, library.nullspace):
        assert operation(empty).size == 0
    assert library.max_common_vector(empty, empty) == library.max_common_vector(empty, Layout(4)) == 0
    assert library.offsets(empty).tolist() == []


@pytest.mark.parametrize("empty", EMPTY, ids=str)
def test_what_needs_elements_refuses_a_layout_without(empty):
    for refused in (
        lambda: library.complement(empty, 4),
        lambda: library.left_inverse(empty),
        lambda: library.composition(empty, Layout(2)),
        lambda: library.logical_product(empty, Layout(2)),
        lambda: library.make_layout_tv(empty, Layout(2)),
        lambda: library.tile_to_shape(empty, (4, 4)),
    ):
        with pytest.raises(LayoutError):
            refused()


@pytest.mark.parametrize("empty", EMPTY, ids=str)
def test_a_composition_with_nothing_is_nothing(empty):
    for first in (Layout((4, 4), (4, 1)), Layout(0)):
        result = library.composition(first, empty)
        assert result.size == 0
        assert by_hand.compatible(empty.shape, result.shape)


@pytest.mark.parametrize("empty", EMPTY, ids=str)
def test_no_coordinate_is_in_a_layout_without_elements(empty):
    for coordinate in (0, by_hand.natural(0, tuple(max(extent, 1) for extent in by_hand.leaves(empty.shape)))):
        with pytest.raises((BoundsError, LayoutError)):
            empty(coordinate)


def test_a_layout_without_modes_is_a_point():
    assert (POINT.size, POINT.cosize, POINT.rank, POINT.depth) == (1, 1, 0, 1)
    assert POINT() == POINT(()) == POINT(0) == 0
    assert Layout.parse(str(POINT)) == POINT
    assert library.coalesce(POINT) == Layout(1, 0)
    assert Layout((4, 4)) @ POINT == POINT
    assert library.offsets(POINT).tolist() == [0]
    assert Layout((4, 4))[1, 2] == (POINT, 9)


def test_a_layout_is_not_iterable():
    for layout in (Layout(2**70), library.Swizzle(1, 0, 1) @ Layout(2**70)):
        with pytest.raises(TypeError):
            iter(layout)
        with pytest.raises(TypeError):
            assert 5 in layout
