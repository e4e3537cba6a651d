"""The exact text of explanations: every sentence of a derivation occurs in one of the recorded texts."""

from pathlib import Path

import pytest

from accel.layout import Layout, explain

GOLDEN = Path(__file__).parents[1] / "golden" / "derivations.txt"
parse = Layout.parse

EXPLAINED = [
    ("coalesce", parse("(2,1,3,4):(1,9,2,24)")),
    ("coalesce", parse("(2,3,4):(5,1,3)")),
    ("coalesce", parse("(2,0,3):(1,9,2)")),
    ("coalesce", parse("((2,3),(4,5)):((1,2),(1,4))"), (1,)),
    ("composition", parse("(4,6,5):(100,7,1)"), parse("(2,3,2):(2,8,24)")),
    ("composition", parse("(4,8):(8,1)"), parse("(8,1):(2,3)")),
    ("composition", parse("8:3"), parse("(2,2):(1,2)")),
    ("composition", parse("(4,6,5):(100,7,1)"), parse("(2,16,5):(8,2,16)")),
    ("composition", parse("(4,6,5,7):(100,7,1,3)"), Layout(5, 48)),
    ("composition", parse("(6,4):(1,100)"), parse("(2,3,1):(8,0,5)")),
    ("composition", parse("(4,6,8):(2,3,5)"), Layout(20, 3)),
    ("composition", parse("(6,2):(1,7)"), parse("(3,2):(2,3)")),
    ("composition", parse("(6,2):(1,7)"), parse("(8,2):(1,3)")),
    ("composition", Layout((6, 2**70), (1, 7)), Layout(2**16, 4)),
    ("composition", Layout((6, 2**70), (1, 7)), Layout(2**17, 4)),
    ("composition", parse("(4,6):(1,4)"), (Layout(2, 2), None)),
    ("composition", parse("((4,6),5):((1,100),3)"), (Layout(2, 4),)),
    ("complement", parse("(2,1,2,4):(24,5,0,2)"), (10, 10)),
    ("complement", parse("(2,2):(1,2)")),
    ("complement", parse("(2,2):(2,3)")),
    ("complement", parse("(2,2):(2,-4)")),
    ("complement", parse("4:-1")),
    ("logical_divide", parse("10:1"), Layout(4)),
    ("logical_divide", parse("(4,6):(1,4)"), (Layout(2), None)),
    ("flat_divide", parse("(4,6):(1,4)"), (Layout(2), Layout(3))),
    ("logical_product", parse("2:4"), Layout(3)),
    ("logical_product", parse("(2,2):(1,2)"), (Layout(3), None)),
    ("tiled_product", parse("2:1"), Layout((3, 2))),
    ("blocked_product", parse("2:1"), Layout(3)),
    ("right_inverse", parse("(2,4,3):(4,1,9)")),
    ("left_inverse", parse("(2,4,3):(4,1,16)")),
    ("left_inverse", parse("(2,4):(3,1)")),
    ("left_inverse", parse("(2,4):(0,1)")),
    ("left_inverse", parse("(2,2):(2,5)")),
    ("max_common_layout", parse("(4,8):(1,4)"), parse("(4,8):(1,16)")),
    ("max_common_layout", parse("(4,8):(8,1)"), parse("(4,8):(8,1)")),
    ("upcast", parse("(8,4):(1,8)"), 4),
    ("downcast", parse("(8,4):(1,8)"), 2),
    ("recast", parse("(8,4):(1,8)"), 32, 8),
]


def steps(text):
    """Return the title, and the depth and the text of each step."""
    title, *lines = text.split("\n")
    return title, [(line.index("-") // 2, line.partition("- ")[2]) for line in lines]


TEXTS = GOLDEN.read_text(encoding="utf-8").rstrip().split("\n\n")


@pytest.mark.parametrize(
    ("call", "text"), [*zip(EXPLAINED, TEXTS, strict=True)], ids=[text.partition("\n")[0] for text in TEXTS]
)
def test_a_derivation_tells_the_steps_as_recorded(call, text):
    result = explain(*call)
    assert (result.title, list(result.lines)) == steps(text)
