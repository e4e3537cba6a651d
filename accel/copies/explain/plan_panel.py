"""Draws one end of a plan: rows of cells with their items, and an arrow for one step of each loop."""

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

from accel.abc import Fill
from accel.copies.explain.plan_memory import GAP, Excerpt, Item, Memory
from accel.copies.stages import End, Stage

__all__ = ["COLORS", "LINE", "Panel", "panel", "text"]

COLORS = "abc"
"""The colours of loops."""

LINE = 18
"""Height of a line of text, and width of the space for an arrow."""

_CELL, _HIGH, _GAP, _CAPTION, _LETTER = 38, 30, 22, 26, 6.4


class Panel(NamedTuple):
    """The drawing of one end, its width and height, and the height of the cells alone."""

    body: str
    width: float
    height: float
    cells: float


class _Place(NamedTuple):
    """The position and size of a row, a column or a gap in the drawing."""

    value: int
    at: float
    size: float

    @property
    def middle(self) -> float:
        return self.at + self.size / 2


class _Grid(NamedTuple):
    """The memory, and the positions of its rows and columns."""

    memory: Memory
    columns: list[_Place]
    rows: list[_Place]


_Where = dict[Item, tuple[int, int]]


class _Step(NamedTuple):
    """The first step of a loop, from one item to another."""

    color: str
    one: Item
    other: Item

    def turns(self, where: _Where) -> bool:
        """Tell whether the step leads to another cell."""
        return where[self.one] != where[self.other]


