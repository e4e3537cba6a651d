"""Pictures in a terminal, compared with recorded ones that were reviewed by eye."""

from pathlib import Path

import pytest

from accel.layout import ComposedLayout, Layout, Picture, Swizzle, make_layout_tv

from ..tables import rows
from .pictures import svg_grids

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures.txt"
TILE, THREADS = make_layout_tv(Layout((2, 2), (2, 1)), Layout((1, 2)))
NESTED = Layout(((2, 2, 2), (2, 1, 3, 2)))

RECORDED = {
    "nested modes": lambda: Picture(NESTED).text(100),
    "nested modes, cut": lambda: Picture(NESTED).text(60),
    "a wide mode, cut": lambda: Picture(Layout((2, 40))).text(70),
    "a wide mode, cut to the last column": lambda: Picture(Layout((2, 40))).text(68),
    "a wide mode that is cut at a border": lambda: Picture(Layout((2, (12, 3)))).text(70),
    "slices": lambda: Picture(Layout((2, 3, 2, (2, 2)))).text(46),
    "slices, cut": lambda: Picture(Layout((2, 12, 2))).text(40),
    "one mode": lambda: Picture(Layout(6, -2)).text(80),
    "long names": lambda: Picture(Layout((2, ((2, 2), (2, 1, 1))), (8, ((1, 2), (4, 0, 0))))).text(200),
    "names of columns where they fit": lambda: Picture(Layout((2, (2, 2, 2)))).text(79),
    "numbers of columns where names do not fit": lambda: Picture(Layout((2, (2, 2, 2)))).text(78),
    "banks of bytes": lambda: Picture(Layout((2, 4)), "bank", itemsize=1).text(80),
    "banks of halves": lambda: Picture(Layout((2, 4)), "bank", itemsize=2).text(80),
    "banks of doubles": lambda: Picture(Layout((2, 4)), "bank", itemsize=8).text(80),
    "vectors": lambda: Picture(Layout((4, 4), (4, 1)), "vector", vector=2).text(80),
    "threads": lambda: Picture(THREADS, "thread", tile=TILE).text(80),
    "threads of a row": lambda: Picture(Layout((2, 2), (0, 2)), "thread").text(80),
    "a swizzle": lambda: Picture(ComposedLayout(Swizzle(1, 0, 2), 8, Layout((4, 2), (2, 1)))).text(80),
    "a swizzle, cut": lambda: Picture(ComposedLayout(Swizzle(1, 0, 2), 0, Layout((2, 12)))).text(70),
    "nothing": lambda: Picture(Layout((4, 0))).text(80),
    "one element": lambda: Picture(Layout(1)).text(80),
    "too much": lambda: Picture(Layout((70, (10, 7)), (1, (70, -3)))).text(80),
    "too much under a swizzle": lambda: Picture(Swizzle(1, 0, 1) @ Layout(5000)).text(80),
    "many corners": lambda: Picture(Layout((9, 9, 9, 9, 9)), limit=100).text(80),
    "too narrow": lambda: Picture(Layout((2, 2), (1, 10**9))).text(9),
    "a narrow caption": lambda: Picture(Layout((1, 1, 1, 1, 1, 2))).text(12),
    "a caption that just fits": lambda: Picture(Layout((1, 1, 1, 1, 1, 2))).text(13),
    "one column at a time": lambda: Picture(Layout((2, 3), (1, 10))).text(9),
    "no modes": lambda: Picture(Layout(())).text(80),
    "slices under a swizzle": lambda: Picture(Swizzle(1, 0, 2) @ Layout((2, 2, 2))).text(80),
    "slices in colours": lambda: Picture(Layout((2, 2, 2))).text(80, 256),
    "256 colours": lambda: Picture(Layout((2, 3))).text(80, 256),
    "all colours": lambda: Picture(Layout((2, 3)), "bank").text(80, 1 << 24),
}


def plain(text):
    """Return a text whose escapes can be seen."""
    return text.replace("\x1b", "␛")


TEXTS = dict(part.split("\n", 1) for part in GOLDEN.read_text(encoding="utf-8").removeprefix("# ").split("\n\n# "))


@rows("name", RECORDED)
def test_a_picture_is_as_recorded(name):
    assert plain(RECORDED[name]()) == TEXTS[name].rstrip("\n")


def test_tables_have_a_caption_and_names_where_there_are_some():
    assert "<caption>(_,_,1)</caption>" in Picture(Layout((2, 2, 2))).html()
    assert "<caption" not in Picture(Layout((2, 2))).html()
    assert "<tr><th></th><th" in Picture(Layout((2, 2))).html()
    assert "<th></th>" not in Picture(Layout(())).html()


def test_rows_and_columns_of_an_svg_have_their_names():
    (grid,) = svg_grids(Picture(Layout(((2, 2), 3))))
    assert sorted(grid.names) == sorted(["0", "1", "2", "(0,0)", "(1,0)", "(0,1)", "(1,1)"])


@pytest.mark.parametrize("width", [0, 1])
def test_the_narrowest_terminal_has_one_column(width):
    assert max(map(len, Picture(Layout(4)).text(width).splitlines())) == 1
