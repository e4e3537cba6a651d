"""Cases in which other implementations are wrong, one test each: the definition decides."""

import pytest

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import Layout

from . import definitions as by_hand
from . import postconditions as post

parse = Layout.parse


def refused(operation, *arguments):
    with pytest.raises(LayoutError) as caught:
        operation(*arguments)
    return str(caught.value)


def test_a_composition_never_loses_elements():
    a, b = parse("(2,2):(1,4)"), parse("3:1")  # pycute returns 2 elements for 3
    assert not by_hand.representable(a, b)
    message = refused(library.composition, a, b)
    assert "(2,2):(1,4)" in message
    assert "3:1" in message


def test_a_composition_that_exists_is_found_although_strides_do_not_divide():
    assert str(parse("(4,2,8):(3,12,97)") @ parse("3:3")) == "3:9"  # pycute refuses


def test_a_composition_that_is_wrong_from_its_third_element_on_is_refused():
    # CuTe is wrong at 2 (cutlass#3177); (2,3):(6,7) would be right there, and is wrong at 3.
    message = refused(library.composition, parse("(4,6,8):(2,3,5)"), parse("6:3"))
    assert "at coordinate 3 it is 8" in message


def test_a_carry_between_the_modes_of_the_second_layout_is_seen():
    a, b = parse("(6,2):(1,7)"), parse("(3,2):(2,3)")  # all are wrong: cutlass#2955
    assert not by_hand.representable(a, b)
    assert "at coordinate (2,1) it is 8" in refused(library.composition, a, b)


def test_a_left_inverse_fills_the_holes():
    layout = parse("(4,8):(1,5)")
    assert str(library.left_inverse(layout)) == "(5,8):(1,4)"
    post.left_inverse(library.left_inverse(layout), layout)


def test_a_right_inverse_passes_over_what_does_not_move():
    assert str(library.right_inverse(parse("(2,3):(0,1)"))) == "3:2"


def test_a_product_with_a_layout_that_repeats_is_an_answer_or_an_error_and_never_a_crash():
    layout, other = parse("(2,2):(1,1)"), parse("3:1")  # kills the process of cutlass-dsl
    assert by_hand.complement_table(layout, layout.size * other.cosize) is None
    refused(library.logical_product, layout, other)


def test_an_upcast_that_would_cut_an_element_is_refused():
    layout = parse("(6,4):(1,6)")  # the references round 6 elements up to 2 times 4
    assert "(6,4):(1,6)" in refused(library.upcast, layout, 4)


def test_an_upcast_of_leaves_that_overlap_loses_nothing():
    layout = parse("(2,6):(3,1)")  # the leaf 6:1 fills an element of 6 alone, and the other goes on to 8
    assert by_hand.image(layout) == set(range(9))
    refused(library.upcast, layout, 6)


def test_a_negative_stride_spans_elements_too():
    assert parse("(2,4):(-1,2)").cosize == 8


@pytest.mark.parametrize("stride", [2**31, 2**31 + 1, 2**63, 2**63 + 1, 2**64])
def test_strides_past_machine_integers_are_right(stride):
    layout = Layout((4, 8), (1, stride))
    assert layout(3, 7) == 3 + 7 * stride
    assert layout.cosize == 4 + 7 * stride
    assert str(layout @ Layout(8, 4)) == f"8:{stride}"
    assert str(library.complement(Layout((4, 8), (1, 4 * stride)), 8)) == f"{stride}:4"
    assert str(library.coalesce(Layout((stride, 2), (1, stride)))) == f"{2 * stride}:1"
