"""Pictures of how stores are cut into tiles, as text and as SVG."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from accel.pictures import svg
from accel.pictures.colors import turned_hue
from accel.pictures.style import MONO, svg_style
from accel.pictures.svg import text_width

__all__ = ["Axis", "Band", "Picture", "picture_of", "svg_of", "text_of"]

_MOST_BANDS_OF_TEXT = 8
_MOST_BANDS = 16
_LARGEST, _SMALLEST, _SLIVER = 92.0, 30.0, 7.0  # sides of a tile, and of the part of one at an edge, in pixels
_WIDEST = 900.0  # pixels of all tiles side by side
_FONT = 12
_MARGIN, _LINE = 20, 19

_STYLE = svg_style(
    "accel-tiles",
    MONO,
    """
& .label { fill: #16181d; }
& rect.edge { stroke-width: 1.5; }
& .rule { fill: none; stroke-dasharray: 3 3; }
""",
)


class Band(NamedTuple):
    """Tiles at one position along a dimension, or several that are left out.

    Attributes
    ----------
    low, high : int
        The first index, and the one past the last.
    at : int or None
        The position; None for positions that are left out.
    """

    low: int
    high: int
    at: int | None


class Axis(NamedTuple):
    """A dimension that is drawn: which one, the tile's extent along it, and the bands."""

    dim: int | None
    tile: int
    bands: tuple[Band, ...]


class Picture(NamedTuple):
    """How one store is cut.

    Attributes
    ----------
    title : str
        The parameter, the store and its tiles.
    notes : tuple of str
        What the drawing leaves out.
    rows, columns : Axis
        The two dimensions that are drawn.
    ndim : int
        Number of dimensions of the tiles' colors; 0 for a store that is not cut.
    colors : tuple of int
        Number of tiles along each dimension.
    """

    title: str
    notes: tuple[str, ...]
    rows: Axis
    columns: Axis
    colors: tuple[int, ...]

    def color(self, row: Band, column: Band) -> tuple[int, ...] | None:
        """Return the color of a tile; None if it is left out."""
        if row.at is None or column.at is None:
            return None
        color = [0] * len(self.colors)
        for axis, band in ((self.rows, row), (self.columns, column)):
            if axis.dim is not None:
                color[axis.dim] = band.at or 0
        return tuple(color)


def picture_of(title: str, shape: Sequence[int], tile: Sequence[int], colors: Sequence[int]) -> Picture:
    """Return the picture of a store of a shape that is cut into tiles; ``colors`` is empty if it is not cut."""
    drawn = _drawn_dimensions(colors)
    notes = [_which(drawn, len(colors))] if len(colors) > 2 else []
    full = [_full(extent, size, count) for extent, size, count in zip(shape, tile, colors, strict=False)]
    empty = prod(colors) - prod(full)
    if colors and empty:
        what = "color has an empty tile" if empty == 1 else "colors have empty tiles"
        notes.append(f"{empty} more {what}, past the end of the store")
    single = Axis(None, 1, (Band(0, 1, 0),))
    rows, columns = [single, single, *[_axis(dim, shape, tile, full) for dim in drawn]][-2:]
    return Picture(title, tuple(notes), rows, columns, tuple(colors))


def _which(drawn: Sequence[int], ndim: int) -> str:
    others = [f"{dim}" for dim in range(ndim) if dim not in drawn]
    rest = f"dimension {others[0]}" if len(others) == 1 else f"dimensions {', '.join(others)}"
    return f"drawn: dimension {drawn[0]} down, dimension {drawn[1]} across, at color 0 of {rest}"


def _drawn_dimensions(colors: Sequence[int]) -> list[int]:
    """Return the two dimensions with the most tiles, or all if there are fewer."""
    most = sorted(range(len(colors)), key=lambda dim: -colors[dim])[:2]
    return sorted(most)


def _full(extent: int, tile: int, count: int) -> int:
    """Return the number of tiles along a dimension that have elements."""
    return min(-(-extent // tile), count)


def _axis(dim: int, shape: Sequence[int], tile: Sequence[int], full: Sequence[int]) -> Axis:
    size = tile[dim]
    bands = [Band(at * size, min((at + 1) * size, shape[dim]), at) for at in range(full[dim])]
    return Axis(dim, size, tuple(bands or [Band(0, 0, 0)]))


def _abbreviated(axis: Axis, most: int) -> Axis:
    """Return an axis with at most so many bands; those in the middle become one."""
    bands = axis.bands
    if len(bands) <= most:
        return axis
    head, tail = bands[: most // 2], bands[-(most // 2 - 1) :]
    return axis._replace(bands=(*head, Band(head[-1].high, tail[0].low, None), *tail))


def _short(picture: Picture, most: int) -> Picture:
    return picture._replace(rows=_abbreviated(picture.rows, most), columns=_abbreviated(picture.columns, most))


# Text


def text_of(picture: Picture) -> str:
    """Return the picture as text; of a store that is not cut only the title."""
    if not picture.colors:
        return picture.title
    short = _short(picture, _MOST_BANDS_OF_TEXT)
    cells = [[_label(short.color(row, column)) for column in short.columns.bands] for row in short.rows.bands]
    width = max([len(cell) for row in cells for cell in row]) + 2
    names = [_range(band) if short.rows.dim is not None else "" for band in short.rows.bands]
    head = max(map(len, names))
    lines = [short.title]
    if short.columns.dim is not None:
        width = max(width, *[len(_range(band)) for band in short.columns.bands])
        lines.append(" " * (head + 2) + " ".join([_range(band).center(width) for band in short.columns.bands]).rstrip())
    rule = [("─" * width)] * len(cells[0])
    lines.append(" " * (head + 1) + "┌" + "┬".join(rule) + "┐")
    for at, (name, row) in enumerate(zip(names, cells, strict=True)):
        if at:
            lines.append(" " * (head + 1) + "├" + "┼".join(rule) + "┤")
        lines.append(name.rjust(head) + " │" + "│".join([cell.center(width) for cell in row]) + "│")
    lines.append(" " * (head + 1) + "└" + "┴".join(rule) + "┘")
    return "\n".join([*lines, *short.notes])


def _label(color: tuple[int, ...] | None) -> str:
    return "…" if color is None else ",".join(map(str, color))


def _range(band: Band) -> str:
    return f"{band.low}:{band.high}" if band.at is not None else "…"


# SVG


def svg_of(pictures: Sequence[Picture], heading: Sequence[str]) -> str:
    """Return pictures below each other, and lines of text above them, as an SVG document."""
    parts, y = [], float(_MARGIN)
    right = 0.0
    for at, line in enumerate(heading):
        size = 12 if at else 15
        parts.append(svg.text(_MARGIN, y + 12, line, "soft" if at else "ink", size=size))
        right = max(right, text_width(line, size))
        y += _LINE + (4 if not at else 0)
    for picture in pictures:
        y += 14
        drawn, width, height = _drawn(_short(picture, _MOST_BANDS))
        parts.append(svg.moved(drawn, _MARGIN, y))
        right, y = max(right, width), y + height
    title = heading[0] if heading else "tiles"
    width, height = right + 2 * _MARGIN, y + _MARGIN
    return svg.document("accel-tiles", width, height, "".join(parts), title=title, style=_STYLE)


def _drawn(picture: Picture) -> tuple[str, float, float]:
    """Return the elements of one picture, and its width and height."""
    title = svg.text(0, 12, picture.title, size=_FONT)
    if not picture.colors:
        return title, text_width(picture.title, _FONT), _LINE
    unit = _unit(picture)
    across = [*_places(picture.columns, unit)]
    down = [*_places(picture.rows, unit)]
    left = 0.0
    if picture.rows.dim is not None:
        left = max([text_width(str(band.high), _FONT) for band in picture.rows.bands]) + 8
    top = _LINE + (16.0 if picture.columns.dim is not None else 4.0)
    parts = [title]
    parts += [
        _tile(picture, row, column, (left + x, top + y, width, height))
        for row, (y, height) in zip(picture.rows.bands, down, strict=True)
        for column, (x, width) in zip(picture.columns.bands, across, strict=True)
    ]
    for x, index in _bounds(picture.columns, across):
        parts.append(svg.text(left + x, top - 5, index, "soft middle", size=10))
    for y, index in _bounds(picture.rows, down, side=True):
        parts.append(svg.text(left - 5, top + y + 4, index, "soft end", size=10))
    bottom = top + sum(down[-1])
    for note in picture.notes:
        bottom += _LINE
        parts.append(svg.text(0, bottom, note, "soft", size=11))
    widest = max([text_width(text, _FONT) for text in (picture.title, *picture.notes)])
    return "".join(parts), max(left + sum(across[-1]) + 14, widest), bottom


def _unit(picture: Picture) -> float:
    """Return the pixels of an index, such that a whole tile has a side that can be seen."""
    axes = [axis for axis in (picture.rows, picture.columns) if axis.dim is not None]
    most = max([len(axis.bands) for axis in axes])
    return min(_LARGEST, _WIDEST / most) / max([axis.tile for axis in axes])


def _places(axis: Axis, unit: float) -> Iterator[tuple[float, float]]:
    """Yield start and length of each band, in pixels."""
    whole = 34.0 if axis.dim is None else min(max(axis.tile * unit, _SMALLEST), _LARGEST)
    start = 0.0
    for band in axis.bands:
        length = _SMALLEST if band.at is None else max(whole * (band.high - band.low) / max(axis.tile, 1), _SLIVER)
        yield start, length
        start += length


def _bounds(axis: Axis, places: Sequence[tuple[float, float]], *, side: bool = False) -> Iterator[tuple[float, str]]:
    """Yield the indices at the edges of tiles and their positions, without those that would overlap."""
    if axis.dim is None:
        return
    free = -float("inf")
    edges = [(places[0][0], axis.bands[0].low)]
    edges += [(start + length, band.high) for (start, length), band in zip(places, axis.bands, strict=True)]
    for position, index in edges:
        half = 6 if side else len(str(index)) * 3.1 + 3
        if position - half >= free:
            yield position, str(index)
            free = position + half


def _tile(picture: Picture, row: Band, column: Band, at: tuple[float, float, float, float]) -> str:
    x, y, width, height = at
    color = picture.color(row, column)
    middle = x + width / 2, y + height / 2 + 4
    if color is None:
        return svg.rect(*at, "rule") + svg.text(*middle, "…", "soft middle", size=_FONT)
    label = _label(color)
    fits = text_width(label, _FONT) + 4 <= width and height >= 15
    text = svg.text(*middle, label, "label middle", size=_FONT) if fits else ""
    said = f"color {label}: {_said(picture.rows, row)}{_said(picture.columns, column)}".rstrip(", ")
    return svg.group(svg.rect(*at, "edge", fill=_fill(color, picture.colors)) + text, title=said)


def _said(axis: Axis, band: Band) -> str:
    return "" if axis.dim is None else f"[{band.low}, {band.high}) of dimension {axis.dim}, "


def _fill(color: tuple[int, ...], colors: tuple[int, ...]) -> str:
    """Return the paint of a color: the same in each picture of a launch, and unlike that of its neighbours."""
    number = 0
    for at, count in zip(color, colors, strict=True):
        number = number * count + at
    return turned_hue(number, darker=sum(color) % 2 == 1).hex
