"""The laws of layouts themselves: construction, text and calls."""

import copy
import pickle
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from accel import layout as library
from accel.errors import BoundsError
from accel.layout import ComposedLayout, Layout, Swizzle, _
from accel.testing import coordinates, int_tuples, shapes

from . import definitions as by_hand
from . import postconditions as post
from .strategies import QUICK, SMALL, anything, compact, free_coordinates, restrided, something


@QUICK
@given(anything)
def test_a_layout_is_what_its_text_says(layout):
    assert Layout.parse(str(layout)) == layout
    assert eval(repr(layout), {"Layout": Layout}) == layout
    assert by_hand.plain(str(layout)) == (layout.shape, layout.stride)


@QUICK
@given(anything)
def test_copies_are_equal_and_hash_alike(layout):
    for twin in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout), Layout(layout.shape, layout.stride)):
        assert twin == layout
        assert hash(twin) == hash(layout)


@QUICK
@given(something, something)
def test_equality_is_structure_and_equivalence_is_function(one, other):
    assert (one == other) == ((one.shape, one.stride) == (other.shape, other.stride))
    for a, b in ((one, other), (one, library.flatten(one)), (one, library.coalesce(one))):
        assert library.equivalent(a, b) == (by_hand.table(a) == by_hand.table(b))


@QUICK
@given(something, st.data())
def test_the_first_difference_is_found(layout, data):
    leaf = data.draw(st.integers(0, len(layout.leaves) - 1))
    strides = [stride + data.draw(st.integers(0, 1)) * (i == leaf) for i, (_extent, stride) in enumerate(layout.leaves)]
    other = restrided(layout, strides)
    both = enumerate(zip(by_hand.table(layout), by_hand.table(other), strict=True))
    assert library.diff(layout, other) == next(((i, a, b) for i, (a, b) in both if a != b), None)


@QUICK
@given(anything)
def test_the_measures_are_counted(layout):
    assert layout.leaves == tuple(by_hand.pairs(layout))
    assert layout.size == library.size(layout) == by_hand.size(layout)
    assert layout.cosize == library.cosize(layout) == by_hand.cosize(layout)
    assert layout.rank == library.rank(layout) == len(by_hand.modes(layout))
    assert layout.depth == library.depth(layout) == by_hand.depth(layout.shape)


@QUICK
@given(something)
def test_cosize_is_the_span_of_the_offsets(layout):
    offsets = by_hand.table(layout)
    assert layout.cosize == 1 + max(offsets) - min(offsets)


@QUICK
@given(SMALL)
def test_without_strides_the_leftmost_leaf_is_fastest(shape):
    layout = Layout(shape)
    assert by_hand.table(layout) == list(range(layout.size))
    assert layout == Layout(*by_hand.column_major(shape))


@QUICK
@given(something, st.data())
def test_a_layout_is_called_with_any_coordinate(layout, data):
    assert [layout(i) for i in range(layout.size)] == by_hand.table(layout)
    coordinate = data.draw(coordinates(layout))
    assert layout(coordinate) == library.crd2idx(coordinate, layout) == by_hand.at_coordinate(layout, coordinate)
    if isinstance(coordinate, tuple) and len(coordinate) > 1:
        assert layout(*coordinate) == layout(coordinate)


@QUICK
@given(something, st.integers(1, 2**70))
def test_an_index_past_the_end_is_refused_by_a_call_and_goes_on_in_the_algebra(layout, excess):
    index = layout.size - 1 + excess
    assert library.crd2idx(index, layout) == by_hand.at(layout, index)
    for outside in (index, -excess):
        with pytest.raises(BoundsError):
            layout(outside)


@QUICK
@given(SMALL, st.data())
def test_an_index_and_its_natural_coordinate_are_one(shape, data):
    index = data.draw(st.integers(0, by_hand.size(Layout(shape)) - 1))
    coordinate = library.idx2crd(index, shape)
    assert coordinate == by_hand.natural(index, shape)
    assert library.crd2idx(coordinate, shape) == index


@QUICK
@given(SMALL, st.data())
def test_a_coordinate_keeps_its_index_in_another_shape(shape, data):
    coordinate = data.draw(coordinates(Layout(shape)))
    index = by_hand.at_coordinate(Layout(shape), coordinate)
    flat = tuple(by_hand.leaves(shape))
    assert library.crd2crd(coordinate, shape, shape) == by_hand.natural(index, shape)
    assert library.crd2crd(coordinate, shape, flat) == by_hand.natural(index, flat)


@QUICK
@given(something)
def test_offsets_are_the_whole_table(layout):
    assume(all(abs(offset) < 2**63 for offset in by_hand.table(layout)))
    assert library.offsets(layout).tolist() == by_hand.table(layout)


@QUICK
@given(anything)
def test_modes_are_layouts(layout):
    for position, mode in enumerate(by_hand.modes(layout)):
        assert post.same(layout.mode(position), mode)
        assert library.mode(layout, position) == layout.mode(position)


