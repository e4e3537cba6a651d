"""Pictures for terminals: lines of text that fit a width, with or without colours."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import NamedTuple

from accel.layout.pictures.grids import Axis, Cell, Drawing, Grid, Listing, fitting
from accel.pictures.colors import Color

__all__ = ["drawn_text"]

GAP = "   "
ALONG, ACROSS = ("", "─", "━"), ("", "│", "┃")
# Corners and crossings at the left, in the middle and at the right of a line. In each string: the first two are for a
# light horizontal line, the last two for a heavy one; of these, the first for a light vertical line.
TOP, MIDDLE, BOTTOM = ("┌┎┍┏", "┬┰┯┳", "┐┒┑┓"), ("├┠┝┣", "┼╂┿╋", "┤┨┥┫"), ("└┖┕┗", "┴┸┷┻", "┘┚┙┛")


class _Style(NamedTuple):
    """Widths of row names, texts and cells, whether columns have nested names, and the number of colours."""

    head: int
    text: int
    cell: int
    nested: bool
    colors: int

    def span(self, columns: Axis) -> int:
        """Return the width of a grid with these columns."""
        return self.head + 1 + len(columns.names) * (self.cell + 2) + sum(map(bool, columns.borders))


def drawn_text(drawing: Drawing, width: int, colors: int) -> str:
    """Return a drawing as lines of text, none longer than ``width``."""
    lines = [*_folded(drawing.title, width), *_folded(drawing.about, width)]
    for listing in drawing.listings:
        lines += ["", *_listing(listing, width)]
    if drawing.grids:
        lines += ["", *_body(drawing, width, colors)]
    return "\n".join(line.rstrip() for line in lines)


def _folded(text: str, width: int) -> list[str]:
    return wrap(text, max(width, 1))


def _listing(listing: Listing, width: int) -> Iterator[str]:
    sizes = [max(map(len, column)) for column in zip(listing.head, *listing.rows, strict=True)]
    for row in (listing.head, *listing.rows):
        yield from _folded("  ".join(map(str.ljust, row, sizes)), width)


def _body(drawing: Drawing, width: int, colors: int) -> list[str]:
    style = _style(drawing.grids, width, colors)
    pieces = _pieces(drawing, style, width)
    if not pieces:
        return _folded(f"This picture needs more than {width} columns; draw it as SVG instead.", width)
    return _flowed([list(_block(piece, style, width)) for piece in pieces], width, drawing.together)


def _pieces(drawing: Drawing, style: _Style, width: int) -> list[Grid]:
    """Return the grids, cut into pieces that fit the width; an empty list if not even one column fits."""
    for count in range((width - style.head) // (style.cell + 2), 0, -1):
        pieces = fitting(drawing, count)
        if all(style.span(piece.columns) <= width for piece in pieces):
            return pieces
    return []


def _style(grids: Sequence[Grid], width: int, colors: int) -> _Style:
    """Choose nested names for the columns if the picture fits the width with them, and integers otherwise."""
    head = max(len(name) for grid in grids for name in grid.rows.names)
    text = max(len(cell.paint.text) for grid in grids for row in grid.cells for cell in row)
    columns = grids[0].columns
    style = _Style(head, text, max(text, *map(len, columns.names)), nested=True, colors=colors)
    if style.span(columns) <= width:
        return style
    return style._replace(cell=max(text, *map(len, columns.numbers)), nested=False)


def _flowed(blocks: Sequence[list[str]], width: int, together: int) -> list[str]:
    """Arrange blocks of lines side by side as long as they fit the width, then below one another."""
    across = (width + len(GAP)) // (max(_visible_length(line) for block in blocks for line in block) + len(GAP))
    across = max(across - across % together, 1)
    lines: list[str] = []
    for start in range(0, len(blocks), across):
        lines += [*_beside(blocks[start : start + across]), ""]
    return lines[:-1]


def _beside(blocks: Sequence[list[str]]) -> Iterator[str]:
    spans = [max(map(_visible_length, block)) for block in blocks]
    for parts in zip_longest(*blocks, fillvalue=""):
        yield GAP.join(part + " " * (span - _visible_length(part)) for part, span in zip(parts, spans, strict=True))


def _visible_length(line: str) -> int:
    """Return how many columns a line takes: escape sequences, from ESC to the letter m, take none."""
    first, *rest = line.split("\x1b")
    return len(first) + sum(len(part) - part.index("m") - 1 for part in rest)


def _block(grid: Grid, style: _Style, width: int) -> Iterator[str]:
    if grid.caption:
        yield grid.caption if len(grid.caption) <= width else f"{grid.caption[: width - 1]}…"
    margin, across = " " * (style.head + 1), _levels(grid.columns)
    names = grid.columns.names if style.nested else grid.columns.numbers
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
    back = cell.paint.color if colors > 256 else _nearest_of_256(cell.paint.color)
    return f"\x1b[48;{_code(back, colors)};38;{_code(back.ink, colors)}m{text}\x1b[0m"


def _code(color: Color, colors: int) -> str:
    if colors > 256:
        return f"2;{color.red};{color.green};{color.blue}"
    red, green, blue = map(_cube_index, color)
    return f"5;{16 + 36 * red + 6 * green + blue}"


# The six values of red, green and blue in the colour cube of 256-colour terminals.
AMOUNTS = (0, 95, 135, 175, 215, 255)


def _cube_index(part: int) -> int:
    return min(range(6), key=lambda k: abs(AMOUNTS[k] - part))


def _nearest_of_256(color: Color) -> Color:
    return Color(*[AMOUNTS[_cube_index(part)] for part in color])
