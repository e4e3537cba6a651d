"""Pictures as SVG documents."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from accel.layout.pictures.grids import Cell, Drawing, Grid, Listing, fitting
from accel.pictures import svg
from accel.pictures.style import MONO, svg_style
from accel.pictures.svg import text_width

__all__ = ["drawn_svg"]

MARGIN, GAP, LINE, CAPTION = 24, 36, 20, 26
WIDEST = 1500
"""The most pixels that grids side by side may take."""

COLUMNS = 64
"""The most columns of a grid; wider grids are cut."""

STYLE = svg_style("accel-layout", MONO, "& .cell text { text-anchor: middle; }\n& .line { stroke-linecap: square; }")


class _Size(NamedTuple):
    """Sizes in pixels: the width of the row names, width and height of a cell, and the font size."""

    head: float
    width: float
    height: float
    font: float

    def grid(self, grid: Grid) -> tuple[float, float]:
        """Return width and height of a grid, including its caption and column names."""
        right = self.head + self.width * len(grid.columns.names)
        return max(right, text_width(grid.caption, 13)), _top(grid) + self.height * len(grid.rows.names)


def drawn_svg(drawing: Drawing) -> str:
    """Return a drawing as an SVG document."""
    pieces = fitting(drawing, COLUMNS)
    body, right, bottom = _body(pieces, drawing.together) if pieces else _listings(drawing.listings)
    width = max(right, text_width(drawing.title, 17), text_width(drawing.about, 13)) + 2 * MARGIN
    height = MARGIN + 2 * LINE + 14 + bottom + MARGIN
    head = _text(MARGIN, MARGIN + 8, drawing.title, 17, "ink")
    head += _text(MARGIN, MARGIN + 8 + LINE + 4, drawing.about, 13, "soft")
    body = head + svg.moved(body, MARGIN, MARGIN + 2 * LINE + 14)
    return svg.document("accel-layout", width, height, body, title=drawing.title, about=drawing.about, style=STYLE)


def _top(grid: Grid) -> float:
    """Return the y coordinate of the first cells, below the caption and the column names."""
    return (CAPTION if grid.caption else 0) + LINE


def _text(x: float, middle: float, text: str, font: float, kind: str, fill: str = "") -> str:
    """Return a text element that is vertically centred at ``middle``."""
    return svg.text(x, middle + 0.35 * font, text, kind, size=font, fill=fill)


def _body(grids: Sequence[Grid], together: int) -> tuple[str, float, float]:
    """Return grids arranged in rows, and their total width and height."""
    size = _size(grids)
    spans = [size.grid(grid) for grid in grids]
    wide, high = max(width for width, _ in spans) + GAP, max(height for _, height in spans) + GAP
    across = max(int((WIDEST + GAP) // wide) // together * together, 1)
    parts = [
        svg.moved("".join(_grid(grid, size)), wide * (k % across), high * (k // across)) for k, grid in enumerate(grids)
    ]
    count = min(across, len(grids))
    return "".join(parts), wide * count - GAP, high * -(-len(grids) // across) - GAP


def _size(grids: Sequence[Grid]) -> _Size:
    font = 13 if len(grids[0].columns.names) <= 32 else 11
    cells = [cell for grid in grids for row in grid.cells for cell in row]
    longest = max(len(line) for cell in cells for line in cell.paint.lines)
    names = max(text_width(name, font - 2) for grid in grids for name in grid.columns.names)
    height = 2.4 * font if len(cells[0].paint.lines) == 1 else 3 * font
    width = max(text_width("m" * longest, font) + 10, names + 10, height)
    head = max(text_width(name, font - 2) for grid in grids for name in grid.rows.names) + 10
    return _Size(head, width, height, font)


def _grid(grid: Grid, size: _Size) -> Iterator[str]:
    top = _top(grid)
    yield _text(0, CAPTION / 2, grid.caption, 13, "ink")
    for k, name in enumerate(grid.columns.names):
        yield _text(size.head + (k + 0.5) * size.width, top - LINE / 2, name, size.font - 2, "soft middle")
    for k, (name, row) in enumerate(zip(grid.rows.names, grid.cells, strict=True)):
        y = top + k * size.height
        yield _text(size.head - 8, y + size.height / 2, name, size.font - 2, "soft end")
        for j, cell in enumerate(row):
            yield _cell(cell, size.head + j * size.width, y, size)
    yield from _lines(grid, size, top)


def _cell(cell: Cell, x: float, y: float, size: _Size) -> str:
    color, (first, *second) = cell.paint.color, cell.paint.lines
    center, middle = x + size.width / 2, y + size.height / 2 - (0.45 * size.font if second else 0)
    texts = [_text(center, middle, first, size.font, "", color.ink.hex)]
    texts += [_text(center, middle + size.font, line, size.font - 3, "", color.ink.hex) for line in second]
    box = svg.rect(x, y, size.width, size.height, "edge", fill=color.hex)
    return svg.group(f"{box}{''.join(texts)}", kind="cell", title=f"{cell.where}: {cell.paint.said}")


def _lines(grid: Grid, size: _Size, top: float) -> Iterator[str]:
    """Yield the borders, each with a halo that separates it from dark cells."""
    left, right = size.head, size.head + size.width * len(grid.columns.names)
    bottom = top + size.height * len(grid.rows.names)
    across = [(border, f"M{left:g} {top + k * size.height:g}H{right:g}") for k, border in enumerate(grid.rows.borders)]
    down = [(border, f"M{left + k * size.width:g} {top:g}V{bottom:g}") for k, border in enumerate(grid.columns.borders)]
    shown = [(min(0.3 + 1.5 * border, 6), path) for border, path in sorted(across + down) if border]
    for weight, path in shown:
        yield svg.path(path, "edge", stroke_width=weight + 3)
    for weight, path in shown:
        yield svg.path(path, "line", stroke_width=weight)


def _listings(listings: Sequence[Listing]) -> tuple[str, float, float]:
    parts, right, y = [], 0.0, 0.0
    for listing in listings:
        sizes = [
            text_width("m" * max(map(len, column)), 13) + 24 for column in zip(listing.head, *listing.rows, strict=True)
        ]
        lefts = list(accumulate(sizes, initial=0.0))
        for k, row in enumerate((listing.head, *listing.rows)):
            kind = "ink" if k else "soft"
            parts += [_text(x, y + LINE / 2, text, 13, kind) for x, text in zip(lefts, row, strict=False)]
            y += LINE
        right, y = max(right, lefts[-1]), y + LINE
    return "".join(parts), right, y - LINE
