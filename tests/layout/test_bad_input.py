"""Invalid input raises at once, with a helpful message."""

import re

import numpy as np
import pytest

from accel import layout as library
from accel.errors import BoundsError, LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, _

from ..tables import rows

NESTED = Layout((4, (2, 3)), (6, (3, 1)))
VAST = 2**70


@pytest.mark.parametrize(
    ("shape", "stride"),
    [
        (4, (1,)),
        ((4,), 1),
        ((4, 8), (1,)),
        ((4, 8), (1, 4, 8)),
        ((4, 8), 1),
        ((4, (2, 3)), (1, 4)),
        ((4, 6), (1, (4, 8))),
        ((), 1),
        (4, ()),
    ],
)
def test_shape_and_stride_must_be_nested_alike(shape, stride):
    with pytest.raises(LayoutError, match="stride") as caught:
        Layout(shape, stride)
    for given in (shape, stride):
        assert str(given).replace(" ", "").replace(",)", ")") in str(caught.value)


@pytest.mark.parametrize("shape", [-1, (4, -1), (4, (2, -3))])
def test_an_extent_is_not_negative(shape):
    with pytest.raises(LayoutError, match=r"not negative; found -\d"):
        Layout(shape)


@pytest.mark.parametrize("value", [4.0, True, "4", None, np.float64(4), np.True_, 4j, b"4"])
def test_extents_and_strides_are_integers(value):
    for shape, stride in ((value, 1), ((2, value), (1, 2)), ((2, 3), (value, 1)), (((value,),), ((1,),))):
        with pytest.raises(TypeError, match="integer"):
            Layout(shape, stride)


def test_a_set_is_no_shape():
    with pytest.raises(TypeError):
        Layout({4, 8})


def test_numpys_integers_are_integers():
    assert library.upcast(Layout(8), np.int64(2)) == Layout(4)
    assert Layout((np.int64(4), np.uint8(8)), (np.int32(8), np.int64(1))) == Layout((4, 8), (8, 1))
    assert all(type(leaf) is int for pair in Layout((np.int64(4),)).leaves for leaf in pair)
    assert NESTED(np.int64(5)) == NESTED(5)


WRONG_TEXT = {
    Layout.parse: (
        *("", "4:", ":1", "(4:1", "4):1", "(4,8):(1,4", "4:1:1", "4,8:1,4", "(4,,8):(1,4)", "x:1", "4:1 5"),
        "(4,8):(1,4)!",
    ),
    Swizzle.parse: ("", "<1,2,3>", "S<1,2,3", "S<a,2,3>", "S<3,0,3>x"),
    library.parse_tiler: ("", "<", "<4:1", "<4:1,,2:1>", "4:1>", "<4:1>x"),
}


@rows(("parse", "text"), [(parse, text) for parse, texts in WRONG_TEXT.items() for text in texts])
def test_invalid_text_is_refused_with_the_position(parse, text):
    with pytest.raises(LayoutError, match=r"position \d+|column \d+|character \d+"):
        parse(text)


def test_text_whose_shape_and_stride_differ_is_refused():
    with pytest.raises(LayoutError, match="stride"):
        Layout.parse("(4,8):(1,4,2)")


@pytest.mark.parametrize("coordinate", [24, -1, (4, 0), (-1, 0), (0, 6), (0, (2, 0)), (0, (0, 3)), (0, (0, -1))])
def test_a_coordinate_outside_is_refused(coordinate):
    with pytest.raises(BoundsError) as caught:
        NESTED(coordinate)
    assert any(str(extent) in str(caught.value) for extent in (24, 4, 6, 2, 3))


def test_a_coordinate_outside_says_axis_index_and_extent():
    with pytest.raises(BoundsError, match=r"(?s)(?=.*\b1\b)(?=.*\b9\b)(?=.*\b8\b)"):
        Layout((4, 8))(0, 9)


@pytest.mark.parametrize("coordinate", [(0,), (0, 0, 0), ((0, 0), 0), (0, (0, 0, 0)), (0, (0, (0, 0))), ()])
def test_a_coordinate_of_another_profile_is_refused(coordinate):
    for ask in (
        NESTED,
        lambda result: library.crd2idx(result, NESTED),
        lambda result: library.slice_layout(NESTED, result),
    ):
        with pytest.raises(LayoutError):
            ask(coordinate)