def text(x: float, y: float, said: str, kind: str) -> str:
    """Return an SVG text at a position."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(said)}</text>' if said else ""


def panel(memory: Memory, stage: Stage, seen: Excerpt, *, target: bool) -> Panel:
    """Return the drawing of one end of an excerpt."""
    where = {item: place for place, items in memory.cells.items() for item in items}
    end = stage.target if target else stage.source
    straight = end.operand.table is None and end.operand.swizzle is None
    steps = [*_steps(seen)] if straight else []
    down = [step for step in steps if where[step.one][1] == where[step.other][1] and step.turns(where)]
    along = [step for step in steps if where[step.one][0] == where[step.other][0] and step.turns(where)]
    left = LINE * len(down) + _LETTER * max(len(f"{row:,}") for row in memory.rows) + 12
    top = _CAPTION + LINE * len(along) + LINE
    grid = _grid(memory, left, top)
    caption = _caption(end, target=target)
    parts = [
        text(left, 14, caption, "start name"),
        *_labels(grid, left, top),
        *_cells(grid, stage, seen, target=target),
        *_frames(grid, stage),
        *[_down(grid, step, where, LINE * (k + 0.5)) for k, step in enumerate(down)],
        *[_along(grid, step, where, _CAPTION + LINE * (k + 0.5)) for k, step in enumerate(along)],
    ]
    right, bottom = (max(place.at + place.size for place in grid_side) for grid_side in (grid.columns, grid.rows))
    right, bottom = right + _GAP * ("right" in memory.more), bottom + _GAP * ("below" in memory.more)
    return Panel("".join(parts), max(right, left + 8 * len(caption)), bottom, bottom - top)


def _caption(end: End, *, target: bool) -> str:
    role = "target" if target else "source"
    return f"{role}, on {end.device}" if end.name == role else f"{role}: {end.name}, on {end.device}"


def _steps(seen: Excerpt) -> Iterator[_Step]:
    """Yield the first step of each loop that is drawn."""
    colors, after = iter(COLORS), len(seen.items)
    for extent in seen.shown:
        after //= max(extent, 1)
        if extent > 1:
            yield _Step(next(colors), seen.items[0], seen.items[after])


def _grid(memory: Memory, left: float, top: float) -> _Grid:
    wide = max(_CELL, *(_LETTER * len(f"{column:,}") + 8 for column in memory.columns))
    columns = _places(memory.columns, left + _GAP * ("left" in memory.more), wide)
    rows = _places(memory.rows, top + _GAP * ("above" in memory.more), _HIGH)
    return _Grid(memory, columns, rows)


def _places(values: list[int], start: float, size: float) -> list[_Place]:
    places = []
    for value in values:
        places.append(_Place(value, start, _GAP if value == GAP else size))
        start += places[-1].size
    return places


def _labels(grid: _Grid, left: float, top: float) -> Iterator[str]:
    """Yield the byte offsets of rows and columns, and dots where more rows or columns follow."""
    for place in grid.columns:
        if place.value != GAP:
            yield text(place.middle, top - 5, f"{place.value:,}", "soft")
    for place in grid.rows:
        if place.value != GAP:
            yield text(left - 6, place.middle + 4, f"{place.value:,}", "soft end")
    first, last = grid.rows[0], grid.rows[-1]
    sides = {
        "left": (grid.columns[0].at - _GAP / 2, "⋯"),
        "right": (grid.columns[-1].at + grid.columns[-1].size + _GAP / 2, "⋯"),
    }
    for side, (x, dots) in sides.items():
        if side in grid.memory.more:
            yield "".join(text(x, row.middle + 4, dots, "soft") for row in grid.rows if row.value != GAP)
    heights = {"above": first.at - _GAP / 2 + 4, "below": last.at + last.size + _GAP / 2 + 4}
    for side, y in heights.items():
        if side in grid.memory.more:
            yield "".join(text(column.middle, y, "⋮", "soft") for column in grid.columns if column.value != GAP)


def _cells(grid: _Grid, stage: Stage, seen: Excerpt, *, target: bool) -> Iterator[str]:
    for row in grid.rows:
        for column in grid.columns:
            if GAP in {row.value, column.value}:
                yield text(column.middle, row.middle + 4, "⋮" if row.value == GAP else "⋯", "soft")
            else:
                items = grid.memory.cells.get((row.value, column.value), [])
                yield _cell(row, column, items, seen, _label(items, stage, target=target))


def _label(items: list[Item], stage: Stage, *, target: bool) -> str:
    """Return the text of a cell: the name of its item, or the value that is written instead."""
    if not items:
        return ""
    if target and not items[0].read:
        return "0" if stage.plan.fill is Fill.ZERO else ""
    return items[0].name


def _cell(row: _Place, column: _Place, items: list[Item], seen: Excerpt, label: str) -> str:
    box = f'y="{row.at:g}" height="{row.size:g}"'
    read = [item for item in items if item.read]
    if not read:
        empty = f'<rect class="empty" x="{column.at + 1:g}" {box} width="{column.size - 2:g}"/>'
        return empty + text(column.middle, row.middle + 4, label, "soft")
    part = column.size / len(read)
    parts = [
        f'<rect fill="{seen.hue(item).hex}" x="{column.at + part * k:g}" {box} width="{part:g}"/>'
        for k, item in enumerate(read)
    ]
    edge = f'<rect class="edge" x="{column.at:g}" {box} width="{column.size:g}"/>'
    several = text(column.middle, row.at + row.size - 3, f"{len(read)} times", "onto few") if len(read) > 1 else ""
    return "".join(parts) + edge + text(column.middle, row.middle + (1 if several else 4), label, "onto") + several


def _frames(grid: _Grid, stage: Stage) -> Iterator[str]:
    """Yield a frame around each piece that is moved as one."""
    if stage.plan.kind == "transpose":
        last, right = grid.rows[-1], grid.columns[-1]
        yield _frame(grid.rows[0].at, last.at + last.size, grid.columns[0].at, right.at + right.size)
    elif stage.plan.kind in {"memcpy", "rows"}:
        for row in grid.rows:
            for piece in _pieces(grid, row):
                yield _frame(row.at, row.at + row.size, piece[0].at, piece[-1].at + piece[-1].size)


def _pieces(grid: _Grid, row: _Place) -> Iterator[list[_Place]]:
    """Yield the neighbouring columns of a row that hold items of the same run."""

    def run(column: _Place) -> int:
        items = grid.memory.cells.get((row.value, column.value))
        return items[0].run if items else GAP

    for number, columns in groupby(grid.columns, run):
        if number != GAP:
            yield [*columns]


def _frame(top: float, bottom: float, left: float, right: float) -> str:
    return f'<rect class="frame" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" rx="3"/>'


def _down(grid: _Grid, step: _Step, where: _Where, x: float) -> str:
    one, other = (_at(grid.rows, where[item][0]).middle for item in (step.one, step.other))
    back = -4 if other > one else 4
    return f'<path class="loop {step.color}" d="M{x:g} {one:g}V{other:g}m-4 {back}l4 {-back}l4 {back}"/>'


def _along(grid: _Grid, step: _Step, where: _Where, y: float) -> str:
    one, other = (_at(grid.columns, where[item][1]).middle for item in (step.one, step.other))
    back = -4 if other > one else 4
    return f'<path class="loop {step.color}" d="M{one:g} {y:g}H{other:g}m{back} -4l{-back} 4l{back} 4"/>'


def _at(places: list[_Place], value: int) -> _Place:
    return next(place for place in places if place.value == value)
