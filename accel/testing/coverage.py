"""A plug-in for coverage.py: lines of kernels that threads took on simulated devices.

Name it in the settings of coverage.py, ``[tool.coverage.run] plugins = ["accel.testing.coverage"]``. Then all that
coverage.py does with Python files, its reports too, it does with files of kernels.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import coverage

from accel.device import Device
from accel.memory import heap_of
from accel.support.kernel_coverage import CountedText, recording
from accel.support.report_files.lcov import FileCoverage
from accel.testing.coverage_ways import arcs_of_python
from accel.testing.covered_kernels import KernelCoverage

__all__ = ["KernelPlugin", "KernelReporter", "coverage_init"]

_NAME = "accel.testing.coverage.KernelPlugin"
_open = ExitStack()  # to the end of the process: coverage.py tells no plug-in that it stops


def coverage_init(registry: Any, options: object) -> None:  # noqa: ARG001 - as coverage.py calls it
    """Begin to count; coverage.py calls it when it reads its settings."""
    registry.add_configurer(KernelPlugin())
    _open.close()
    _open.enter_context(recording(_Recorder().record))


class KernelPlugin(coverage.CoveragePlugin):
    """Reads files of kernels for the reports of coverage.py."""

    def configure(self, config: object) -> None:
        """Change no setting."""

    def file_reporter(self, filename: str) -> "KernelReporter":
        """Return what can be taken in a file."""
        return KernelReporter(filename)


class KernelReporter(coverage.FileReporter):
    """What can be taken in a file of kernels: its statements, and both outcomes of each condition."""

    @cached_property
    def _points(self) -> Sequence[Any]:
        backend: Any = heap_of(Device("sim")).backend
        points: Sequence[Any] = backend.counted_points(self.source())
        return points

    def lines(self) -> set[int]:
        """Return the lines on which a statement begins."""
        return {point.line for point in self._points if not point.condition}

    def arcs(self) -> set[tuple[int, int]]:
        """Return the outcomes of all conditions."""
        return {_arc(point.line, point.outcome) for point in self._points if point.condition}

    def exit_counts(self) -> dict[int, int]:
        """Return how many outcomes each line has."""
        return {point.line: 2 for point in self._points if point.condition}

    def arc_description(self, start: int, end: int) -> str:
        """Say what an outcome is."""
        return f"the condition on line {start} {'held' if (start, end) == _arc(start, True) else 'did not hold'}"

    def missing_arc_description(
        self, start: int, end: int, executed_arcs: Iterable[tuple[int, int]] | None = None
    ) -> str:
        """Say what did not happen."""
        del executed_arcs
        return f"the condition on line {start} {'never' if (start, end) == _arc(start, True) else 'always'} held"


def _arc(line: int, held: bool) -> tuple[int, int]:
    """Return an outcome as coverage.py has them: from a line to another; these lead to no line of the file."""
    return line, -2 * line - held


class _Recorder:
    """Adds what is taken for the first time to the data of coverage.py, which may be saved at any time."""

    def __init__(self) -> None:
        self._kernels = KernelCoverage()

    def record(self, source: CountedText, counts: Sequence[tuple[int, int]]) -> None:
        current = coverage.Coverage.current()
        of_python = not source.text  # in CUDA text, strings of Python modules are no statements for coverage.py
        files = [
            each
            for each in self._kernels.record(source, counts)
            if not each.text and each.file.endswith(".py") == of_python
        ]
        if current is None or not files:
            return
        data, relative = current.get_data(), current.get_option("run:relative_files")
        names = {each.file: os.path.relpath(each.file) if relative else each.file for each in files}
        if current.get_option("run:branch"):
            data.add_arcs({names[each.file]: arcs_of_python(each) if of_python else _arcs(each) for each in files})
        else:
            data.add_lines({names[each.file]: _taken(each) for each in files})
        if not of_python:
            data.add_file_tracers(dict.fromkeys(names.values(), _NAME))


def _taken(file: FileCoverage) -> set[int]:
    return {line for line, count in file.lines.items() if count}


def _arcs(file: FileCoverage) -> set[tuple[int, int]]:
    taken = {(-1, line) for line in _taken(file)}
    for (line, _), (held, not_held) in file.branches.items():
        taken |= {_arc(line, outcome) for outcome, count in ((True, held), (False, not_held)) if count}
    return taken
