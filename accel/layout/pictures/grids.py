"""The content of a picture: grids of cells with coordinates, and borders where the leaves of a mode end."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from operator import mul
from typing import NamedTuple

from accel.layout.coordinates import natural
from accel.layout.int_tuple import IntTuple, flat
from accel.layout.int_tuple import product as size_of
from accel.layout.notation import written
from accel.layout.pictures.drawn_layout import DrawnLayout
from accel.layout.pictures.paint import Paint, Painter

__all__ = ["Axis", "Cell", "Drawing", "Grid", "Listing", "fitting", "grids"]

LONGEST_NAME = 7


class Axis(NamedTuple):
    """The rows or the columns of a grid.

    Attributes
    ----------
    names : tuple of str
        The nested coordinate of each row or column; integer coordinates if one of the nested ones is too long.
    numbers : tuple of str
        The integer coordinates.
    borders : tuple of int
        The weight of the line before each row or column, then of the line after the last: 0 for no line, 1 where the
        innermost leaf ends.
    """

    names: tuple[str, ...]
    numbers: tuple[str, ...]
    borders: tuple[int, ...]


class Cell(NamedTuple):
    """A coordinate, its offset, and the text and colour of its cell."""

    where: str
    offset: int
    paint: Paint


class Grid(NamedTuple):
    """A table of cells, with a caption."""

    caption: str
    rows: Axis
    columns: Axis
    cells: tuple[tuple[Cell, ...], ...]


class Listing(NamedTuple):
    """Rows of text with a head; a layout that is too large to draw is shown as two of these."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Drawing(NamedTuple):
    """A picture before it is text, SVG or HTML.

    Attributes
    ----------
    title, about : str
        The layout, and a line about its size and the colours.
    grids : sequence of Grid
        The grids; empty if the layout is too large to draw.
    together : int
        How many consecutive grids must stay side by side.
    listings : sequence of Listing
        Shown instead of grids that are too large.
    """

    title: str
    about: str
    grids: Sequence[Grid] = ()
    together: int = 1
    listings: Sequence[Listing] = ()


class _Mode(NamedTuple):
    """The coordinates of a mode, what each adds to the sum, and the axis of the mode."""

    names: Sequence[str]
    sums: Sequence[int]
    axis: Axis


NO_MODE = _Mode(("",), (0,), Axis(("",), ("",), (0, 0)))


def grids(drawn: DrawnLayout, name: str, paint: Painter) -> Iterator[Grid]:
    """Yield a grid for each slice: mode 0 goes down and mode 1 across; a single mode goes across."""
    modes = [_mode(shape, sums) for (shape, _), sums in zip(drawn.modes, drawn.mode_offsets, strict=True)]
    rows, columns, *rest = [NO_MODE] * (2 - len(modes)) + modes
    frame = 1 + max(rows.axis.borders + columns.axis.borders)
    down, across = _framed(rows.axis, frame), _framed(columns.axis, frame)
    for parts in product(*[zip(mode.names, mode.sums, strict=True) for mode in reversed(rest)]):
        names, start = [part for part, _ in reversed(parts)], sum(step for _, step in parts)
        cells = tuple(
            tuple(
                _cell(drawn, (row, column, *names), start + here + there, paint)
                for column, there in zip(columns.names, columns.sums, strict=True)
            )
            for row, here in zip(rows.names, rows.sums, strict=True)
        )
        yield Grid(_caption(name, names), down, across, cells)


def _mode(shape: IntTuple, sums: Sequence[int]) -> _Mode:
    names = tuple(written(natural(i, shape)) for i in range(len(sums)))
    numbers = tuple(map(str, range(len(sums))))
    short = all(len(name) <= LONGEST_NAME for name in names)
    return _Mode(names, sums, Axis(names if short else numbers, numbers, _borders(shape)))


def _borders(shape: IntTuple) -> tuple[int, ...]:
    """Return how many leaves end before each coordinate, not counting leaves of extent 1 and the last leaf."""
    size = size_of(shape)
    ends = {end for end in accumulate(flat(shape), mul) if 1 < end < size}
    return (0, *(sum(i % end == 0 for end in ends) for i in range(1, size)), 0)


def _framed(axis: Axis, frame: int) -> Axis:
    return axis._replace(borders=(frame, *axis.borders[1:-1], frame))


def _cell(drawn: DrawnLayout, names: Sequence[str], sum: int, paint: Painter) -> Cell:
    where = ",".join(filter(None, names))
    offset = drawn.finish(sum)
    return Cell(where if isinstance(drawn.shape, int) else f"({where})", offset, paint(offset))


def _caption(name: str, names: Sequence[str]) -> str:
    return f"{name} (_,_,{','.join(names)})".strip() if names else name


def fitting(drawing: Drawing, count: int) -> list[Grid]:
    """Return the grids, cut into pieces of at most ``count`` columns; grids that belong together stay adjacent."""
    together = drawing.together
    groups = [drawing.grids[start : start + together] for start in range(0, len(drawing.grids), together)]
    return [
        piece
        for group in groups
        for pieces in zip(*[_cut(grid, count) for grid in group], strict=True)
        for piece in pieces
    ]


def _cut(grid: Grid, count: int) -> list[Grid]:
    """Return pieces of a grid, cut at the heaviest borders; of equal borders, at the roundest number."""
    borders, size = grid.columns.borders, len(grid.columns.names)
    if size <= count:
        return [grid]
    step = max(range(count // 2 + 1, count + 1), key=lambda i: (borders[i], i & -i, i))
    return [_columns(grid, slice(start, min(start + step, size))) for start in range(0, size, step)]


def _columns(grid: Grid, selected: slice) -> Grid:
    names, numbers, borders = grid.columns
    frame = (borders[0],)
    inside = borders[selected.start + 1 : selected.stop]
    columns = Axis(names[selected], numbers[selected], frame + inside + frame)
    caption = f"{grid.caption} columns {selected.start} to {selected.stop - 1}".strip()
    return Grid(caption, grid.rows, columns, tuple(row[selected] for row in grid.cells))
