"""Corners that a random layout rarely meets."""

import pytest

from accel.errors import LayoutError
from accel.layout import Layout

VAST = 2**70

parse = Layout.parse


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"(8,{VAST}):(3,5)", f"{VAST}:16", f"{VAST}:10"),  # steps over the first mode
        (f"(8,{VAST}):(3,5)", f"{VAST}:8", f"{VAST}:5"),
        (f"({2 * VAST + 1},3):(3,1)", f"{VAST}:2", f"{VAST}:6"),  # stays inside it
        (f"({VAST + 1},3):(3,1)", f"{VAST + 1}:1", f"{VAST + 1}:3"),
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


def test_a_refusal_offers_a_shorter_leaf_that_works():
    first = parse("(4,6,2):(7,50,5)")
    with pytest.raises(LayoutError, match=r"at coordinate 5 it is 12, .*; 4:5 in the place of leaf 0, 12:5, works"):
        first @ parse("12:5")
    assert str(first @ parse("4:5")) == "4:57"
