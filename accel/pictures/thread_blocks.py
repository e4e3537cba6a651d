"""Blocks of threads as an SVG document: a legend, a grid of each block whose rows are warps, and elements of memory."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from accel.pictures import svg
from accel.pictures.style import MONO, Shade, svg_style

__all__ = ["Block", "Elements", "Mark", "drawn_blocks"]

_CELL, _LEFT, _MARGIN, _LINE = 18, 70, 24, 20
_ELEMENT = 56
_WIDTH = 760
_MOST_WARPS, _MOST_LETTERS = 32, 84
_HIT = "#b91c1c"

_STYLE = svg_style(
    "accel-report",
    MONO,
    """
& text { font-size: 13px; }
& text.title { font-size: 17px; }
& text.small { font-size: 11px; }
& .on { fill: #fff; }
& .rule { fill: none; stroke-dasharray: 3 3; }
""",
    {"idle": Shade("fill", "#d6d9e0", "#3a3e49")},
)


class Mark(NamedTuple):
    """Threads that do the same.

    Attributes
    ----------
    color : str
        The colour of their cells.
    letter : str
        The letter in a cell; may be empty.
    name : str
        Which threads they are, for the legend.
    action : str
        What they do, and where.
    code : str
        The source line; may be empty.
    """

    color: str
    letter: str
    name: str
    action: str
    code: str


class Block(NamedTuple):
    """The names of a block's threads in order, and the marks of some by their numbers."""

    caption: str
    threads: Sequence[str]
    marks: Mapping[int, Mark]


class Elements(NamedTuple):
    """Consecutive elements of memory.

    Attributes
    ----------
    caption, note : str
        The lines above and below.
    first : int
        Number of the first element.
    inside : sequence of bool
        Whether each element is inside of the memory.
    accessed : int
        Number of the accessed element.
    colors : sequence of str
        The colours of the marks of those that access it.
    """

    caption: str
    note: str
    first: int
    inside: Sequence[bool]
    accessed: int
    colors: Sequence[str]


def drawn_blocks(
    title: str, about: str, marks: Sequence[Mark], blocks: Sequence[Block], warp: int, elements: Elements | None
) -> str:
    """Return the picture of blocks and of the accessed elements as an SVG document."""
    parts = [svg.text(_MARGIN, _MARGIN + 10, title, "ink title")]
    y = _MARGIN + 10 + 8
    strip = [] if elements is None else [_strip(elements)]
    for body, height in (_legend(marks), *[_block(block, warp) for block in blocks], *strip):
        parts.append(svg.moved(body, _MARGIN, y))
        y += height
    width = max(_WIDTH, 2 * _MARGIN + _LEFT + _CELL * warp)
    return svg.document("accel-report", width, y + _MARGIN // 2, "".join(parts), title=title, about=about, style=_STYLE)


def _legend(marks: Sequence[Mark]) -> tuple[str, int]:
    rows: list[tuple[svg.Swatch | None, str, str]] = []
    for mark in marks:
        rows.append((partial(_sample, mark), _cut(f"{mark.name} {mark.action}"), "ink"))
        rows += [(_blank, _cut(mark.code), "soft")] if mark.code else []
    return svg.legend(rows, 0, 16, line=_LINE, indent=24), _LINE * len(rows) + 8


def _sample(mark: Mark, x: float, y: float) -> str:
    box = svg.rect(x, y - 12, 16, 16, fill=mark.color, radius=3)
    return box + svg.text(x + 8, y, mark.letter, "on small middle")


def _blank(_x: float, _y: float) -> str:
    return ""


def _block(block: Block, warp: int) -> tuple[str, int]:
    size = len(block.threads)
    warps = min(-(-size // warp), _MOST_WARPS)
    parts = [svg.text(0, 16, block.caption)]
    parts += [svg.text(_LEFT + _CELL * lane, 34, str(lane), "soft small") for lane in range(0, warp, 8)]
    for number in range(min(size, warps * warp)):
        x, y = _LEFT + _CELL * (number % warp), 38 + _CELL * (number // warp)
        parts.append(_thread(x, y, block.threads[number], block.marks.get(number)))
    parts += [svg.text(0, 52 + _CELL * number, f"warp {number}", "soft small") for number in range(warps)]
    return "".join(parts), 40 + _CELL * warps + 10


def _thread(x: int, y: int, name: str, mark: Mark | None) -> str:
    kind, fill, title, letter = "idle", "", name, ""
    if mark is not None:
        kind, fill, title, letter = "", mark.color, f"{name} {mark.action}", mark.letter
    box = svg.rect(x + 1, y + 1, _CELL - 2, _CELL - 2, kind, fill=fill, radius=3, title=title)
    return box + svg.text(x + 9, y + 13, letter, "on small middle")


def _strip(elements: Elements) -> tuple[str, int]:
    parts = [svg.text(0, 18, _cut(elements.caption))]
    for place, inside in enumerate(elements.inside):
        parts += _element(elements, elements.first + place, place * (_ELEMENT + 4), inside=inside)
    parts.append(svg.text(0, 80, elements.note, "soft small"))
    return "".join(parts), 92


def _element(elements: Elements, number: int, x: int, *, inside: bool) -> Iterator[str]:
    accessed = number == elements.accessed
    kind = "" if accessed else "idle" if inside else "rule"
    yield svg.rect(x, 30, _ELEMENT, 26, kind, fill=_HIT if accessed else "", radius=3)
    yield svg.text(x + _ELEMENT / 2, 48, str(number), "on middle" if accessed else "ink middle")
    colors = elements.colors if accessed else ()
    for place, color in enumerate(colors):
        center = x + _ELEMENT / 2 + 12 * (place - (len(colors) - 1) / 2)
        yield svg.element("circle", cx=center, cy=62, r=4, fill=color)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"
