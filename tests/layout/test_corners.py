"""Corner cases that random layouts rarely have."""

import copy
import pickle

import pytest

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, _

VAST = 2**70

parse = Layout.parse


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"(8,{VAST}):(3,5)", f"{VAST}:16", f"{VAST}:10"),  # steps over the first mode
        (f"(8,{VAST}):(3,5)", f"{VAST}:8", f"{VAST}:5"),
        (f"({2 * VAST + 1},3):(3,1)", f"{VAST}:2", f"{VAST}:6"),  # stays inside it
        (f"({VAST + 1},3):(3,1)", f"{VAST + 1}:1", f"{VAST + 1}:3"),
        (f"({2 * VAST + 1},3):(3,1)", f"{VAST + 1}:2", f"{VAST + 1}:6"),
        (f"(8,{VAST}):(3,5)", f"{VAST}:2", f"(4,{VAST // 4}):(6,5)"),  # goes through it, and on
        (f"(8,{VAST}):(3,5)", f"(8,{VAST}):(1,8)", f"(8,{VAST}):(3,5)"),  # fills it, without a carry
    ],
)
def test_vast_layouts_compose_by_the_rule_alone(first, second, expected):
    assert str(parse(first) @ parse(second)) == expected


def test_leaves_that_do_not_move_have_stride_zero_also_where_values_decide():
    assert str(parse("(6,4):(1,100)") @ parse("(2,3,1):(8,0,-3)")) == "(2,3,1):(102,0,0)"


def test_a_single_step_back_is_a_negative_coordinate():
    with pytest.raises(LayoutError, match="goes to negative coordinates"):
        parse("(4,8):(8,1)") @ parse("2:-1")


def test_a_sum_of_coordinates_that_just_carries_is_seen():
    with pytest.raises(LayoutError, match="carry"):
        parse("(4,2):(1,100)") @ parse("(3,3):(1,1)")


def test_the_table_is_looked_at_up_to_its_limit_and_no_further():
    carrying = parse(f"(6,{VAST}):(1,7)")
    with pytest.raises(LayoutError, match="at coordinate 3 it is 14"):
        carrying @ Layout(2**16, 4)
    with pytest.raises(LayoutError, match="the table has 65537 values, of which at most 65536"):
        carrying @ Layout(2**16 + 1, 4)


def test_a_leaf_ends_only_where_the_rest_is_a_whole_number_of_it():
    with pytest.raises(LayoutError, match=r"at coordinate 8 it is 5, which no layout of extent 12 has there; 8:1"):
        parse("(4,2,2):(1,100,5)") @ Layout(12)


def test_a_refusal_offers_a_shorter_leaf_that_works():
    first = parse("(4,6,2):(7,50,5)")
    with pytest.raises(LayoutError, match=r"at coordinate 5 it is 12, .*; 4:5 in the place of leaf 0, 12:5, works"):
        first @ parse("12:5")
    assert str(first @ parse("4:5")) == "4:57"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: library.flatten(Layout(4)), "4:1"),
        (lambda: library.col_major((4, 8)), "(4,8):(1,4)"),
        (lambda: library.row_major((4, 8)), "(4,8):(8,1)"),
        (lambda: library.complement(Layout(2), 0), "1:0"),
        (lambda: library.right_inverse(parse("(2,4):(1,1)")), "4:2"),
        (lambda: library.left_inverse(parse("4:2")), "(2,4):(0,1)"),
        (lambda: library.nullspace(parse("(3,5,2):(0,1,0)")), "(3,2):(1,15)"),
        (lambda: library.upcast(parse("(4,1,2):(1,3,0)"), 4), "(1,1,2):(1,1,0)"),
        (lambda: library.upcast(parse("(2,2):(1,2)"), 4), "(1,1):(1,1)"),
        (lambda: library.upcast(Layout(()), 1), "():()"),
        (lambda: library.downcast(parse("4:2"), 1), "4:2"),
        (lambda: library.downcast(parse("(1,2):(1,1)"), 2), "(1,4):(2,1)"),
        (lambda: library.logical_product(parse("(2,2):(1,2)"), (Layout(3), None)), "((2,3),2):((1,2),2)"),
    ],
)
def test_a_choice_among_layouts_of_one_table_is_kept(make, expected):
    assert str(make()) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("(2,4):(1,1)", "(2,4):(1,1)", "4:2"),  # the larger of two leaves that would do
        ("(4,4):(4,1)", "(2,2,4):(4,9,1)", "(4,2):(4,1)"),  # after leaves that are cut in two
        ("(4,2):(1,1)", "(2,2,2):(5,2,1)", "(2,2):(4,2)"),
        ("(6,4):(8,1)", "(4,6):(8,1)", "1:0"),  # no leaves of both begin at one coordinate
    ],
)
def test_what_two_layouts_have_in_common_is_found_past_leaves_that_differ(one, other, expected):
    assert str(library.max_common_layout(parse(one), parse(other))) == expected
    assert str(library.max_common_layout(parse(other), parse(one))) == expected


