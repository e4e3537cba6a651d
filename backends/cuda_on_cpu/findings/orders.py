"""Reports of results that differ between orders of the threads of a launch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from accel.errors import KernelOrderError
from accel.support.kernel_reports import KernelReport, ThreadPlace, announce
from accel.support.kernel_reports.texts import who, written_reports

from ...common.order_differences import OTHER, PERMUTATION, SUM, Elements, differing_of, kind_of, spread_of
from ..launch.allocations import Area
from ..launch.structures import Finding, Mode, Place, Space, Touch
from .explanations import Launched, accessed_of, place_of
from .words import in_words

__all__ = ["Difference", "order_error"]

_ADVICE = {
    SUM: "floats are added in the order in which the threads come: sum each block in shared memory, and the blocks by "
    "a second kernel, or compare with a tolerance",
    PERMUTATION: "threads take places in the order in which they come: compute the places by a scan, or sort the "
    "result",
    OTHER: "let the result not depend on which thread comes first",
}
_LARGEST = 1e30


@dataclass(frozen=True)
class Difference:
    """Memory in which results differ.

    Attributes
    ----------
    area : Area
        The memory.
    rows : sequence of NumPy arrays
        Its bytes after each run.
    touches : sequence of Touch
        Who wrote what differs, and all atomic updates of the launch.
    """

    area: Area
    rows: Sequence[Elements]
    touches: Sequence[Touch]


def order_error(launched: Launched, differences: Sequence[Difference], dtypes: "dict[int, np.dtype[Any]]") -> Exception:
    """Return the error of a launch, with a report for each difference; observers are told of them.

    `dtypes` are the types of elements, by the addresses of arguments, as far as they are known.
    """
    reports = tuple([_report(launched, each, dtypes) for each in differences])
    announce(reports)
    return KernelOrderError(written_reports(reports), reports)


def _report(launched: Launched, difference: Difference, dtypes: "dict[int, np.dtype[Any]]") -> KernelReport:
    area = difference.area
    writers = [each for each in difference.touches if each.hits and area.begin <= each.address < area.end]
    writers.sort(key=lambda each: (not each.mode & Mode.ATOMIC, -each.hits))
    argument = min(launched.names(area), key=lambda each: each.host, default=None)
    origin = area.begin if argument is None else argument.host
    rows = np.stack([row[origin - area.begin :] for row in difference.rows])
    elements = _elements(rows, dtypes.get(origin), writers)
    differing = differing_of(elements)
    kind = kind_of(elements[:, differing], atomic=any(each.mode & Mode.ATOMIC for each in writers))
    others = writers[1:] or sorted([each for each in difference.touches if not each.hits], key=lambda each: -each.count)
    here, *further = [place_of(launched, _place(each), "writes") for each in (*writers[:1], *others[:1])] or [_NOWHERE]
    spread, worst = spread_of(elements, differing, with_ulps=kind == SUM)
    offset = origin - area.begin + worst * elements.itemsize
    place = replace(here, nbytes=elements.itemsize)
    finding = Finding(address=area.begin + offset, space=Space.GLOBAL, range=-1)
    accessed = accessed_of(launched, finding)
    count = "1 element differs" if len(differing) == 1 else f"{len(differing)} elements differ"
    count += ", which are the same values at other positions," if kind == PERMUTATION else ""
    message = (
        f"{kind} in kernel {launched.kernel}: {count} in {len(rows)} orders of the threads, from the same memory, in "
        f"{accessed.memory}: "
        f"{accessed.element(elements.itemsize)} {spread}; {_said(launched, place)}{_ADVICE[kind]}"
    )
    return KernelReport(
        "order", kind, launched.kernel, launched.grid, launched.block, place, next(iter(further), None),
        in_words(accessed.memory, launched.words), accessed.offset, len(differing), in_words(message, launched.words),
        (), "global", accessed.size, launched.warp,
    )  # fmt: skip


_NOWHERE = ThreadPlace((0, 0, 0), None, "writes", 0, ())


def _place(touch: Touch) -> Place:
    return Place(touch.pc, touch.block, touch.thread, touch.mode, touch.size)


def _said(launched: Launched, place: ThreadPlace) -> str:
    if not place.frames:
        return ""
    action = "updates it atomically" if place.action == "updates atomically" else "writes it"
    return f"{who(place, launched.grid, launched.block)} {action} at {place.where}; "


def _elements(rows: Elements, dtype: "np.dtype[Any] | None", writers: Sequence[Touch]) -> Elements:
    """Return rows of bytes as elements: of complex numbers their parts, of unknown types floats, if they look so."""
    if dtype is not None and dtype.kind == "c":
        dtype = np.dtype(f"f{dtype.itemsize // 2}")
    known = dtype is not None and dtype.itemsize in {1, 2, 4, 8} and dtype.names is None
    size = dtype.itemsize if dtype is not None and known else _size(writers)
    whole = np.ascontiguousarray(rows[:, : rows.shape[1] // size * size])
    if dtype is not None and known:
        return whole.view(dtype)
    if size in {4, 8}:
        floats = whole.view(f"f{size}")
        values = np.abs(floats[:, (whole.view(f"u{size}") != whole.view(f"u{size}")[0]).any(axis=0)].astype("f8"))
        if np.all((values == 0) | ((values > 1 / _LARGEST) & (values < _LARGEST))):
            return floats
    return whole.view(f"i{size}")


def _size(writers: Sequence[Touch]) -> int:
    size = writers[0].size if writers else 1
    return size if size in {1, 2, 4, 8} else 4
