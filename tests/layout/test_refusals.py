"""The messages of errors: which part is wrong, what was found there, and what works."""

import re

import numpy as np
import pytest

from accel import layout as library
from accel.errors import BoundsError, LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, _

from ..tables import rows

NESTED = Layout((4, (2, 3)))
parse = Layout.parse


@rows(
    ("refuse", "error", "words"),
    [
        (lambda: NESTED(24), BoundsError, "index 24 is out of range on shape (4,(2,3)): its extent is 24"),
        (lambda: NESTED(0, (0, 3)), BoundsError, "index 3 is out of range on axis 1.1 of shape (4,(2,3)): its extent"),
        (lambda: Layout((4, 8))(4, 8), BoundsError, "index 4 is out of range on axis 0 of shape (4,8)"),
        (
            lambda: NESTED(0, 0, 0),
            LayoutError,
            "(4,(2,3)) expects 2 coordinates, or one integer for all; found (0,0,0)",
        ),
        (
            lambda: NESTED(0, (0, 0, 0)),
            LayoutError,
            "(2,3) of shape (4,(2,3)) expects 2 coordinates, or one integer for all; found (0,0,0) in (0,(0,0,0))",
        ),
        (
            lambda: NESTED((0, 0), 0),
            LayoutError,
            "4 of shape (4,(2,3)) expects an integer; found (0,0) in ((0,0),0)",
        ),
        (lambda: Layout(4)((3,)), LayoutError, "4 expects an integer; found (3)"),
        (
            lambda: library.idx2crd(3, (0, 4)),
            LayoutError,
            "shape (0,4) has no elements, so it has no integer coordinates",
        ),
        (lambda: library.idx2crd((1,), (4, 8)), TypeError, "an index is an integer; found (1,)"),
        (lambda: NESTED[_, _, _], LayoutError, "(4,(2,3)) expects 2 coordinates; found (_, _, _)"),
        (lambda: Layout(4)[_, 0], LayoutError, "4 expects 1 coordinates; found (_, 0)"),
        (lambda: NESTED[_, 1:2], TypeError, "a coordinate is made of integers"),
        (lambda: library.dice(NESTED, ("x", _)), TypeError, "a coordinate is made of integers"),
        (lambda: library.coalesce(Layout((4, 8)), (1, 1, 1)), LayoutError, "the profile (1, 1, 1) has more parts than"),
        (lambda: library.coalesce(Layout(4), (1,)), LayoutError, "the profile (1,) has more parts than"),
        (lambda: library.complement(Layout(0), 0), LayoutError, "in 0 elements: it has no elements"),
        (lambda: library.complement(Layout(2), -1), LayoutError, "a size is not negative; found -1"),
        (lambda: library.complement(parse("(3,2):(1,4)")), LayoutError, "its leaf 2:4 is no multiple of 3, the span"),
        (
            lambda: library.left_inverse(parse("(4,3):(2,4)")),
            LayoutError,
            "leaf 3:4 is no positive multiple of 2 from 8 on",
        ),
        (lambda: library.upcast(parse("(4,5):(1,3)"), 4), LayoutError, "its leaf 5:3 does not start wide elements"),
        (lambda: library.upcast(parse("(4,4):(1,-1)"), 4), LayoutError, "its leaf 4:-1 does not start wide elements"),
        (lambda: library.upcast(parse("(2,2):(1,1)"), 4), LayoutError, "do not cover each group of 4 elements once"),
        (
            lambda: library.upcast(parse("(2,2,4):(1,1,1)"), 4),
            LayoutError,
            "do not cover each group of 4 elements once",
        ),
        (lambda: library.overhang(Layout((4, 4)), (Layout(2),) * 3), LayoutError, "has 3 parts"),
        (
            lambda: library.tile_to_shape(Layout((2, 2)), (4,)),
            LayoutError,
            "the shape (4) has fewer modes than the block",
        ),
        (
            lambda: library.tile_to_shape(Layout((2, 2)), (9, 2)),
            LayoutError,
            "the size of the block (2,2):(1,2) there; 8 is one",
        ),
        (
            lambda: library.tile_to_shape(Layout((2, 3)), (2, 4)),
            LayoutError,
            "mode 1 of the shape (2,4) is no multiple of 3",
        ),
        (lambda: library.tile_to_shape(Layout((2, 3)), (2, 4)), LayoutError, "there; 3 is one"),
        (lambda: library.tile_to_shape(Layout((4, 1)), (1, 1)), LayoutError, "there; 4 is one"),
        (
            lambda: library.local_partition(Layout(8), Layout(4), 4),
            LayoutError,
            "it numbers the threads from 0 to 3, each once",
        ),
        (lambda: library.local_partition(Layout(8), Layout(4), -1), LayoutError, "4:1 has no thread -1"),
        (lambda: library.make_layout_tv(Layout(4, 2), Layout(2)), LayoutError, "does not number 4 threads from 0 to 3"),
        (
            lambda: parse("((2,2),4):((1,8),2)").to_strides(4),
            LayoutError,
            "mode 0 of ((2,2),4):((1,8),2) has no single",
        ),
        (lambda: library.size(np.zeros(3)), TypeError, "a layout is needed, as in"),
        (lambda: library.Picture(np.zeros(3)), TypeError, "Picture needs a layout"),
        (lambda: library.Picture(Layout((2, 2), (-1, 2)), "thread", tile=4), LayoutError, "has index -1, outside"),
        (lambda: library.size("4:1"), TypeError, "a layout is needed, as in"),
        (lambda: library.offsets(Layout(2, 2**63)), LayoutError, "do not fit into 64 bits"),
        (lambda: library.find_swizzle(Layout(32), 4, banks=0), LayoutError, "banks is at least 1; found 0"),
        (
            lambda: library.find_swizzle(Layout(64, 2), 2, vector=8),
            LayoutError,
            "an access of 8 elements needs consecutive offsets",
        ),
        (lambda: library.vector_width(Layout(8), 0, 16), LayoutError, "itemsize is at least 1; found 0"),
        (lambda: library.size("4:1"), TypeError, "found '4:1': write Layout.parse(text)"),
        (lambda: Layout("(4,8)"), TypeError, "found '(4,8)': write Layout.parse(text)"),
        (lambda: Layout.parse(4), TypeError, "the notation is text"),
        (lambda: Layout.parse("(4,  x)"), LayoutError, "expected an integer at position 5 of '(4,  x)'; found 'x'"),
        (lambda: Layout.parse("4:1 5"), LayoutError, "expected the end at position 4 of '4:1 5'; found '5'"),
        (lambda: Layout.parse("(4,"), LayoutError, "expected an integer at position 3 of '(4,'; found the end"),
        (lambda: Swizzle.parse("T<1,0,1>"), LayoutError, "expected 'S' at position 0"),
        (lambda: ComposedLayout("S<1,0,1>", 0, Layout(4)), TypeError, "a swizzle is needed"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(refuse, error, words):
    with pytest.raises(error, match=re.escape(words)):
        refuse()


def test_a_refusal_does_not_say_twice_what_was_asked():
    with pytest.raises(LayoutError) as caught:
        NESTED(0, 0, 0)
    assert str(caught.value) == "(4,(2,3)) expects 2 coordinates, or one integer for all; found (0,0,0)"


def test_nothing_else_is_equal_to_a_layout_or_a_swizzle():
    for ours in (Layout(4), Swizzle(1, 0, 1), Swizzle(1, 0, 1) @ Layout(4)):
        assert (ours == 4) is False
        assert (ours == "4:1") is False
