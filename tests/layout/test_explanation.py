"""Explanations: the result of the operation, the steps that lead to it, and the reason of an error."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel import layout
from accel.errors import LayoutError
from accel.layout import Layout, explain
from accel.layout.derivations import DERIVATIONS
from accel.testing.layout_strategies import layouts

UNARY = ("coalesce", "complement", "left_inverse", "right_inverse")
BINARY = ("composition", "logical_divide", "zipped_divide", "logical_product", "flat_product", "max_common_layout")


class Lists(HTMLParser):
    """Counts the open lists of a page."""

    def __init__(self):
        super().__init__()
        self.open, self.items = [], 0

    def handle_starttag(self, tag, attributes):
        self.open += [tag] * (tag not in ("br", "li"))
        self.items += tag == "li"

    def handle_endtag(self, tag):
        if tag != "li":
            assert self.open.pop() == tag


def agrees(name, *operands):
    """Check an explanation against the operation itself."""
    result, expected, refusal = explain(name, *operands), None, ""
    try:
        expected = getattr(layout, name)(*operands)
    except LayoutError as error:
        refusal = str(error)
    assert result.result == expected
    assert not refusal or result.verdict == refusal
    assert (f"refused: {refusal}" if refusal else f"result: {result.result}  (") in str(result)
    page = Lists()
    page.feed(result._repr_html_())
    assert not page.open
    assert page.items == len(result.lines)


@pytest.mark.parametrize("name", UNARY)
@given(one=layouts())
def test_one_layout(name, one):
    agrees(name, one)


@pytest.mark.parametrize("name", BINARY)
@given(one=layouts(), other=layouts())
def test_two_layouts(name, one, other):
    agrees(name, one, other)


@pytest.mark.parametrize("name", ["upcast", "downcast"])
@given(one=layouts(), n=st.integers(1, 8))
def test_widths(name, one, n):
    agrees(name, one, n)


def test_every_derivation_belongs_to_an_operation():
    assert all(callable(getattr(layout, name)) for name in DERIVATIONS)


def test_the_leaves_named_for_a_composition_are_those_of_the_result():
    result = explain("composition", Layout((10, 2), (16, 4)), Layout((3, 4), (1, 5)))
    told = [line.text.partition(": ")[2] for line in result.lines if line.text.startswith("leaf ")]
    leaves = [f"{extent}:{stride}" for extent, stride in result.result.leaves]
    assert re.findall(r"\d+:\d+", " ".join(told)) == leaves


def test_a_carry_is_the_reason_of_a_refusal():
    result = explain("composition", Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3)))
    assert "carry" in result.verdict
    assert any("the values decide" in line.text for line in result.lines)


def test_uneven_tiles_are_marked():
    assert any("2 elements past the end" in line.text for line in explain("logical_divide", Layout(10), 4).lines)
    assert not any("past the end" in line.text for line in explain("logical_divide", Layout(12), 4).lines[-1:])


def test_functions_stand_for_their_names_and_text_by_mode_is_shown():
    assert explain(layout.complement, Layout(4, 2), 24) == explain("complement", Layout(4, 2), 24)
    assert explain("tiled_divide", Layout((4, 6)), (Layout(2), None)).title == "tiled_divide (4,6):(1,4), <2:1,_>"


def test_the_check_is_told_where_it_was_made():
    assert explain("composition", Layout(8), 4).verdict == "0, 1, 2, 3; A(B(c)) at all 4 coordinates"
    assert "all" not in explain("composition", Layout(2**70), Layout(2**20)).verdict


def test_what_cannot_be_explained_lists_what_can():
    with pytest.raises(LayoutError, match=r"size cannot be explained; write one of: blocked_product, coalesce, "):
        explain("size", Layout(3))
    with pytest.raises(TypeError, match="needs operands"):
        explain("coalesce")


def test_html_is_escaped():
    assert "&lt;2:1,_&gt;" in explain("zipped_divide", Layout((4, 6)), (Layout(2), None))._repr_html_()


@pytest.mark.parametrize(
    ("call", "verdict"),
    [
        (("upcast", Layout(64), 4), ", ".join(map(str, range(16)))),
        (("upcast", Layout(68), 4), ", ".join(map(str, range(16))) + ", ..."),
        (("coalesce", Layout((2, 2))), "0, 1, 2, 3; the same at all 4 coordinates"),
        (("composition", Layout((2, 2)), (Layout(2), None)), "0, 1, 2, 3"),
        (("complement", Layout(2), 4), "0, 2; true of all 4 sums"),
        (("right_inverse", Layout((2, 2), (2, 1))), "0, 2, 1, 3; A(R(i)) = i at all 4 coordinates"),
        (("left_inverse", Layout((2, 2), (2, 1))), "0, 2, 1, 3; R(A(i)) = i at all 4 coordinates"),
        (("max_common_layout", Layout(2), Layout(4)), "0, 1; A(R(i)) = i at all 2 coordinates"),
    ],
)
def test_the_verdict_has_the_first_values_and_how_all_were_checked(call, verdict):
    assert explain(*call).verdict == verdict


@pytest.mark.parametrize(
    ("largest", "larger", "check"),
    [
        (("coalesce", Layout(4096)), ("coalesce", Layout(4097)), "the same at all 4096 coordinates"),
        (("complement", Layout(64), 4096), ("complement", Layout(64), 4097), "true of all 4096 sums"),
    ],
)
def test_what_is_large_is_not_checked(largest, larger, check):
    assert explain(*largest).verdict.endswith(f"; {check}")
    assert explain(*larger).verdict.endswith(", ...")


def test_an_operand_that_is_no_layout_is_refused_where_a_layout_is_needed():
    with pytest.raises(TypeError, match="integer"):
        explain("max_common_layout", Layout(4), (Layout(2), None))


def test_what_two_layouts_share_is_gone_through_in_the_order_of_its_strides():
    layout = Layout((4, 2), (2, 1))
    result = explain("max_common_layout", layout, layout)
    assert not any("skipped" in line.text for line in result.lines)
    assert result.result == Layout((2, 4), (4, 1))
