"""What the picture of a report shows: which threads have which mark, and the elements around the access."""

from collections.abc import Iterator, Sequence
from itertools import cycle

from accel.pictures.thread_blocks import Block, Elements, Mark, drawn_blocks
from accel.support.kernel_reports.report_data import Dim3, ReportData, ThreadPlace
from accel.support.kernel_reports.texts import indices, who

__all__ = ["drawn_report"]

_ELEMENTS = 9

_COLORS = {"writes": "#c2410c", "reads": "#1d4ed8", "updates atomically": "#7c3aed"}
_DARKER = {"#c2410c": "#9f1239", "#1d4ed8": "#0f766e", "#7c3aed": "#a21caf"}
_LETTERS = {"writes": "W", "reads": "R", "updates atomically": "A"}
_GROUPS = ("#1d4ed8", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d")
_QUIET = {"not started": "#b6bac4", "ended": "#7d828f"}

_Marked = tuple[Mark, Sequence[ThreadPlace]]


def drawn_report(report: ReportData) -> str:
    """Return the picture of a report as an SVG document."""
    marked = _marked(report)
    marks = [mark for mark, _ in marked]
    title = f"{report.kind} in kernel {report.kernel}"
    blocks = [*_blocks(report, marked)]
    return drawn_blocks(title, report.message, marks, blocks, report.warp, _elements(report, marks))


def _marked(report: ReportData) -> list[_Marked]:
    """Return the two sides of a report, or the groups of threads that stand at the same place."""
    if not report.threads:
        sides = [report.place] if report.other is None else [report.place, report.other]
        return [_mark(report, _color(side, number), [side]) for number, side in enumerate(sides)]
    groups: dict[str, list[ThreadPlace]] = {}
    for each in report.threads:
        groups.setdefault(_action(each), []).append(each)
    colors = cycle(_GROUPS)
    return [_mark(report, _QUIET.get(group[0].action) or next(colors), group) for group in groups.values()]


def _mark(report: ReportData, color: str, threads: Sequence[ThreadPlace]) -> _Marked:
    first, single = threads[0], len(threads) == 1
    name = who(first, report.grid, report.block) if single else f"{len(threads)} threads"
    letter = _LETTERS.get(first.action, "") if single else ""
    code = first.frames[0].text.strip() if first.frames else ""
    return Mark(color, letter, name, _action(first), code), threads


def _color(place: ThreadPlace, number: int) -> str:
    """Return the colour of a side; that of the second is darker, as both may do the same."""
    color = _COLORS.get(place.action, _GROUPS[number])
    return color if number == 0 else _DARKER.get(color, color)


def _action(place: ThreadPlace) -> str:
    return f"{place.action} at {place.where}" if place.where else place.action


def _blocks(report: ReportData, marked: Sequence[_Marked]) -> Iterator[Block]:
    """Yield the first two of the blocks that have a mark."""
    across, down, deep = report.block
    numbers = range(across * down * deep)
    places = [(number % across, number // across % down, number // (across * down)) for number in numbers]
    names = [f"thread {indices(place, report.block)}" for place in places]
    for block in [*dict.fromkeys(each.block for _, threads in marked for each in threads)][:2]:
        marks = {
            _number(each.thread, report.block): mark
            for mark, threads in marked
            for each in threads
            if each.block == block and each.thread is not None
        }
        at = indices(block, report.grid)
        yield Block(f"block {at}, of {len(numbers)} threads in warps of {report.warp}", names, marks)


def _number(thread: Dim3, extents: Dim3) -> int:
    return thread[0] + extents[0] * (thread[1] + extents[1] * thread[2])


def _elements(report: ReportData, marks: Sequence[Mark]) -> Elements | None:
    """Return the elements around the access."""
    size = report.place.nbytes
    if report.offset is None or not size:
        return None
    accessed = report.offset // size
    first = max(accessed - _ELEMENTS // 2, min(accessed, 0) - 2)
    numbers = range(first, first + _ELEMENTS)
    inside = [number >= 0 and (not report.size or (number + 1) * size <= report.size) for number in numbers]
    names = "elements" if report.offset % size == 0 else "elements, nearest to the access,"
    note = f"{names} of {size} bytes, by their numbers; dashed: outside of the memory"
    caption = f"{report.space} memory: {report.memory}"
    return Elements(caption, note, first, inside, accessed, [mark.color for mark in marks])
