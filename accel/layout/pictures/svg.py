"""Pictures as SVG documents."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import accumulate
from typing import NamedTuple

from accel.layout.pictures.grids import Cell, Drawing, Grid, Listing, fitting

__all__ = ["drawn_svg"]

MARGIN, GAP, LINE, CAPTION = 24, 36, 20, 26
INK, SOFT = 'class="ink start"', 'class="soft start"'
LETTER = 0.61
"""The width of a letter of the font, relative to its height."""

WIDEST = 1500
"""The most pixels that grids side by side may take."""

COLUMNS = 64
"""The most columns of a grid; wider grids are cut."""

# Colours are written out, because many SVG viewers do not support CSS variables.
STYLE = """
.accel-layout { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  max-width: 100%; height: auto; }
.accel-layout text { text-anchor: middle; }
.accel-layout .start { text-anchor: start; }
.accel-layout .end { text-anchor: end; }
.accel-layout .page { fill: #fff; }
.accel-layout .ink { fill: #16181d; }
.accel-layout .soft { fill: #5c606b; }
.accel-layout .cell rect, .accel-layout .halo { stroke: #fff; }
.accel-layout .line { stroke: #16181d; stroke-linecap: square; }
@media (prefers-color-scheme: dark) {
  .accel-layout .page { fill: #15171c; }
  .accel-layout .ink { fill: #eceae5; }
  .accel-layout .soft { fill: #a3a6b0; }
  .accel-layout .cell rect, .accel-layout .halo { stroke: #15171c; }
  .accel-layout .line { stroke: #eceae5; }
}
"""


class _Size(NamedTuple):
    """Sizes in pixels: the width of the row names, width and height of a cell, and the font size."""

    head: float
    width: float
    height: float
    font: float

    def grid(self, grid: Grid) -> tuple[float, float]:
        """Return width and height of a grid, including its caption and column names."""
        right = self.head + self.width * len(grid.columns.names)
        return max(right, _wide(grid.caption, 13)), _top(grid) + self.height * len(grid.rows.names)


def drawn_svg(drawing: Drawing) -> str:
    """Return a drawing as an SVG document."""
    pieces = fitting(drawing, COLUMNS)
    body, right, bottom = _body(pieces, drawing.together) if pieces else _listings(drawing.listings)
    width = max(right, _wide(drawing.title, 17), _wide(drawing.about, 13)) + 2 * MARGIN
    height = MARGIN + 2 * LINE + 14 + bottom + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="accel-layout" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img">'
        f"<title>{escape(drawing.title)}</title><desc>{escape(drawing.about)}</desc><style>{STYLE}</style>"
        f'<rect class="page" width="{width:g}" height="{height:g}" rx="10"/>'
        f"{_text(MARGIN, MARGIN + 8, drawing.title, 17, INK)}"
        f"{_text(MARGIN, MARGIN + 8 + LINE + 4, drawing.about, 13, SOFT)}"
        f'<g transform="translate({MARGIN} {MARGIN + 2 * LINE + 14})">{body}</g></svg>\n'
    )


def _top(grid: Grid) -> float:
    """Return the y coordinate of the first cells, below the caption and the column names."""
    return (CAPTION if grid.caption else 0) + LINE


def _wide(text: str, font: float) -> float:
    return LETTER * font * len(text)


def _text(x: float, middle: float, text: str, font: float, attributes: str) -> str:
    """Return a text element that is vertically centred at ``middle``."""
    y = middle + 0.35 * font
    return f'<text {attributes} x="{x:g}" y="{y:g}" font-size="{font:g}">{escape(text)}</text>' if text else ""


def _body(grids: Sequence[Grid], together: int) -> tuple[str, float, float]:
    """Return grids arranged in rows, and their total width and height."""
    size = _size(grids)
    spans = [size.grid(grid) for grid in grids]
    wide, high = max(width for width, _ in spans) + GAP, max(height for _, height in spans) + GAP
    across = max(int((WIDEST + GAP) // wide) // together * together, 1)
    parts = [
        f'<g transform="translate({wide * (k % across):g} {high * (k // across):g})">{"".join(_grid(grid, size))}</g>'
        for k, grid in enumerate(grids)
    ]
    count = min(across, len(grids))
    return "".join(parts), wide * count - GAP, high * -(-len(grids) // across) - GAP


def _size(grids: Sequence[Grid]) -> _Size:
    font = 13 if len(grids[0].columns.names) <= 32 else 11
    cells = [cell for grid in grids for row in grid.cells for cell in row]
    longest = max(len(line) for cell in cells for line in cell.paint.lines)
    names = max(_wide(name, font - 2) for grid in grids for name in grid.columns.names)
    height = 2.4 * font if len(cells[0].paint.lines) == 1 else 3 * font
    width = max(_wide("m" * longest, font) + 10, names + 10, height)
    head = max(_wide(name, font - 2) for grid in grids for name in grid.rows.names) + 10
    return _Size(head, width, height, font)


def _grid(grid: Grid, size: _Size) -> Iterator[str]:
    top = _top(grid)
    yield _text(0, CAPTION / 2, grid.caption, 13, INK)
    for k, name in enumerate(grid.columns.names):
        yield _text(size.head + (k + 0.5) * size.width, top - LINE / 2, name, size.font - 2, 'class="soft"')
    for k, (name, row) in enumerate(zip(grid.rows.names, grid.cells, strict=True)):
        y = top + k * size.height
        yield _text(size.head - 8, y + size.height / 2, name, size.font - 2, 'class="soft end"')
        for j, cell in enumerate(row):
            yield _cell(cell, size.head + j * size.width, y, size)
    yield from _lines(grid, size, top)


def _cell(cell: Cell, x: float, y: float, size: _Size) -> str:
    color, (first, *second) = cell.paint.color, cell.paint.lines
    center, middle = x + size.width / 2, y + size.height / 2 - (0.45 * size.font if second else 0)
    ink = f'fill="{color.ink.hex}"'
    texts = [_text(center, middle, first, size.font, ink)]
    texts += [_text(center, middle + size.font, line, size.font - 3, ink) for line in second]
    return (
        f'<g class="cell"><title>{escape(f"{cell.where}: {cell.paint.said}")}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{size.width:g}" height="{size.height:g}" fill="{color.hex}"/>'
        f"{''.join(texts)}</g>"
    )


def _lines(grid: Grid, size: _Size, top: float) -> Iterator[str]:
    """Yield the borders, each with a halo that separates it from dark cells."""
    left, right = size.head, size.head + size.width * len(grid.columns.names)
    bottom = top + size.height * len(grid.rows.names)
    across = [(border, f"M{left:g} {top + k * size.height:g}H{right:g}") for k, border in enumerate(grid.rows.borders)]
    down = [(border, f"M{left + k * size.width:g} {top:g}V{bottom:g}") for k, border in enumerate(grid.columns.borders)]
    shown = [(min(0.3 + 1.5 * border, 6), path) for border, path in sorted(across + down) if border]
    for weight, path in shown:
        yield f'<path class="halo" d="{path}" stroke-width="{weight + 3:g}"/>'
    for weight, path in shown:
        yield f'<path class="line" d="{path}" stroke-width="{weight:g}"/>'


def _listings(listings: Sequence[Listing]) -> tuple[str, float, float]:
    parts, right, y = [], 0.0, 0.0
    for listing in listings:
        sizes = [
            _wide("m" * max(map(len, column)), 13) + 24 for column in zip(listing.head, *listing.rows, strict=True)
        ]
        lefts = list(accumulate(sizes, initial=0.0))
        for k, row in enumerate((listing.head, *listing.rows)):
            kind = INK if k else SOFT
            parts += [_text(x, y + LINE / 2, text, 13, kind) for x, text in zip(lefts, row, strict=False)]
            y += LINE
        right, y = max(right, lefts[-1]), y + LINE
    return "".join(parts), right, y - LINE