def test_a_tile_may_be_a_layout_or_leave_a_mode_alone():
    assert library.local_tile(Layout(8), Layout(4, 2), 1) == (Layout((4,), (2,)), 1)
    assert library.local_tile(Layout((8, 12)), (4, None), (1, _)) == (Layout((4, 1, 12), (1, 0, 8)), 4)
    assert library.overhang(Layout((10, 6)), (None, Layout(4))) == (0, 2)


def test_lists_are_shapes_strides_and_coordinates():
    layout = Layout([4, 0], [1, 4])
    assert (layout.size, layout.leaves) == (0, ((4, 1), (0, 4)))
    assert Layout([4, 8], [8, 1])([1, 2]) == 10
    assert library.crd2idx([1, 2], [4, 8]) == 9
    assert library.idx2crd(0, ()) == ()


def test_layouts_of_one_shape_differ_by_their_strides_and_those_of_one_stride_by_their_shapes():
    assert Layout((4, 8)) != Layout((4, 8), (8, 1))
    assert Layout((4, 8), (8, 1)) != Layout((8, 8), (8, 1))


def test_the_free_coordinate_is_one_and_a_colon_means_it():
    assert repr(_) == "_"
    assert copy.deepcopy(_) is _
    assert pickle.loads(pickle.dumps(_)) is _
    assert Layout((4, 8))[:, 3] == Layout((4, 8))[_, 3]


def test_a_layout_under_a_swizzle_is_sliced_and_composed_inside_it():
    composed = ComposedLayout(Swizzle(2, 0, 3), 8, Layout((4, 8), (8, 1)))
    assert composed[_, 3] == (ComposedLayout(Swizzle(2, 0, 3), 11, Layout((4,), (8,))), 0)
    after = composed @ Layout(8, 4)
    assert [after(i) for i in range(8)] == [composed(4 * i) for i in range(8)]
    twin = ComposedLayout(Swizzle(2, 0, 3), 8, Layout((4, 8), (8, 1)))
    assert {composed: 1}[twin] == {Swizzle(2, 0, 3): 1}[composed.swizzle] == 1
    assert repr(composed) == "ComposedLayout(Swizzle(2, 0, 3), 8, Layout((4, 8), (8, 1)))"


def test_strides_in_bytes_are_one_for_each_mode_that_has_one():
    assert Layout(((2, 2), 1, 4), ((1, 2), 7, 8)).to_strides(4) == (4, 0, 32)


def test_layouts_of_other_libraries_compose_on_either_side():
    class Foreign:
        shape, stride = (4, 8), (8, 1)

    assert library.composition(Foreign(), Layout(4)) == library.composition(Layout((4, 8), (8, 1)), Foreign.shape[0])


def test_text_may_have_spaces_anywhere_and_many_brackets_side_by_side():
    many = ",".join(["(1)"] * 150)
    assert Layout.parse(f"({many})").rank == Layout.parse(f"(({many}))").mode(0).rank == 150
    with pytest.raises(LayoutError, match="brackets nested at most 100 deep"):
        Layout.parse(f"({many},{'(' * 100}1{')' * 100})")
    assert Layout.parse(" ( 4 , 8 ) : ( 1 , -4 ) ") == Layout((4, 8), (1, -4))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("(2,2,2):(1,4,16)", "(2,2,2):(1,4,17)", (4, 16, 17)),  # after leaves that are equal
        ("(2,2):(1,8)", "(4,2):(1,8)", (2, 8, 2)),  # where the shorter of two leaves ends
    ],
)
def test_the_first_difference_is_told(one, other, expected):
    assert library.diff(parse(one), parse(other)) == expected


