"""`KernelCoverage`: which lines of kernels the threads of launches on simulated devices took."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from accel.support.kernel_coverage import CountedText, recording
from accel.support.report_files.lcov import FileCoverage, lcov, merged_coverage, write_lcov

__all__ = ["KernelCoverage", "kernel_coverage"]


class KernelCoverage:
    """The lines that threads took, of all launches of a `kernel_coverage` block whose work has ended.

    Examples
    --------
    >>> KernelCoverage().lcov()
    ''
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of what follows, as any thread may wait for a launch
        self._counts: dict[CountedText, dict[int, int]] = {}
        self._paths: dict[str, str] = {}

    def record(self, source: CountedText, counts: Sequence[tuple[int, int]]) -> list[FileCoverage]:
        """Add the counts of a launch; return what it took, if it took something for the first time."""
        with self._lock:
            totals = self._counts.get(source)
            if totals is None:
                totals = self._counts[source] = {}
                for name in {point.file for point in source.points} - self._paths.keys():
                    self._paths[name] = _path(name)  # as the folder is now
            new = any(count and not totals.get(number) for number, count in counts)
            for number, count in counts:
                totals[number] = totals.get(number, 0) + count
            return self._files_of(source, totals) if new else []

    @property
    def files(self) -> list[FileCoverage]:
        """The coverage of each file. A kernel that is text in a module of Python is in the file of the module."""
        with self._lock:
            return merged_coverage(
                [each for source, totals in self._counts.items() for each in self._files_of(source, totals)]
            )

    def lcov(self) -> str:
        """Return a tracefile of lcov."""
        return lcov(self.files)

    def write_lcov(self, path: str | PathLike[str]) -> None:
        """Write a tracefile of lcov; text of kernels that is in no file goes to a folder ``PATH.sources``.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        write_lcov(self.files, Path(path))

    def _files_of(self, source: CountedText, totals: dict[int, int]) -> list[FileCoverage]:
        files: dict[str, FileCoverage] = {}
        for name in dict.fromkeys(source.points[number].file for number in totals):
            file, text, first = self._located(source, name)
            files[name] = FileCoverage(file, text)
            _fill(files[name], source, totals, name, first)
        return [*files.values()]

    def _located(self, source: CountedText, name: str) -> tuple[str, str, int]:
        """Return the file of a source, or a text that has none; and how many lines of it come before the source."""
        path = self._paths[name]
        if path:
            return path, "", 0
        text = source.text.rpartition(f'#line 1 "{name}"\n')[2]
        for module in _modules():
            found = _found(module, text)
            if found is not None:
                return str(module), "", found
        return name, text, 0


def _fill(file: FileCoverage, source: CountedText, totals: dict[int, int], name: str, first: int) -> None:
    outcomes: dict[int, dict[bool, int]] = {}
    numbers: dict[int, tuple[int, int]] = {}
    in_line: dict[int, int] = {}
    for number, count in totals.items():
        point = source.points[number]
        line = point.line + first
        if point.file != name:
            continue
        if point.after is not None:
            way = point.after, point.line
            file.ways[way] = file.ways.get(way, 0) + count
            continue
        if not point.condition:
            file.lines[line] = max(file.lines.get(line, 0), count)
            continue
        outcomes.setdefault(point.condition, {})[point.outcome] = count
        if point.condition not in numbers:
            numbers[point.condition] = line, in_line.get(line, 0)
            in_line[line] = in_line.get(line, 0) + 1
    for condition, counts in outcomes.items():
        if len(counts) == len((True, False)):  # the compiler knows no outcome beforehand
            file.branches[numbers[condition]] = counts[True], counts[False]


def _path(name: str) -> str:
    try:
        return str(Path(name).resolve()) if Path(name).is_file() else ""
    except (OSError, ValueError):  # such a name no file can have
        return ""


def _modules() -> list[Path]:
    """Return the files of the modules of this program, without what is installed."""
    names = dict.fromkeys(getattr(module, "__file__", None) for module in [*sys.modules.values()])
    paths = (Path(name) for name in names if isinstance(name, str) and name.endswith(".py"))
    return [each for each in paths if "site-packages" not in each.parts and not each.is_relative_to(sys.base_prefix)]


def _found(module: Path, text: str) -> int | None:
    """Return how many lines of a module come before a text in it; None if it is not there."""
    try:
        content = module.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    core = text.strip()
    at = content.find(core) if core else -1
    return None if at < 0 else content.count("\n", 0, at) - text.count("\n", 0, text.find(core))


@contextmanager
def kernel_coverage() -> Iterator[KernelCoverage]:
    """Count the lines of kernels that threads take on simulated devices, within a ``with`` block.

    Kernels are compiled with counters for it, and run in one thread of the system at a time.

    Returns
    -------
    iterator of KernelCoverage
        A context manager; its value are the lines.

    Examples
    --------
    >>> from accel.testing import kernel_coverage
    >>> with kernel_coverage() as coverage:
    ...     coverage.files
    []
    """
    coverage = KernelCoverage()
    with recording(coverage.record):
        yield coverage