@QUICK
@given(something, st.data())
def test_a_slice_keeps_what_is_free_and_a_dice_the_rest(layout, data):
    coordinate = data.draw(free_coordinates(layout.shape))
    kept, offset = library.slice_layout(layout, coordinate)
    free, fixed = split(layout, coordinate)
    starts = [by_hand.at_coordinate(mode, place) for mode, place in fixed]
    assert offset == sum(starts)
    assert [by_hand.pairs(mode) for mode in by_hand.modes(kept)] == list(map(by_hand.pairs, free))
    diced = library.dice(layout, coordinate)
    assert [by_hand.pairs(mode) for mode in by_hand.modes(diced)] == [by_hand.pairs(mode) for mode, _place in fixed]
    assert layout[coordinate] == (kept, offset)


def split(layout, coordinate):
    """Return the modes that a coordinate leaves free, and those it fixes with where."""
    if coordinate is _:
        return [layout], []
    if not isinstance(coordinate, tuple):
        return [], [(layout, coordinate)]
    halves = [split(mode, part) for mode, part in zip(by_hand.modes(layout), coordinate, strict=True)]
    return [mode for free, _fixed in halves for mode in free], [pair for _free, fixed in halves for pair in fixed]


@QUICK
@given(SMALL, st.data())
def test_ordered_strides_are_products_of_the_extents_before(shape, data):
    ranks = iter(data.draw(st.lists(st.integers(0, 3), min_size=64, max_size=64)))
    order = with_leaves(shape, ranks)
    for make in (library.make_ordered_layout, library.ordered):
        post.make_ordered_layout(make(shape, order), shape, order)


def with_leaves(tree, following):
    return tuple(with_leaves(branch, following) for branch in tree) if isinstance(tree, tuple) else next(following)


@QUICK
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_row_and_column_major_are_numpys_orders(extents):
    rows, columns = library.row_major(*extents), library.col_major(*extents)
    strides = [prod(extents[axis + 1 :]) for axis in range(len(extents))]
    assert by_hand.table(rows) == by_hand.table(Layout(tuple(extents), tuple(strides)))
    assert by_hand.table(columns) == list(range(prod(extents)))


@QUICK
@given(something, st.sampled_from([1, 2, 8]))
def test_byte_strides_go_there_and_back(layout, itemsize):
    flat = library.flatten(layout)
    shape, strides = zip(*by_hand.pairs(flat), strict=True)
    result = Layout.from_strides(shape, [stride * itemsize for stride in strides], itemsize)
    assert by_hand.pairs(result) == by_hand.pairs(flat)
    assert library.equivalent(Layout.from_strides(shape, result.to_strides(itemsize), itemsize), result)


@QUICK
@given(st.integers(0, 4), st.integers(0, 4), st.integers(-5, 5), st.integers(0, 2**80))
def test_a_swizzle_is_an_involution_on_bits(bits, base, shift, offset):
    assume(abs(shift) >= bits)
    swizzle = Swizzle(bits, base, shift)
    assert swizzle(offset) == by_hand.swizzled(offset, bits, base, shift)
    assert swizzle(swizzle(offset)) == offset
    assert Swizzle.parse(str(swizzle)) == swizzle
    assert pickle.loads(pickle.dumps(swizzle)) == swizzle


@QUICK
@given(compact, st.integers(0, 64), st.data())
def test_the_offset_of_a_composed_layout_is_inside_the_swizzle(layout, offset, data):
    swizzle = Swizzle(2, 1, 3)
    composed = ComposedLayout(swizzle, offset, layout)
    expected = [by_hand.swizzled(offset + value, 2, 1, 3) for value in by_hand.table(layout)]
    assert (composed.shape, composed.size, composed.rank) == (layout.shape, layout.size, layout.rank)
    assert [composed(i) for i in range(layout.size)] == library.offsets(composed).tolist() == expected
    coordinate = data.draw(coordinates(layout))
    assert composed(coordinate) == expected[by_hand.at_coordinate(Layout(layout.shape), coordinate)]
    assert swizzle @ layout == ComposedLayout(swizzle, 0, layout)
    assert str(composed) == f"{swizzle} o {offset} o {layout}"


@QUICK
@given(anything)
def test_coalesce_gives_the_one_shortest_layout_of_the_same_table(layout):
    result = library.coalesce(layout)
    post.coalesce(result, layout)
    assert library.coalesce(result) == result


@QUICK
@given(something, int_tuples(st.just(1)))
def test_coalesce_by_profile_keeps_the_modes_that_are_named(layout, profile):
    assume(fits(profile, layout.shape))
    post.coalesce_by_profile(library.coalesce(layout, profile), layout, profile)


def fits(profile, shape):
    if not isinstance(profile, tuple):
        return True
    return isinstance(shape, tuple) and len(profile) <= len(shape) and all(map(fits, profile, shape))


@QUICK
@given(anything)
def test_flatten_keeps_the_leaves(layout):
    post.flatten(library.flatten(layout), layout)


@QUICK
@given(something)
def test_filter_drops_what_adds_no_offset(layout):
    post.filter_zeros(library.filter_zeros(layout), layout)
    post.filter_(library.filter(layout), layout)


@QUICK
@given(shapes(min_extent=0), st.integers(-3, 3))
def test_nothing_is_found_in_a_layout_of_size_zero(shape, stride):
    layout = Layout(shape, with_leaves(shape, iter([stride] * 64)))
    assume(not by_hand.size(layout))
    assert (layout.size, layout.cosize, by_hand.table(library.coalesce(layout))) == (0, 0, [])
    assert library.offsets(layout).tolist() == []
    with pytest.raises(BoundsError):
        layout(0)