def test_the_largest_offset_of_64_bits_is_in_the_table():
    assert library.offsets(Layout(2, 2**63 - 1)).tolist() == [0, 2**63 - 1]
    composed = ComposedLayout(Swizzle(1, 61, 1), 2**62, Layout(2, 2**62 - 1))
    assert library.offsets(composed).tolist() == [composed(0), composed(1)]
    assert library.offsets(ComposedLayout(Swizzle(0, 70, 0), 1, Layout(2))).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("swizzle", "offset", "layout"),
    [
        (Swizzle(0, 0, 0), 2**62, Layout(2, 2**62)),
        (Swizzle(0, 0, 0), -(2**63), Layout(2, -1)),
        (Swizzle(1, 0, -63), 0, Layout(2)),
        (Swizzle(1, 62, 1), 0, Layout(2)),
    ],
)
def test_a_swizzled_offset_of_more_than_64_bits_is_refused(swizzle, offset, layout):
    with pytest.raises(LayoutError, match="do not fit into 64 bits"):
        library.offsets(ComposedLayout(swizzle, offset, layout))


@pytest.mark.parametrize(
    ("layout", "itemsize", "alignment", "limit", "elements"),
    [
        (Layout(64), 16, 256, 8, 1),  # no access is as wide as an element
        (Layout(64), 8, 4, 16, 1),
        (Layout((8, 4), (1, 0)), 2, 256, 16, 8),
    ],
)
def test_an_access_has_at_least_one_element(layout, itemsize, alignment, limit, elements):
    assert library.vector_width(layout, itemsize, alignment, limit=limit).elements == elements


def test_a_certificate_names_what_would_do():
    assert library.vector_width(Layout(12), 1, 256).reason == "leaf 12:1 has 12 elements, which is no multiple of 8"
    assert library.coalescing(32, 4) == library.coalescing(Layout(32), 4)


def test_many_threads_of_a_conflict_are_told_in_short():
    assert (
        str(library.bank_conflicts(Layout(9, 32), 4).worst) == "threads 0, 1, 2 ... 8 access different words of bank 0"
    )
    assert library.bank_conflicts(Layout(32, 128), 1).ways == 32
    assert library.bank_conflicts(Layout((4, 4)), 4, banks=1, vector=4).ways == 4


def test_one_bit_is_mixed_where_one_is_enough():
    assert library.find_swizzle(Layout(64), 4, Layout(32, 2)).bits == 1
    assert library.find_swizzle(Layout((4, 8), (0, 1)), 4) == Swizzle(0, 0, 0)


@pytest.mark.parametrize("span", [64, 96, 128, 1024])
def test_every_swizzle_that_permutes_a_tile_is_tried(span):
    # Whichever bit of a bank the upper bit is mixed into, one of these pairs is in one bank.
    pairs = [Layout(2, stride) for stride in (32, 33, 34, 36, 40, 48)]
    mixing = [
        (bits, base, shift)
        for bits in range(1, 6)
        for base in range(6 - bits)
        for shift in range(bits, 12)
        if span % 2 ** (base + bits) == 0 and 2 ** (base + bits + shift - 1) < span
    ]
    with pytest.raises(LayoutError, match=f"none of the {1 + len(mixing)} swizzles"):
        library.find_swizzle(Layout(span), 4, *pairs)


@pytest.mark.parametrize(("layout", "tile", "most"), [(Layout((2, 4), (0, 1)), (4,), 8), (Layout((2, 2)), (8,), 8)])
def test_as_many_threads_and_elements_as_the_limit_are_drawn(layout, tile, most):
    assert "colour is thread" in str(library.Picture(layout, "thread", tile=tile, limit=most))
    assert "more than the 7" in str(library.Picture(layout, "thread", tile=tile, limit=most - 1))


def test_a_warp_has_32_threads():
    assert library.bank_conflicts(Layout(64, 32), 4).ways == 32
    assert library.coalescing(Layout(64), 4) == (4, 4, 1.0)
    assert library.find_swizzle(Layout(64), 4, Layout(64)) == Swizzle(0, 0, 0)
