"""Reports as text: the message, then both sides with their source lines, then the launch."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from accel.support.kernel_reports.report_data import Dim3, ReportData, ThreadPlace

__all__ = ["indices", "who", "written_report", "written_reports"]

_MOST_REPORTS, _MOST_PLACES, _MOST_FRAMES = 8, 6, 4


def indices(at: Dim3, extents: Dim3) -> str:
    """Return indices without the last axes on which the extent is 1: ``5``, or ``(5, 2)``."""
    axes = 3 if extents[2] > 1 else 2 if extents[1] > 1 else 1
    return str(at[0]) if axes == 1 else f"({', '.join(map(str, at[:axes]))})"


def who(place: ThreadPlace, grid: Dim3, block: Dim3) -> str:
    """Return which thread it is, as in ``thread 5 of block 2``."""
    thread = "another thread" if place.thread is None else f"thread {indices(place.thread, block)}"
    return f"{thread} of block {indices(place.block, grid)}"


def written_report(report: ReportData) -> str:
    """Return the message of a report and its details."""
    return "\n".join((report.message, *_details(report)))


def written_reports(reports: Sequence[ReportData]) -> str:
    """Return the text of the first report, and a line for each of the others."""
    first, *others = reports
    if not others:
        return written_report(first)
    lines = [f"  {each.message}" for each in others[: _MOST_REPORTS - 1]]
    rest = len(others) - len(lines)
    more = [f"  and {rest} more: see the error's reports"] if rest else []
    findings = "another finding" if len(others) == 1 else f"{len(others)} other findings"
    return "\n".join((written_report(first), f"{findings} of this launch:", *lines, *more))


def _details(report: ReportData) -> Iterator[str]:
    for place in (report.place, report.other):
        if place is not None and place.frames:
            yield f"  {who(place, report.grid, report.block)} {_does(place)}:"
            yield from _stack(place)
    yield from _standing(report)
    times = "once" if report.count == 1 else f"{report.count} times"
    grid, block = (str(extents) for extents in (report.grid, report.block))
    yield f"  launched with grid={grid}, block={block}; found {times}"


def _does(place: ThreadPlace) -> str:
    return f"{place.action} {place.nbytes} bytes" if place.nbytes else place.action


def _stack(place: ThreadPlace) -> Iterator[str]:
    for frame in place.frames[:_MOST_FRAMES]:
        yield f"    {frame.where} in {frame.function}" + (f":  {frame.text.strip()}" if frame.text.strip() else "")


def _standing(report: ReportData) -> Iterator[str]:
    """Yield one line for the threads that stand at the same place, with how many there are."""
    groups = Counter((place.action, place.where) for place in report.threads)
    texts = {place.where: place.frames[0].text.strip() for place in report.threads if place.frames}
    for (action, where), count in islice(groups.most_common(), _MOST_PLACES):
        at = f" at {where}" if where else ""
        threads = "1 thread" if count == 1 else f"{count} threads"
        text = texts.get(where)
        yield f"  {threads}: {action}{at}" + (f":  {text}" if text else "")
