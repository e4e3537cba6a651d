"""Pictures for terminals: lines of text, with colours or without, that fit a width."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from accel.layout.pictures.colors import Color
from accel.layout.pictures.grids import Axis, Cell, Drawing, Grid, Listing, fitting

__all__ = ["drawn_text"]

GAP = "   "
ALONG, ACROSS = ("", "─", "━"), ("", "│", "┃")
# The first, middle and last mark of a line; each is light or heavy along, and in these light or heavy across.
TOP, MIDDLE, BOTTOM = ("┌┎┍┏", "┬┰┯┳", "┐┒┑┓"), ("├┠┝┣", "┼╂┿╋", "┤┨┥┫"), ("└┖┕┗", "┴┸┷┻", "┘┚┙┛")


class _Style(NamedTuple):
    """How wide are the names of rows, what cells say, and cells; are the names of columns natural; and the colours."""

    head: int
    text: int
    cell: int
    natural: bool
    colors: int

    def span(self, columns: Axis) -> int:
        """Return how wide a grid with these columns is."""
        return self.head + 1 + len(columns.names) * (self.cell + 2) + sum(map(bool, columns.borders))


def drawn_text(drawing: Drawing, width: int, colors: int) -> str:
    """Return the lines of a picture, none longer than ``width``."""
    lines = [*_folded(drawing.title, width), *_folded(drawing.about, width)]
    for table in drawing.tables:
        lines += ["", *_table(table, width)]
    if drawing.grids:
        lines += ["", *_body(drawing, width, colors)]
    return "\n".join(line.rstrip() for line in lines)


def _folded(text: str, width: int) -> list[str]:
    return wrap(text, max(width, 1))


def _table(table: Listing, width: int) -> Iterator[str]:
    sizes = [max(map(len, column)) for column in zip(table.head, *table.rows, strict=True)]
    for row in (table.head, *table.rows):
        yield from _folded("  ".join(map(str.ljust, row, sizes)), width)


def _body(drawing: Drawing, width: int, colors: int) -> list[str]:
    style = _style(drawing.grids, width, colors)
    pieces = _pieces(drawing, style, width)
    if not pieces:
        return _folded(f"A picture of this needs more than {width} columns; write it as SVG instead.", width)
    return _flowed([list(_block(piece, style, width)) for piece in pieces], width, drawing.together)


def _pieces(drawing: Drawing, style: _Style, width: int) -> list[Grid]:
    """Return the grids, cut into pieces that fit the width; none if not even one column does."""
    for count in range((width - style.head) // (style.cell + 2), 0, -1):
        pieces = fitting(drawing, count)
        if all(style.span(piece.columns) <= width for piece in pieces):
            return pieces
    return []


def _style(grids: Sequence[Grid], width: int, colors: int) -> _Style:
    """Choose natural names for the columns if the picture fits the width with them."""
    head = max(len(name) for grid in grids for name in grid.rows.names)
    text = max(len(cell.paint.text) for grid in grids for row in grid.cells for cell in row)
    columns = grids[0].columns
    natural = _Style(head, text, max(text, *map(len, columns.names)), natural=True, colors=colors)
    if natural.span(columns) <= width:
        return natural
    return natural._replace(cell=max(text, *map(len, columns.numbers)), natural=False)


def _flowed(blocks: Sequence[list[str]], width: int, together: int) -> list[str]:
    """Put blocks of lines beside one another while they fit, and below one another after that."""
    across = (width + len(GAP)) // (max(_seen(line) for block in blocks for line in block) + len(GAP))
    across = max(across - across % together, 1)
    lines: list[str] = []
    for start in range(0, len(blocks), across):
        lines += [*_beside(blocks[start : start + across]), ""]
    return lines[:-1]


def _beside(blocks: Sequence[list[str]]) -> Iterator[str]:
    spans = [max(map(_seen, block)) for block in blocks]
    for parts in zip_longest(*blocks, fillvalue=""):
        yield GAP.join(part + " " * (span - _seen(part)) for part, span in zip(parts, spans, strict=True))


def _seen(line: str) -> int:
    """Return how many columns a line takes: what is between an escape and its m is not seen."""
    first, *rest = line.split("\x1b")
    return len(first) + sum(len(part) - part.index("m") - 1 for part in rest)


def _block(grid: Grid, style: _Style, width: int) -> Iterator[str]:
    if grid.caption:
        yield grid.caption if len(grid.caption) <= width else f"{grid.caption[: width - 1]}…"
    margin, across = " " * (style.head + 1), _levels(grid.columns)
    names = grid.columns.names if style.natural else grid.columns.numbers
    if any(names):
        yield margin + _joined([" " if level else "" for level in across], _centred(names, style))
    down = _levels(grid.rows)
    for k, (name, row) in enumerate(zip(grid.rows.names, grid.cells, strict=True)):
        if down[k]:
            yield margin + _rule(down[k], across, style, MIDDLE if k else TOP)
        texts = _centred([cell.paint.text for cell in row], style)
        shown = [_coloured(text, cell, style.colors) for text, cell in zip(texts, row, strict=True)]
        yield f"{name:>{style.head}} " + _joined([ACROSS[level] for level in across], shown)
    yield margin + _rule(down[-1], across, style, BOTTOM)


def _levels(axis: Axis) -> list[int]:
    return [min(border, 2) for border in axis.borders]


def _centred(texts: Sequence[str], style: _Style) -> list[str]:
    return [text.rjust(style.text).center(style.cell + 2) for text in texts]


def _joined(marks: Sequence[str], parts: Sequence[str]) -> str:
    return "".join(f"{mark}{part}" for mark, part in zip(marks, parts, strict=False)) + marks[-1]


def _rule(level: int, across: Sequence[int], style: _Style, corners: tuple[str, str, str]) -> str:
    places = [corners[0], *[corners[1]] * (len(across) - 2), corners[2]]
    marks = [place[2 * (level - 1) + other - 1] if other else "" for place, other in zip(places, across, strict=True)]
    return _joined(marks, [ALONG[level] * (style.cell + 2)] * (len(across) - 1))


def _coloured(text: str, cell: Cell, colors: int) -> str:
    if not colors:
        return text
    back = cell.paint.color if colors > 256 else _web(cell.paint.color)
    return f"\x1b[48;{_code(back, colors)};38;{_code(back.ink, colors)}m{text}\x1b[0m"


def _code(color: Color, colors: int) -> str:
    if colors > 256:
        return f"2;{color.red};{color.green};{color.blue}"
    red, green, blue = map(_sixth, color)
    return f"5;{16 + 36 * red + 6 * green + blue}"


# The cube of 256 colours: six amounts of each part.
AMOUNTS = (0, 95, 135, 175, 215, 255)


def _sixth(part: int) -> int:
    return min(range(6), key=lambda k: abs(AMOUNTS[k] - part))


def _web(color: Color) -> Color:
    return Color(*[AMOUNTS[_sixth(part)] for part in color])
