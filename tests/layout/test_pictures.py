"""Pictures show the values of layouts, in readable colours."""

import re
from collections import Counter
from math import prod
from types import SimpleNamespace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Picture, Swizzle, make_layout_tv
from accel.testing import layouts, shapes

from . import definitions as by_hand
from .pictures import contrast, html_cells, svg_cells, svg_grids, terminal_inks, text_rows
from .strategies import QUICK, SMALL, anything, something

COLORS = st.sampled_from(["offset", "bank", "vector"])
ESCAPE = re.compile(r"\x1b\[[\d;]*m")
STRIDES = st.integers(-40, 40)
SMALL_STRIDES = layouts(SMALL, STRIDES)
TABLES = layouts(st.tuples(shapes(max_size=12), shapes(max_size=12)), STRIDES)
TV = [
    (Layout((4, 8), (8, 1)), Layout((2, 2))),
    (Layout((8, 4), (4, 1)), Layout((1, 8))),
    (Layout((2, 3)), Layout((3, 1))),
    (Layout(1), Layout(1)),
]


def coordinate(cell):
    return by_hand.nested(cell.where)


@QUICK
@given(something, COLORS)
@example(Layout((2, 1, 3, (2, 2))), "offset")
def test_every_coordinate_has_a_cell_with_its_offset(layout, color):
    picture = Picture(layout, color)
    for cells in (svg_cells(picture), html_cells(picture)):
        assert sorted(by_hand.at_coordinate(layout, coordinate(cell)) for cell in cells) == sorted(
            by_hand.table(layout)
        )
        assert len({cell.where for cell in cells}) == layout.size
        for cell in cells:
            offset = by_hand.at_coordinate(layout, coordinate(cell))
            assert cell.texts[0] == str(offset)
            assert cell.said.startswith(f"offset {offset}")


@QUICK
@given(TABLES | layouts(shapes(max_depth=0), STRIDES))
def test_a_terminal_shows_the_offsets_row_by_row(layout):
    down = layout.mode(0).size if layout.rank == 2 else 1
    texts = [str(offset) for offset in by_hand.table(layout)]
    assert text_rows(Picture(layout), 10**6) == [texts[row::down] for row in range(down)]


@QUICK
@given(anything, COLORS, st.integers(12, 140))
def test_lines_fit_the_width_with_and_without_colours(layout, color, width):
    picture = Picture(layout, color)
    plain = picture.text(width)
    assert max(map(len, plain.splitlines())) <= width
    assert "\x1b" not in plain
    for colors in (256, 1 << 24):
        assert ESCAPE.sub("", picture.text(width, colors)) == plain


@QUICK
@given(SMALL_STRIDES, st.integers(24, 140))
def test_what_is_too_wide_is_cut_between_columns(layout, width):
    shown = Counter(text for row in text_rows(Picture(layout), width) for text in row)
    assume(shown)  # a narrow terminal has no place for the widest cells, and says so
    assert shown == Counter(map(str, by_hand.table(layout)))


def test_a_terminal_too_narrow_for_a_cell_says_so():
    assert "needs more than 20 columns" in " ".join(Picture(Layout(4, 10**30)).text(20).split())


@QUICK
@given(something, COLORS)
def test_text_can_be_read_on_the_colour_of_its_cell(layout, color):
    picture = Picture(layout, color)
    for cell in svg_cells(picture) + html_cells(picture):
        (ink,) = cell.inks
        assert contrast(ink, cell.fill) >= 4.5
    for colors in (256, 1 << 24):
        result = terminal_inks(picture.text(200, colors))
        assert len(result) == layout.size
        assert all(contrast(back, ink) >= 4.5 for back, ink in result)


