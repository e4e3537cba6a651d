"""A report as an SVG picture: each block as a grid whose rows are warps, and the accessed memory below."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import cycle
from typing import NamedTuple

from accel.support.kernel_reports.reports import Dim3, KernelReport, ThreadPlace
from accel.support.kernel_reports.texts import indices, who

__all__ = ["drawn_report"]

_CELL, _LEFT, _MARGIN, _LINE = 18, 70, 24, 20
_ELEMENT, _ELEMENTS = 56, 9
_WIDTH = 760
_MOST_WARPS, _MOST_LETTERS = 32, 84

_COLORS = {"writes": "#c2410c", "reads": "#1d4ed8", "updates atomically": "#7c3aed"}
_DARKER = {"#c2410c": "#9f1239", "#1d4ed8": "#0f766e", "#7c3aed": "#a21caf"}
_LETTERS = {"writes": "W", "reads": "R", "updates atomically": "A"}
_GROUPS = ("#1d4ed8", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d")
_QUIET = {"not started": "#b6bac4", "ended": "#7d828f"}
_IDLE = "#d6d9e0"

_STYLE = """
.accel-report { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 13px; max-width: 100%; height: auto; }
.accel-report .page { fill: #fff; }
.accel-report text { fill: #16181d; }
.accel-report .title { font-size: 17px; }
.accel-report .code { fill: #5c606b; }
.accel-report .soft { fill: #5c606b; font-size: 11px; }
.accel-report .on { fill: #fff; }
.accel-report .in { fill: #fff; font-size: 11px; }
.accel-report .outside { fill: #fff; stroke: #5c606b; stroke-dasharray: 3 3; }
"""


class _Mark(NamedTuple):
    """A group of threads in the picture that do the same."""

    color: str
    threads: tuple[ThreadPlace, ...]

    @property
    def said(self) -> str:
        """What they do, and where."""
        return _said(self.threads[0])

    @property
    def text(self) -> str:
        """The source line."""
        frames = self.threads[0].frames
        return frames[0].text.strip() if frames else ""

    @property
    def letter(self) -> str:
        """What stands in the cell of a single thread."""
        return _LETTERS.get(self.threads[0].action, "") if len(self.threads) == 1 else ""


def drawn_report(report: KernelReport) -> str:
    """Return the picture of a report as an SVG document."""
    marks = _marks(report)
    parts, height = _stacked(report, marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="accel-report" viewBox="0 0 {_width(report)} {height}" '
        f'width="{_width(report)}" height="{height}" role="img"><title>{escape(_title(report))}</title>'
        f"<desc>{escape(report.message)}</desc><style>{_STYLE}</style>"
        f'<rect class="page" width="{_width(report)}" height="{height}" rx="10"/>{"".join(parts)}</svg>\n'
    )


def _width(report: KernelReport) -> int:
    return max(_WIDTH, 2 * _MARGIN + _LEFT + _CELL * report.warp)


def _title(report: KernelReport) -> str:
    return f"{report.kind} in kernel {report.kernel}"


def _marks(report: KernelReport) -> list[_Mark]:
    """Return the two sides of a report, or the groups of threads that stand at the same place."""
    if not report.threads:
        sides = [report.place] if report.other is None else [report.place, report.other]
        return [_Mark(_color(each, number), (each,)) for number, each in enumerate(sides)]
    groups: dict[str, list[ThreadPlace]] = {}
    for each in report.threads:
        groups.setdefault(_said(each), []).append(each)
    colors = cycle(_GROUPS)
    return [_Mark(_QUIET.get(group[0].action) or next(colors), tuple(group)) for group in groups.values()]


def _color(place: ThreadPlace, number: int) -> str:
    """Return the colour of a side; that of the second is darker, as both may do the same."""
    color = _COLORS.get(place.action, _GROUPS[number])
    return color if number == 0 else _DARKER.get(color, color)


def _said(place: ThreadPlace) -> str:
    return f"{place.action} at {place.where}" if place.where else place.action


def _stacked(report: KernelReport, marks: Sequence[_Mark]) -> tuple[list[str], int]:
    """Return the parts of the picture, each below the last, and the height of all."""
    parts = [_text(_MARGIN, _MARGIN + 10, _title(report), "title")]
    y = _MARGIN + 10 + 8
    for piece in (_legend(report, marks), *_blocks(report, marks), _strip(report, marks)):
        drawn, height = piece
        parts.append(f'<g transform="translate({_MARGIN} {y})">{drawn}</g>')
        y += height
    return parts, y + _MARGIN // 2


def _legend(report: KernelReport, marks: Sequence[_Mark]) -> tuple[str, int]:
    parts, y = [], 0
    for mark in marks:
        first, number = mark.threads[0], len(mark.threads)
        named = who(first, report.grid, report.block) if number == 1 else f"{number} threads"
        parts.append(f'<rect y="{y + 4}" width="16" height="16" rx="3" fill="{mark.color}"/>')
        parts.append(f'<text class="in" x="8" y="{y + 16}" text-anchor="middle">{mark.letter}</text>')
        parts.append(_text(24, y + 16, _cut(f"{named} {mark.said}"), ""))
        y += _LINE
        if mark.text:
            parts.append(_text(44, y + 16, _cut(mark.text), "code"))
            y += _LINE
    return "".join(parts), y + 8


def _blocks(report: KernelReport, marks: Sequence[_Mark]) -> Iterator[tuple[str, int]]:
    """Yield a grid of threads for each of the first blocks that have a mark."""
    blocks = list(dict.fromkeys(each.block for mark in marks for each in mark.threads))
    for block in blocks[:2]:
        yield _block(report, marks, block)


def _block(report: KernelReport, marks: Sequence[_Mark], block: Dim3) -> tuple[str, int]:
    size = report.block[0] * report.block[1] * report.block[2]
    marked = {
        _linear(each.thread, report.block): mark
        for mark in marks
        for each in mark.threads
        if each.block == block and each.thread is not None
    }
    warps = min(-(-size // report.warp), _MOST_WARPS)
    parts = [_text(0, 16, f"block {indices(block, report.grid)}, of {size} threads in warps of {report.warp}", "")]
    parts += [_text(_LEFT + _CELL * lane, 34, str(lane), "soft") for lane in range(0, report.warp, 8)]
    for thread in range(min(size, warps * report.warp)):
        parts.append(_thread(thread, report, marked.get(thread)))
    parts += [_text(0, 52 + _CELL * warp, f"warp {warp}", "soft") for warp in range(warps)]
    return "".join(parts), 40 + _CELL * warps + 10


def _linear(thread: Dim3, extents: Dim3) -> int:
    return thread[0] + extents[0] * (thread[1] + extents[1] * thread[2])


def _thread(thread: int, report: KernelReport, mark: _Mark | None) -> str:
    x, y = _LEFT + _CELL * (thread % report.warp), 38 + _CELL * (thread // report.warp)
    across, down = report.block[0], report.block[1]
    at = indices((thread % across, thread // across % down, thread // (across * down)), report.block)
    color, letter, said = (_IDLE, "", "") if mark is None else (mark.color, mark.letter, f" {mark.said}")
    inside = f'<text class="in" x="{x + 9}" y="{y + 13}" text-anchor="middle">{letter}</text>' if letter else ""
    return (
        f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" rx="3" fill="{color}">'
        f"<title>{escape(f'thread {at}{said}')}</title></rect>{inside}"
    )


def _strip(report: KernelReport, marks: Sequence[_Mark]) -> tuple[str, int]:
    """Return the elements around the access; those outside of the memory are dashed."""
    size = report.place.nbytes
    if report.offset is None or not size:
        return "", 0
    parts, at = [_text(0, 18, _cut(f"{report.space} memory: {report.memory}"), "")], report.offset // size
    first = max(at - _ELEMENTS // 2, min(at, 0) - 2)
    parts += [_element(report, marks, first + number, number * (_ELEMENT + 4)) for number in range(_ELEMENTS)]
    names = "elements" if report.offset % size == 0 else "elements, nearest to the access,"
    parts.append(_text(0, 80, f"{names} of {size} bytes, by their numbers; dashed: outside of the memory", "soft"))
    return "".join(parts), 92


def _element(report: KernelReport, marks: Sequence[_Mark], number: int, x: int) -> str:
    size = report.place.nbytes
    inside = number >= 0 and (not report.size or (number + 1) * size <= report.size)
    hit = report.offset is not None and number == report.offset // size
    fill = ' fill="#b91c1c"' if hit else f' fill="{_IDLE}"' if inside else ' class="outside"'
    letters = "on" if hit else ""
    label = f'<text class="{letters}" x="{x + _ELEMENT / 2:g}" y="48" text-anchor="middle">{number}</text>'
    colors = [mark.color for mark in marks] if hit else []
    dots = [
        f'<circle cx="{x + _ELEMENT / 2 + 12 * (place - (len(colors) - 1) / 2):g}" cy="62" r="4" fill="{color}"/>'
        for place, color in enumerate(colors)
    ]
    return f'<rect x="{x}" y="30" width="{_ELEMENT}" height="26" rx="3"{fill}/>{label}{"".join(dots)}'


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'
