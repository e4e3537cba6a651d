"""`arcs_of_python`: the ways that threads took through a file of Python, as coverage.py has them."""

from collections.abc import Iterator, Mapping

from coverage.parser import PythonParser

from accel.support.report_files.lcov import FileCoverage

__all__ = ["arcs_of_python"]

_Arc = tuple[int, int]


def arcs_of_python(file: FileCoverage) -> set[_Arc]:
    """Return the arcs of a file that threads took.

    A way from line to line is one arc, or several if no code was made of lines between the two, as of ``break``.
    """
    parser = PythonParser(filename=file.file)
    parser.parse_source()
    graph = _Graph(parser.arcs(), parser.first_lines(file.lines))
    arcs: set[_Arc] = set()
    for (before, line), count in file.ways.items():
        if count and before:
            arcs |= graph.between(parser.first_line(before), parser.first_line(line) if line else 0)
    lines = parser.first_lines(line for line, count in file.lines.items() if count)
    return arcs | {(-1, line) for line in lines - {each for arc in arcs for each in arc}}


class _Graph:
    """The arcs that a file has; those of returns lead to a number below zero."""

    def __init__(self, arcs: set[_Arc], coded: set[int]) -> None:
        self._coded = coded
        self._next: dict[int, list[int]] = {}
        for begin, end in sorted(arcs):
            self._next.setdefault(begin, []).append(end)

    def between(self, begin: int, end: int) -> set[_Arc]:
        """Return the arcs of the shortest ways from a line to another, or to a return (0), that decide nothing else."""
        if begin == end:
            return set()
        before: dict[int, list[int]] = {begin: []}
        edge = [begin]
        while edge:
            found: dict[int, list[int]] = {}
            for line in edge:
                for following in self._next.get(line, ()):
                    if following not in before:
                        found.setdefault(following, []).append(line)
            before.update(found)
            reached = [line for line in found if line == end or (not end and line < 0)]
            if reached:
                return {*_arcs_to(reached, before)}
            edge = [line for line in found if line > 0 and self._is_passed(line)]
        return set()

    def _is_passed(self, line: int) -> bool:
        """Tell whether threads pass a line without a trace: it has no code, or none on this way, as ``while True``."""
        return line not in self._coded or len(self._next.get(line, ())) == 1


def _arcs_to(lines: list[int], before: Mapping[int, list[int]]) -> Iterator[_Arc]:
    for line in lines:
        for earlier in before[line]:
            yield earlier, line
            yield from _arcs_to([earlier], before)