@pytest.mark.parametrize("coordinate", [1.0, True, "1", None, (1, 1.0), (1, (True, 0))])
def test_a_coordinate_is_made_of_integers(coordinate):
    for ask in (NESTED, lambda result: library.crd2idx(result, NESTED)):
        with pytest.raises(TypeError):
            ask(coordinate)


def test_a_free_coordinate_is_for_slices():
    with pytest.raises((TypeError, LayoutError)):
        NESTED(_, 0)


def test_a_slice_outside_is_refused():
    with pytest.raises(BoundsError):
        NESTED[_, 6]


def test_a_layout_does_not_change():
    for name in ("shape", "stride", "size", "other"):
        with pytest.raises(AttributeError):
            setattr(NESTED, name, 1)


def test_a_vast_layout_is_made_asked_and_refused_at_once():
    vast = Layout((VAST, VAST), (VAST, 1))
    assert vast.size == VAST**2
    assert vast(VAST - 1, 5) == (VAST - 1) * VAST + 5
    assert library.idx2crd(VAST + 7, vast.shape) == (7, 1)
    assert library.coalesce(vast) == vast
    assert library.right_inverse(vast).size == VAST**2
    assert library.equivalent(Layout((VAST, VAST)), Layout(VAST**2))
    assert not library.equivalent(vast, Layout(VAST**2))
    assert library.complement(Layout(VAST, 2), 2 * VAST) == Layout(2, 1)
    assert (vast @ Layout(2, VAST)) == Layout(2, 1)
    assert library.zipped_divide(vast, (Layout(2, 1), Layout(2, 1))).size == VAST**2
    assert library.max_common_vector(Layout(VAST), Layout(VAST)) == VAST


