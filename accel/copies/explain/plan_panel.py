"""Draws one end of a plan: rows of cells with their items, and an arrow for one step of each loop."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from accel.abc import Fill
from accel.copies.explain.plan_memory import GAP, Excerpt, Item, Memory
from accel.copies.stages import End, Stage
from accel.pictures import svg

__all__ = ["COLORS", "LINE", "Panel", "panel"]

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
        svg.text(left, 14, caption, "ink name"),
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
            yield svg.text(place.middle, top - 5, f"{place.value:,}", "soft middle")
    for place in grid.rows:
        if place.value != GAP:
            yield svg.text(left - 6, place.middle + 4, f"{place.value:,}", "soft end")
    first, last = grid.rows[0], grid.rows[-1]
    sides = {
        "left": (grid.columns[0].at - _GAP / 2, "⋯"),
        "right": (grid.columns[-1].at + grid.columns[-1].size + _GAP / 2, "⋯"),
    }
    for side, (x, dots) in sides.items():
        if side in grid.memory.more:
            yield "".join(svg.text(x, row.middle + 4, dots, "soft middle") for row in grid.rows if row.value != GAP)
    heights = {"above": first.at - _GAP / 2 + 4, "below": last.at + last.size + _GAP / 2 + 4}
    for side, y in heights.items():
        if side in grid.memory.more:
            yield "".join(
                svg.text(column.middle, y, "⋮", "soft middle") for column in grid.columns if column.value != GAP
            )


def _cells(grid: _Grid, stage: Stage, seen: Excerpt, *, target: bool) -> Iterator[str]:
    for row in grid.rows:
        for column in grid.columns:
            if GAP in {row.value, column.value}:
                yield svg.text(column.middle, row.middle + 4, "⋮" if row.value == GAP else "⋯", "soft middle")
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
    read = [item for item in items if item.read]
    if not read:
        empty = svg.rect(column.at + 1, row.at, column.size - 2, row.size, "empty")
        return empty + svg.text(column.middle, row.middle + 4, label, "soft middle")
    part = column.size / len(read)
    parts = [
        svg.rect(column.at + part * k, row.at, part, row.size, fill=seen.hue(item).hex) for k, item in enumerate(read)
    ]
    parts += [
        svg.rect(column.at, row.at, column.size, row.size, "edge"),
        svg.text(column.middle, row.middle + (1 if read[1:] else 4), label, "onto middle"),
    ]
    if read[1:]:
        parts.append(svg.text(column.middle, row.at + row.size - 3, f"{len(read)} times", "onto middle few"))
    return "".join(parts)


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
    return svg.rect(left, top, right - left, bottom - top, "line frame", radius=3)


def _down(grid: _Grid, step: _Step, where: _Where, x: float) -> str:
    one, other = (_at(grid.rows, where[item][0]).middle for item in (step.one, step.other))
    return svg.arrow(x, one, down=other - one, kind=f"loop {step.color}")


def _along(grid: _Grid, step: _Step, where: _Where, y: float) -> str:
    one, other = (_at(grid.columns, where[item][1]).middle for item in (step.one, step.other))
    return svg.arrow(one, y, right=other - one, kind=f"loop {step.color}")


def _at(places: list[_Place], value: int) -> _Place:
    return next(place for place in places if place.value == value)