@QUICK
@given(SMALL_STRIDES, st.sampled_from([1, 2, 4, 8, 16]))
def test_cells_have_one_colour_iff_they_have_one_bank(layout, itemsize):
    cells = svg_cells(Picture(layout, "bank", itemsize=itemsize))
    banks = [by_hand.at_coordinate(layout, coordinate(cell)) * itemsize // 4 % 32 for cell in cells]
    one_to_one(banks, [cell.fill for cell in cells])
    assert [cell.texts[1] for cell in cells] == [f"b{bank}" for bank in banks]


@QUICK
@given(SMALL_STRIDES, st.integers(1, 9))
def test_cells_have_one_colour_iff_they_are_of_one_vector(layout, width):
    cells = svg_cells(Picture(layout, "vector", vector=width))
    vectors = [by_hand.at_coordinate(layout, coordinate(cell)) // width for cell in cells]
    assert [cell.texts[1] for cell in cells] == [f"v{vector}" for vector in vectors]
    assume(max(vectors) - min(vectors) < 32)
    one_to_one(vectors, [cell.fill for cell in cells])


@QUICK
@given(something)
def test_cells_of_one_offset_have_one_colour(layout):
    assert len({(cell.texts[0], cell.fill) for cell in svg_cells(Picture(layout))}) == len(set(by_hand.table(layout)))


@QUICK
@given(something)
def test_the_lowest_offset_is_the_lightest_and_the_highest_the_darkest(layout):
    cells = svg_cells(Picture(layout))
    lowest, *_rest, highest = sorted(cells, key=lambda cell: int(cell.texts[0])) * 2
    light, dark = [cell.fill for cell in svg_cells(Picture(Layout(2)))]
    assert lowest.fill == light
    assert highest.fill == (dark if highest.texts != lowest.texts else light)
    assert contrast(light, "#000000") > contrast(dark, "#000000")


def one_to_one(groups, colors):
    assert len(set(zip(groups, colors, strict=True))) == len(set(groups)) == len(set(colors))


@pytest.mark.parametrize(("threads", "values"), TV)
def test_a_tile_shows_which_thread_has_which_value(threads, values):
    tile, layout = make_layout_tv(threads, values)
    cells = svg_cells(Picture(layout, "thread", tile=tile))
    index = {by_hand.at_coordinate(Layout(tile), coordinate(cell)): cell for cell in cells}
    owners = [(thread, value) for thread in range(threads.size) for value in range(values.size)]
    for thread, value in owners:
        assert index[layout(thread, value)].texts == [f"T{thread}", f"V{value}"]
    assert len(index) == len(cells) == len(owners)
    one_to_one([cell.texts[0] for cell in cells], [cell.fill for cell in cells])


def test_an_element_that_several_threads_have_or_none_says_so():
    cells = svg_cells(Picture(Layout((4, 2), (0, 2)), "thread", tile=(2, 2)))
    assert [cell.texts[0] for cell in cells] == ["T0+3", "T0+3", "·", "·"]
    assert cells[0].said == "; ".join(f"thread {thread}, value 0" for thread in range(4))
    assert cells[2].said == "no thread"


def test_threads_may_be_swizzled():
    layout = Swizzle(1, 0, 1) @ Layout((2, 2))
    picture = Picture(layout, "thread", tile=(2, 2))
    assert str(picture).startswith(f"{layout}\n")
    assert [cell.texts for cell in svg_cells(picture)] == [["T0", "V0"], ["T1", "V1"], ["T1", "V0"], ["T0", "V1"]]


@pytest.mark.parametrize(
    ("layout", "tile", "problem"),
    [
        (Layout((4, 2)), (2, 3), "has index 6, outside its tile of 6"),
        (Layout((2, 2)), (0,), "tile of 0"),
        (Layout((2, 2, 2)), (8,), "has 3"),
    ],
)
def test_threads_need_a_tile_that_fits(layout, tile, problem):
    with pytest.raises(LayoutError, match=problem):
        Picture(layout, "thread", tile=tile)


@QUICK
@given(TABLES)
@example(Layout(((2, 2, 2), (2, 1, 3, 2))))
def test_borders_stand_where_leaves_end_and_weigh_how_many_do(layout):
    (grid,) = svg_grids(Picture(layout))
    weights = {}
    for across, mode in ((True, layout.mode(0)), (False, layout.mode(1))):
        places = sorted({cell.y if across else cell.x for cell in grid.cells})
        drawn = {line.at: line.weight for line in grid.lines if line.across == across}
        assert len(drawn) == len([line for line in grid.lines if line.across == across])
        extents = [extent for extent, _ in by_hand.pairs(mode)]
        ends = {prod(extents[:k]) for k in range(len(extents))} - {1, mode.size}
        counts = [sum(i % end == 0 for end in ends) for i in range(mode.size)]
        for place, count in list(zip(places, counts, strict=True))[1:]:
            assert (place in drawn) == (count > 0)
            weights.setdefault(count, set()).add(drawn.get(place, 0))
        assert len(drawn) == 2 + sum(count > 0 for count in counts[1:])
    assert all(len(result) == 1 for result in weights.values())
    ordered = [weights[count] for count in sorted(weights)]
    assert ordered == sorted(ordered, key=min)
    assert len(set(map(min, ordered))) == len(ordered)


@QUICK
@given(TABLES)
@example(Layout(((2, 2, 2), (2, 1, 3, 2))))
def test_html_has_the_borders_of_the_svg(layout):
    (grid,) = svg_grids(Picture(layout))
    weights = {(line.across, line.at): line.weight for line in grid.lines}
    sides = set()
    for drawn, told in zip(grid.cells, html_cells(Picture(layout)), strict=True):
        assert ("left" in told.sides) == ((False, drawn.x) in weights)
        assert ("top" in told.sides) == ((True, drawn.y) in weights)
        assert ("right" in told.sides) == (drawn.x == grid.cells[-1].x)
        assert ("bottom" in told.sides) == (drawn.y == grid.cells[-1].y)
        sides |= {(told.sides.get("left", "0"), weights.get((False, drawn.x), 0))}
        sides |= {(told.sides.get("top", "0"), weights.get((True, drawn.y), 0))}
    assert sorted(sides) == sorted(sides, key=lambda pair: pair[1])
    assert len({heavy for _, heavy in sides}) == len(sides) == len({side for side, _ in sides})


@QUICK
@given(something)
@example(Layout((2, 1, 3, (2, 2))))
def test_modes_past_the_second_are_slices(layout):
    grids = svg_grids(Picture(layout))
    rest = [by_hand.size(mode) for mode in by_hand.modes(layout)][2:]
    assert len(grids) == prod(rest)
    assert len({grid.caption for grid in grids}) == len(grids)
    if rest:
        assert all(grid.caption.startswith("(_,_,") for grid in grids)
    index = Layout(layout.shape)
    firsts = [by_hand.at_coordinate(index, coordinate(grid.cells[0])) for grid in grids]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize(("width", "across"), [(57, 4), (56, 3), (27, 2), (26, 1)])
@pytest.mark.parametrize("colors", [0, 256, 1 << 24])
def test_slices_stand_beside_one_another_while_they_fit(width, across, colors):
    lines = ESCAPE.sub("", Picture(Layout((2, 2, 4))).text(width, colors)).splitlines()
    assert next(line.count("┌") for line in lines if "┌" in line) == across


@QUICK
@given(something, st.integers(0, 9), st.sampled_from([(1, 0, 1), (2, 0, 3), (3, 2, 3), (2, 1, -2)]))
def test_a_swizzle_is_drawn_before_and_after(layout, offset, bits):
    composed = ComposedLayout(Swizzle(*bits), offset, layout)
    grids = svg_grids(Picture(composed))
    for before, after in zip(grids[::2], grids[1::2], strict=True):
        assert before.caption.startswith("before")
        assert after.caption.startswith(f"after {composed.swizzle}")
        for first, second in zip(before.cells, after.cells, strict=True):
            plain = offset + by_hand.at_coordinate(layout, coordinate(first))
            assert first.texts == [str(plain)]
            assert second.texts == [str(by_hand.swizzled(plain, *bits))]


def test_a_swizzle_alone_shows_every_offset_that_it_tells_apart():
    swizzle = Swizzle(2, 1, 3)
    root = swizzle._repr_svg_()
    cells = svg_cells(SimpleNamespace(svg=lambda: root))
    before, after = cells[: len(cells) // 2], cells[len(cells) // 2 :]
    assert sorted(int(cell.texts[0]) for cell in before) == list(range(0, 64, 2))
    for one, other in zip(before, after, strict=True):
        assert swizzle(int(one.texts[0])) == int(other.texts[0])
    assert swizzle._repr_html_().count("<table") == 2


@pytest.mark.parametrize("layout", [Layout((2**70, 3)), Layout((2**70, (2**70, 5)), (7, (-1, 0))), Layout((65, 64))])
@pytest.mark.parametrize("color", ["offset", "bank", "vector", "thread"])
def test_a_huge_layout_is_told_by_its_corners_and_leaves(layout, color):
    picture = Picture(layout, color)
    assert svg_cells(picture) == html_cells(picture) == []
    last = layout(layout.size - 1)
    for text in (picture.text(200), picture.svg(), picture.html()):
        assert f"{layout.size:,} elements" in text
        assert all(str(stride) in text and str(extent) in text for extent, stride in layout.leaves)
        assert str(last) in text
    assert max(map(len, picture.text(40).splitlines())) <= 40


def test_a_huge_tile_is_not_drawn_for_the_few_threads_in_it():
    picture = Picture(Layout((2, 2)), "thread", tile=(2**40, 2))
    assert svg_cells(picture) == []
    assert f"a tile of ({2**40},2)" in picture.html()


@QUICK
@given(something)
def test_the_limit_is_the_most_that_is_drawn(layout):
    assert len(html_cells(Picture(layout, limit=layout.size))) == layout.size
    assert html_cells(Picture(layout, limit=layout.size - 1)) == []


@pytest.mark.parametrize("layout", [Layout(0), Layout((0, 2**70)), Layout((4, (3, 0)))])
@pytest.mark.parametrize("color", ["offset", "bank", "vector", "thread"])
def test_where_there_is_no_coordinate_there_is_nothing_to_draw(layout, color):
    picture = Picture(layout, color)
    for text in (str(picture), picture.svg(), picture.html()):
        assert "nothing to draw" in text
    assert html_cells(picture) == []


@pytest.mark.parametrize("layout", [Layout(()), Layout(1), Layout(((1,), 1, (1, 1)))])
def test_one_element_is_one_cell(layout):
    (cell,) = svg_cells(Picture(layout))
    assert (cell.texts, layout(coordinate(cell))) == (["0"], 0)


def test_layouts_of_other_libraries_are_drawn_alike():
    foreign = SimpleNamespace(shape=[4, [2, 3]], stride=[1, [12, 4]])
    assert Picture(foreign).svg() == Picture(Layout((4, (2, 3)), (1, (12, 4)))).svg()


@pytest.mark.parametrize(
    ("made", "error", "problem"),
    [
        (lambda: Picture("(4,8)"), TypeError, "needs a layout"),
        (lambda: Picture(SimpleNamespace(shape=(4, 8), stride=1)), LayoutError, "equally nested"),
        (lambda: Picture(Layout(4), "red"), ValueError, "offset, bank, vector or thread; found 'red'"),
        (lambda: Picture(Layout(4), "bank", itemsize=0), ValueError, "itemsize is at least 1; found 0"),
        (lambda: Picture(Layout(4), "vector", vector=-1), ValueError, "vector is at least 1; found -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(made, error, problem):
    with pytest.raises(error, match=problem):
        made()


@pytest.mark.parametrize("layout", [Layout((4, 8)), Swizzle(2, 0, 3) @ Layout((8, 8))])
def test_a_notebook_draws_what_it_is_given(layout):
    picture = Picture(layout)
    assert layout._repr_svg_() == picture._repr_svg_() == picture.svg()
    assert layout._repr_html_() == picture._repr_html_() == picture.html()


@pytest.mark.parametrize("layout", [Layout((4, 8)), Layout((2**70, 3)), Swizzle(2, 0, 3) @ Layout((8, 8))])
def test_a_picture_loads_no_other_file_and_has_a_description(layout):
    picture = Picture(layout)
    for text in (picture.svg(), picture.html()):
        assert not re.search(r"<script|<image|url\(|@import|href|src=", text)
        assert re.findall(r"http[^\"]*", text) in ([], ["http://www.w3.org/2000/svg"])
    assert "<title>" in picture.svg()
    assert "<desc>" in picture.svg()
    assert "prefers-color-scheme: dark" in picture.svg()


@QUICK
@given(shapes(max_size=64))
def test_nothing_is_drawn_outside_the_frame_of_the_svg(shape):
    svg = Picture(Layout(shape)).svg()
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    grids = re.findall(r'<g transform="translate\(([\d.]+) ([\d.]+)\)">', svg)
    left, top = map(float, grids[0])
    for (x, y), grid in zip(grids[1:], svg_grids(Picture(Layout(shape))), strict=True):
        assert max(cell.x + cell.width for cell in grid.cells) + float(x) + left < width
        assert max(cell.y + cell.height for cell in grid.cells) + float(y) + top < height
