"""The laws of composition, complement, inverses and recasting; an operation raises only where no result exists."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import Layout, equivalent

from . import definitions as by_hand
from . import postconditions as post
from .strategies import (
    HUGE,
    MANY,
    QUICK,
    anything,
    compact,
    composable,
    meeting,
    past_the_end,
    positive,
    restrided,
    something,
    spaced,
)


def attempt(operation, *arguments):
    """Return the result and None, or None and the message of the error, which names the layouts."""
    try:
        return operation(*arguments), None
    except LayoutError as error:
        message = str(error)
    assert all(str(argument) in message for argument in arguments if isinstance(argument, Layout)), message
    return None, message


@MANY
@given(composable())
def test_a_composition_is_found_exactly_where_there_is_one(pair):
    a, b = pair
    result, _refusal = attempt(library.composition, a, b)
    assert (result is not None) == by_hand.representable(a, b)
    if result is not None:
        post.composition(result, a, b)
        assert by_hand.table(result) == by_hand.composed(a, b)
        assert a @ b == result


@MANY
@given(composable(), st.integers(2, 24), st.integers(1, 24))
def test_a_refusal_names_the_first_value_that_no_layout_can_have(pair, extent, stride):
    a, b = pair[0], Layout(extent, stride)
    values = by_hand.composed(a, b)
    wrong = [i for i in range(extent) if not by_hand.begins_a_table(values[: i + 1], extent)]
    _found, refusal = attempt(library.composition, a, b)
    assert bool(wrong) == bool(refusal)
    assert not wrong or f"at coordinate {wrong[0]} it is {values[wrong[0]]}," in refusal


@MANY
@given(past_the_end())
def test_past_the_end_of_a_layout_composition_and_coordinates_agree(pair):
    a, b = pair
    result, _refusal = attempt(library.composition, a, b)
    assert (result is not None) == by_hand.representable(a, b)
    assume(result is not None)
    for i in range(b.size):
        for c in (i, library.idx2crd(i, b.shape)):
            assert library.crd2idx(c, result) == library.crd2idx(library.crd2idx(c, b), a)


@QUICK
@given(st.lists(past_the_end(), min_size=1, max_size=3))
def test_past_the_end_of_modes_too(pairs):
    assume(all(by_hand.representable(a, b) for a, b in pairs))
    outer = Layout(tuple(a.shape for a, _b in pairs), tuple(a.stride for a, _b in pairs))
    result = library.composition(outer, tuple(b for _a, b in pairs))
    for c in by_hand.colex(*(range(b.size) for _a, b in pairs)):
        inner = tuple(library.crd2idx(part, b) for part, (_a, b) in zip(c, pairs, strict=True))
        assert library.crd2idx(c, result) == library.crd2idx(inner, outer)


@MANY
@given(past_the_end(), st.integers(0, 60))
def test_a_coalesced_layout_has_the_same_table_and_goes_on_where_the_last_leaf_is_no_single_element(pair, index):
    layout, _b = pair
    if index < layout.size or layout.leaves[-1][0] > 1:
        assert library.crd2idx(index, library.coalesce(layout)) == library.crd2idx(index, layout)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("1:13", "2:1", "2:13"),
        ("1:13", "(2,3):(3,1)", "(2,3):(39,13)"),
        ("1:-13", "2:-1", "2:13"),
        ("(1,1):(0,1)", "(5,1):(1,5)", "(5,1):(1,5)"),  # as recorded in the vectors
        ("((4,6),1):((1,4),24)", "(4,(2,2),(2)):(2,(16,1),(8))", "(4,(2,2),(2)):(2,(16,1),(8))"),
        ("(4,1):(1,7)", "8:1", "(4,2):(1,7)"),
        ("(4,1):(1,4)", "8:1", "8:1"),
        ("(4,1,1):(1,7,9)", "(2,2):(4,1)", "(2,2):(9,1)"),  # only the last leaf goes on
        ("(1,2):(5,3)", "4:1", "4:3"),
    ],
)
def test_the_last_leaf_goes_on_with_its_stride_even_if_its_extent_is_1(a, b, expected):
    result = library.composition(Layout.parse(a), Layout.parse(b))
    assert equivalent(result, Layout.parse(expected))
    assert by_hand.compatible(Layout.parse(b).shape, result.shape)


def test_a_tile_of_a_mode_of_one_element_goes_on_with_its_stride():
    cut = library.zipped_divide(Layout((2, 1), (1, 2)), (Layout(4), Layout(3)))  # as recorded in the vectors
    assert str(cut) == "((4,3),(1,1)):((1,2),(0,0))"


@QUICK
@given(st.integers(1, 40), st.integers(-9, 9) | HUGE, something)
def test_a_linear_layout_composes_with_everything(extent, stride, b):
    result = library.composition(Layout(extent, stride), b)
    assert by_hand.table(result) == [stride * index for index in by_hand.table(b)]
    assert by_hand.compatible(b.shape, result.shape)


@QUICK
@given(anything)
def test_every_layout_composes_with_its_own_domain(layout):
    assume(by_hand.size(layout))
    assert equivalent(layout @ Layout(layout.size), layout)
    assert equivalent(layout @ Layout(layout.shape), layout)
    assert equivalent(Layout(max(layout.cosize, 2)) @ layout, layout)


@QUICK
@given(composable(), st.integers(1, 8), st.sampled_from([1, 2, 3, 4, 6]))
def test_composition_is_associative(pair, extent, stride):
    a, b = pair
    c = Layout(extent, stride)
    assume((extent - 1) * stride < b.size and max(by_hand.table(b)) < a.size)
    left, right = unless_refused(lambda: (a @ b) @ c), unless_refused(lambda: a @ (b @ c))
    assume(left is not None and right is not None)
    assert equivalent(left, right)


def unless_refused(compute):
    """Return the result, or None if it raises; the message may name intermediate layouts."""
    try:
        return compute()
    except LayoutError:
        return None


@QUICK
@given(st.lists(composable(), min_size=1, max_size=3), st.data())
def test_a_tuple_composes_by_mode(pairs, data):
    assume(all(by_hand.representable(a, b) for a, b in pairs))
    a = Layout(tuple(a.shape for a, _b in pairs), tuple(a.stride for a, _b in pairs))
    named = data.draw(st.integers(1, len(pairs)))
    tiler = tuple(data.draw(st.sampled_from([b, None])) for _a, b in pairs[:named])
    assume(any(tiler))
    post.composition_by_mode(library.composition(a, tiler), a, tiler)


@QUICK
@given(compact, st.integers(1, 12))
def test_an_integer_means_so_many_elements_and_a_shape_its_column_major_layout(layout, extent):
    assert unless_refused(lambda: layout @ extent) == unless_refused(lambda: layout @ Layout(extent, 1))
    shape = (extent, 2)
    assert unless_refused(lambda: layout @ shape) == unless_refused(lambda: layout @ Layout(shape))


@MANY
@given(compact | spaced() | positive | meeting, st.none() | st.integers(1, 200))
def test_a_complement_is_found_exactly_where_there_is_one(layout, target):
    least = by_hand.cosize(layout) if target is None else target
    result, _refusal = attempt(library.complement, layout, target)
    expected = by_hand.complement_table(layout, least)
    assert (None if result is None else by_hand.table(result)) == expected


@QUICK
@given(spaced(), st.integers(1, 9), st.integers(1, 9))
def test_the_size_of_a_complement_may_be_a_shape(layout, rows, columns):
    assert library.complement(layout, (rows, (columns,))) == library.complement(layout, rows * columns)


@QUICK
@given(spaced(), st.integers(1, 200))
def test_the_complement_of_the_complement_has_the_same_offsets(layout, target):
    rest = library.complement(layout, target)
    assert by_hand.image(library.complement(rest, layout.size * rest.size)) == by_hand.image(layout)


@QUICK
@given(compact | spaced() | something | meeting)
def test_a_right_inverse_is_undone_by_the_layout_as_far_as_can_be(layout):
    post.right_inverse(library.right_inverse(layout), layout)


@QUICK
@given(compact | spaced() | positive | meeting)
def test_a_left_inverse_undoes_the_layout_or_there_is_none_of_this_kind(layout):
    result, _refusal = attempt(library.left_inverse, layout)
    if result is not None:
        post.left_inverse(result, layout)
        return
    strides = sorted(stride for extent, stride in by_hand.pairs(layout) if extent > 1)
    injective = len(by_hand.image(layout)) == layout.size
    assert not injective or any(large % small for small, large in pairwise(strides))


@QUICK
@given(compact)
def test_the_inverse_of_the_inverse_is_the_same_function(layout):
    for inverse in (library.right_inverse, library.left_inverse):
        assert equivalent(inverse(inverse(layout)), layout)
        assert equivalent(library.coalesce(layout @ inverse(layout)), Layout(layout.size))


@QUICK
@given(something)
def test_the_nullspace_is_all_that_goes_to_zero_by_its_strides(layout):
    post.nullspace(library.nullspace(layout), layout)


@QUICK
@given(compact | spaced() | meeting, compact | spaced() | meeting)
def test_the_common_layout_is_a_right_inverse_of_both(a, b):
    result = library.max_common_layout(a, b)
    post.max_common_layout(result, a, b)
    assert library.max_common_vector(a, b) == result.size


@QUICK
@given(compact | spaced())
def test_a_layout_has_all_in_common_with_itself(layout):
    assert library.max_common_vector(layout, layout) == library.right_inverse(layout).size


@MANY
@given(compact | spaced() | something | meeting, st.integers(1, 8))
def test_upcast_addresses_the_same_elements(layout, count):
    result, _refusal = attempt(library.upcast, layout, count)
    if result is not None:
        post.upcast(result, layout, count)
        return
    by_leaf = [wider(extent, stride, count) for extent, stride in by_hand.pairs(layout)]
    assert None in by_leaf or post.spread(by_hand.from_pairs(by_leaf), count) != by_hand.image(layout)


def wider(extent, stride, count):
    """Return a leaf in units of ``count`` elements; None if it begins inside one."""
    if stride % count == 0:
        return extent, stride // count
    steps = count // abs(stride)
    return (extent // steps, 1) if count % stride == 0 and extent % steps == 0 else None


@QUICK
@given(compact | something, st.integers(1, 8))
def test_downcast_addresses_the_same_elements_and_upcast_undoes_it(layout, count):
    result, _refusal = attempt(library.downcast, layout, count)
    assert (result is not None) == (count == 1 or any(1 in leaf for leaf in layout.leaves))
    if result is not None:
        post.downcast(result, layout, count)
        assert by_hand.table(library.upcast(result, count)) == by_hand.table(layout)


@QUICK
@given(compact, st.integers(1, 12), st.integers(1, 12))
def test_recast_addresses_the_same_bits(layout, new, old):
    result = unless_refused(lambda: library.recast(layout, new, old))
    if result is not None:
        post.recast(result, layout, new, old)


@QUICK
@given(compact, st.integers(1, 12), st.integers(1, 4))
def test_recast_to_parts_of_an_element_is_always_possible(layout, new, parts):
    post.recast(library.recast(layout, new, new * parts), layout, new, new * parts)


@QUICK
@given(spaced())
def test_a_complement_needs_positive_strides(layout):
    assume(layout.size > 1)
    backward = restrided(layout, [-stride for _extent, stride in layout.leaves])
    with pytest.raises(LayoutError):
        library.complement(backward)
