"""`run_in_orders`: a launch in several orders of its iterations and threads, and where the results differ."""

import linecache
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from accel.errors import KernelOrderError
from accel.ir import Program
from accel.support.kernel_reports import Dim3, Frame, KernelReport, ThreadPlace, announce
from accel.support.kernel_reports.texts import written_reports

from ...common.order_differences import OTHER, PERMUTATION, SUM, Elements, differing_of, kind_of, spread_of
from .interpreter import Outcome
from .launch import unravelled
from .memories import Cells, Values
from .messages import line_of
from .runs import Order
from .writers import Writer, Writers

__all__ = ["run_in_orders"]

# The first is that of a launch without the check, whose result is kept.
_ORDERS: Sequence[Order] = ("random", "forward", "backward", "random")
_ADVICE = {
    SUM: "floats are added in the order in which {actors} come: add to an accumulator, or sum each block in shared "
    "memory and the blocks by a second kernel, or compare with a tolerance",
    PERMUTATION: "{actors} take places in the order in which they come: compute the places by a scan, or sort the "
    "result",
    OTHER: "let the result not depend on which of the {actors} comes first",
}
_NOWHERE = ThreadPlace((0, 0, 0), None, "writes", 0, ())
Again = Callable[[Order, Writers | None], Outcome]


def run_in_orders(program: Program, cells: Sequence[Cells], again: Again, grid: Dim3, block: Dim3) -> Outcome:
    """Run a program in several orders from the same memory; return the outcome of the first, whose results are kept.

    The outcome of another order is returned if a check of it failed.

    Parameters
    ----------
    program : Program
        The program.
    cells : sequence of Cells
        The memory of its views.
    again : callable
        Runs the program in an order, and notes who writes.
    grid, block : tuple of three ints
        Of the launch.

    Raises
    ------
    KernelOrderError
        If elements or returned values differ.
    """
    memory = [each for each in cells if each.values.flags.writeable and each.size]
    before, outcomes, results = _copied(memory), list[Outcome](), list[list[Values]]()
    for order in _ORDERS:
        _write(memory, before)
        outcomes.append(again(order, None))
        if outcomes[-1][0] is not None:
            return outcomes[-1]
        results.append(_copied(memory))
    rows = [np.stack(each) for each in zip(*results, strict=True)]
    reports = [*_Reports(program, grid, block, _writers(memory, rows, before, again)).of(memory, rows, outcomes)]
    _write(memory, results[0])
    if reports:
        announce(reports)
        raise KernelOrderError(written_reports(reports), tuple(reports))
    return outcomes[0]


def _copied(memory: Sequence[Cells]) -> list[Values]:
    return [each.values.copy() for each in memory]


def _write(memory: Sequence[Cells], contents: Sequence[Values]) -> None:
    for each, content in zip(memory, contents, strict=True):
        each.values[...] = content


def _parts(rows: Elements) -> Elements:
    """Return elements as real numbers: complex ones as their two parts."""
    return rows.view(f"f{rows.itemsize // 2}") if rows.dtype.kind == "c" else rows


def _writers(memory: Sequence[Cells], rows: Sequence[Elements], before: Sequence[Values], again: Again) -> Writers:
    """Run once more, if elements differ, and return who writes them; views of the same element count as the first."""
    watched: dict[int, int] = {}
    for number, (each, values) in enumerate(zip(memory, rows, strict=True)):
        itemsize, parts = each.values.itemsize, _parts(values)
        for place in differing_of(parts) // (parts.shape[1] // each.size):
            watched.setdefault(each.address + int(place) * itemsize, number)
    writers = Writers(watched)
    if watched:
        _write(memory, before)
        again("random", writers)
    return writers


class _Reports:
    """Makes the reports of a launch."""

    def __init__(self, program: Program, grid: Dim3, block: Dim3, writers: Writers) -> None:
        self._program, self._grid, self._block, self._writers = program, grid, block, writers
        self._actors = "threads" if program.explicit else "iterations"

    def of(
        self, memory: Sequence[Cells], rows: Sequence[Elements], outcomes: Sequence[Outcome]
    ) -> Iterator[KernelReport]:
        """Yield a report for each parameter and each returned value that differs."""
        for number, (each, values) in enumerate(zip(memory, rows, strict=True)):
            if self._writers.watches(number):
                yield self._of_parameter(each, _parts(values), self._writers.of(number))
        returned = zip(*[values for _, values in outcomes], strict=True)
        for variable, scalars in zip(self._program.results, returned, strict=True):
            elements = _parts(np.array(scalars, variable.dtype)[:, None])
            if differing_of(elements).size:
                yield self._of_result(variable.name, elements)

    def _of_parameter(self, cells: Cells, elements: Elements, writers: Sequence[Writer]) -> KernelReport:
        differing = differing_of(elements)
        kind = kind_of(elements[:, differing], atomic=any(each.atomic for each in writers))
        spread, worst = spread_of(elements, differing, with_ulps=kind == SUM)
        place = worst * cells.size // elements.shape[1]
        others = (writers[1:] or self._writers.of(None)) if writers else []
        places = [self._place(each, cells.values.itemsize) for each in (*writers[:1], *others[:1])]
        said = self._said(writers[0]) if writers else ""
        element = f"{cells.name}[{place - cells.origin}]"
        message = self._message(kind, len(differing), f"the parameter {cells.name}", f"{element} {spread}; {said}")
        return self._report(
            kind, len(differing), message, places,
            f"the parameter {cells.name}", place * cells.values.itemsize, cells.values.nbytes,
        )  # fmt: skip

    def _of_result(self, name: str, elements: Elements) -> KernelReport:
        differing = differing_of(elements)
        spread, _ = spread_of(elements, differing, with_ulps=False)
        message = self._message(OTHER, len(differing), "what it returns", f"{name} {spread}; ")
        return self._report(OTHER, len(differing), message, [], "", None, 0)

    def _said(self, writer: Writer) -> str:
        does = "updates it atomically" if writer.atomic else "writes it"
        who = writer.label or "the code between the loops"
        return f"{who} {does} at {line_of(self._program, writer.first.site)}; "

    def _message(self, kind: str, count: int, where: str, said: str) -> str:
        differ = "1 element differs" if count == 1 else f"{count} elements differ"
        differ += ", which are the same values at other positions," if kind == PERMUTATION else ""
        return (
            f"{kind} in kernel {self._program.name}: {differ} in {len(_ORDERS)} orders of the {self._actors}, from the "
            f"same memory, in {where}: {said}{_ADVICE[kind].format(actors=self._actors)}"
        )

    def _report(
        self,
        kind: str,
        count: int,
        message: str,
        places: Sequence[ThreadPlace],
        memory: str,
        offset: int | None,
        size: int,
    ) -> KernelReport:
        place = places[0] if places else _NOWHERE
        other = places[1] if len(places) > 1 else None
        return KernelReport(
            "order", kind, self._program.name, self._grid, self._block, place, other, memory, offset, count, message,
            (), "global" if memory else "", size,
        )  # fmt: skip

    def _place(self, writer: Writer, itemsize: int) -> ThreadPlace:
        """Return a writer as a thread; an iteration counts as a block of one thread."""
        first = writer.first
        block = unravelled(first.block, self._grid) if self._program.explicit else (first.block, 0, 0)
        action = "updates atomically" if writer.atomic else "writes"
        calls = () if first.site is None else self._program.sites[first.site].calls[::-1]
        frames = tuple([Frame(name, file, line, linecache.getline(file, line).rstrip()) for name, file, line in calls])
        return ThreadPlace(block, unravelled(first.thread, self._block), action, itemsize, frames)