@pytest.mark.parametrize(
    "refuse",
    [
        lambda: Layout((VAST, VAST), (VAST, 1))(VAST**2),
        lambda: Layout((6, VAST), (1, 7)) @ Layout((VAST // 4,), (4,)),
        lambda: library.complement(Layout((VAST, 3), (2, 3))),
        lambda: library.upcast(Layout(VAST, 2), 4),
        lambda: library.left_inverse(Layout((VAST, 2), (2, 3))),
        lambda: library.tile_to_shape(Layout((2, 2)), (VAST + 1, 2)),
        lambda: library.make_layout_tv(Layout(VAST, 2), Layout(2)),
        lambda: library.offsets(Layout(2, VAST)),
    ],
)
def test_what_a_vast_layout_cannot_do_is_refused_at_once(refuse):
    with pytest.raises((LayoutError, BoundsError)):
        refuse()


def test_a_search_that_is_given_up_says_so():
    with pytest.raises(LayoutError, match=r"65,?536"):
        Layout((6, VAST), (1, 7)) @ Layout((VAST // 4,), (4,))


@rows(
    ("refuse", "words"),
    [
        (lambda: Layout((2, 2), (1, 4)) @ Layout(3), ["(2,2):(1,4)", "3:1"]),
        (lambda: library.complement(Layout((3, 2), (1, 4)), 24), ["(3,2):(1,4)"]),
        (lambda: library.complement(Layout(4, -1), 8), ["4:-1", "negative"]),
        (lambda: library.left_inverse(Layout((2, 2), (0, 1))), ["(2,2):(0,1)"]),
        (lambda: library.left_inverse(Layout((3, 2), (2, 3))), ["(3,2):(2,3)"]),
        (lambda: library.logical_divide(Layout(12), Layout((2, 2), (1, 1))), ["12:1", "(2,2):(1,1)"]),
        (lambda: library.logical_product(Layout((2, 2), (1, 1)), Layout(3)), ["(2,2):(1,1)", "3:1"]),
        (lambda: library.upcast(Layout((6, 4)), 4), ["(6,4):(1,6)", "4"]),
        (lambda: library.downcast(Layout(4, 2), 2), ["4:2", "stride 1"]),
        (lambda: library.tile_to_shape(Layout((2, 4), (4, 1)), (9, 8)), ["(2,4):(4,1)", "9"]),
        (lambda: library.make_layout_tv(Layout((2, 2), (1, 1)), Layout((2, 1))), ["(2,2):(1,1)"]),
        (lambda: library.logical_divide(Layout(4), (Layout(2), Layout(2))), ["4:1"]),
        (lambda: library.composition(Layout((4, 4)), (Layout(2), None, Layout(2))), ["(4,4):(1,4)"]),
        (lambda: library.local_partition(Layout((4, 4)), Layout((2, 2)), 4), ["4"]),
        (lambda: Layout.from_strides((4,), (6,), 4), ["6", "4"]),
    ],
)
def test_an_operation_that_has_no_answer_names_what_it_was_given(refuse, words):
    with pytest.raises((LayoutError, BoundsError)) as caught:
        refuse()
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize("count", [0, -1])
def test_recasts_are_by_positive_widths(count):
    for recast in (library.upcast, library.downcast, lambda result, bits: library.recast(result, bits, 8)):
        with pytest.raises(LayoutError):
            recast(NESTED, count)


@rows(
    ("call", "values"),
    [
        (lambda value: library.upcast(NESTED, value), (1.5, True, "2")),
        (lambda value: library.downcast(NESTED, value), (1.5, True, "2")),
        (lambda value: Swizzle(value, 0, 3), (1.0, True, "1")),
        (Swizzle(1, 0, 3), (1.0, "1", None)),
    ],
)
def test_widths_bits_and_offsets_are_integers(call, values):
    for value in values:
        with pytest.raises(TypeError):
            call(value)


@pytest.mark.parametrize("arguments", [(3, 0, 2), (3, 0, -2), (-1, 0, 3), (1, -1, 3)])
def test_a_swizzle_needs_disjoint_bits(arguments):
    with pytest.raises(LayoutError):
        Swizzle(*arguments)


@pytest.mark.parametrize("text", ["S<1,2>", "S<1,2,3,4>"])
def test_a_swizzle_has_three_numbers(text):
    with pytest.raises(LayoutError, match=re.escape(text)):
        Swizzle.parse(text)


def test_a_composed_layout_is_checked_like_its_layout():
    composed = ComposedLayout(Swizzle(1, 0, 1), 0, Layout((2, 2)))
    for outside in (4, -1, (0, 2)):
        with pytest.raises(BoundsError):
            composed(outside)
    with pytest.raises(LayoutError):
        composed((0, 0, 0))


@pytest.mark.parametrize("found", [None, "4:1", object(), 1.5])
def test_what_is_no_layout_is_no_layout(found):
    for operation in (library.coalesce, library.right_inverse, library.flatten, library.offsets):
        with pytest.raises(TypeError):
            operation(found)


def test_an_order_has_the_profile_of_its_shape():
    with pytest.raises(LayoutError):
        library.make_ordered_layout((2, 3), (0,))


def test_a_mode_that_is_not_there_is_refused():
    with pytest.raises(LayoutError, match="2 modes; found mode 2"):
        NESTED.mode(2)


class Foreign:
    """A layout of another library."""

    shape = (4, (2, 3))
    stride = (6, (3, 1))


def test_layouts_of_other_libraries_are_taken():
    assert library.coalesce(Foreign()) == library.coalesce(NESTED)
    assert Layout(24) @ Foreign() == NESTED
    assert library.size(Foreign()) == 24


@pytest.mark.parametrize("text", ["(" * 5000, "(" * 101 + "4" + ")" * 101])
def test_text_nested_too_deep_is_refused_at_its_position(text):
    with pytest.raises(LayoutError, match=r"expected text with brackets nested at most 100 deep at position 100 of"):
        Layout.parse(text)


def test_integers_too_long_to_read_are_refused_at_their_position():
    with pytest.raises(LayoutError, match=r"expected an integer of at most 1000 digits at position 3 of"):
        Layout.parse(f"(4,{'9' * 5000})")
    assert Layout.parse("9" * 1000).size == 10**1000 - 1
