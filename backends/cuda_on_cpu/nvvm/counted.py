"""Modules with counters of the lines of Python that their instructions come from, for coverage.

A counter is before the first instruction of each line in each block. LLVM may keep it in a register between calls, but
its value stays exact. Others count how often each way from one line to another is taken, and both outcomes of each
branch between blocks of numba, which are those of the bytecode: branches that numba adds have other names.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from accel.support.kernel_coverage import Point

from .ways import CALL, Function, functions_of

__all__ = ["CountedModules", "counted_modules", "counter_text"]

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DILocation|DISubprogram|DILexicalBlock|DIFile)\((.*)\)$", re.MULTILINE)
_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,]+)')
_BRANCH = re.compile(r'  br i1 (%[^,]+), label %"?(B\d+)"?, label %"?(B\d+)"?(?=[,\s]|$)')
_TYPE = "[{} x i64]"
_NAME = "@accel_sim_counters"
_LINE = "%accel.line"
_NOTHING = Point("", 0)


class CountedModules(NamedTuple):
    """Modules with counters, in the language of LLVM, and what each of them counts."""

    texts: tuple[str, ...]
    points: tuple[Point, ...]


def counted_modules(texts: Sequence[str]) -> CountedModules:
    """Return modules with counters."""
    counters = _Counters()
    bodies = ["\n".join(_counted(text, counters)) for text in texts]
    kind = _TYPE.format(len(counters.points) + 1)
    declared = f"{_NAME} = external global {kind}\n"
    bodies = [declared + each.replace("accel.counters", kind) for each in bodies]
    return CountedModules(tuple(bodies), tuple(counters.points))


def counter_text(points: Sequence[Point]) -> str:
    """Return a module with the counters, and with a table of their numbers as ``counted.h`` has it."""
    kind = _TYPE.format(len(points) + 1)
    numbers = [f"i32 {number}" for number, point in enumerate(points) if point != _NOTHING]
    table = f"[{len(numbers)} x i32]"
    return "\n".join(
        [
            f"{_NAME} = global {kind} zeroinitializer",
            f"@accel_sim_counted = constant {table} [{', '.join(numbers)}]",
            "define ptr @accel_sim_counted_begin() {\n  ret ptr @accel_sim_counted\n}",
            "define ptr @accel_sim_counted_end() {",
            f"  ret ptr getelementptr ({table}, ptr @accel_sim_counted, i64 1)\n}}",
            "",
        ]
    )


class _Counters:
    """Writes counters, and notes what they count."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self._unique = count()
        self._conditions = count(1)

    def count(self, *points: Point, index: str = "0") -> Iterator[str]:
        """Yield what adds one to a new counter, or to that with an index among several."""
        number, first = next(self._unique), len(self.points)
        self.points += points
        name = f"%accel.count.{number}"
        yield f"  {name}.index = add i64 {first}, {index}"
        yield f"  {name}.at = getelementptr accel.counters, ptr {_NAME}, i64 0, i64 {name}.index"
        yield f"  {name} = load i64, ptr {name}.at"
        yield f"  {name}.more = add i64 {name}, 1"
        yield f"  store i64 {name}.more, ptr {name}.at"

    def count_way(self, function: Function, before: Sequence[int], to: Point) -> Iterator[str]:
        """Yield what counts the way to a line from those that may come before it, by their numbers in the function."""
        ways = {number: _way(function.places[number] if number != CALL else _NOTHING, to) for number in before}
        known = {number: way for number, way in ways.items() if way is not None}
        if not known:
            return
        if len(ways) == 1:
            yield from self.count(*known.values())
            return
        index = f"%accel.from.{next(self._unique)}"
        yield f"  {index} = load i64, ptr {_LINE}"
        yield from self.count(*[known.get(number, _NOTHING) for number in range(len(function.places))], index=index)

    def count_outcomes(self, condition: str, place: Point) -> Iterator[str]:
        """Yield what counts the outcomes of a branch."""
        number, index = next(self._conditions), f"%accel.outcome.{next(self._unique)}"
        yield f"  {index} = select i1 {condition}, i64 0, i64 1"
        yield from self.count(*[place._replace(condition=number, outcome=each) for each in (True, False)], index=index)


def _way(before: Point, to: Point) -> Point | None:
    """Return what counts a way; None for what is none: within a line, or from file to file."""
    if before == to or (_NOTHING not in (before, to) and before.file != to.file):
        return None
    return Point(before.file or to.file, to.line, after=before.line)


def _counted(text: str, counters: _Counters) -> Iterator[str]:
    places = _places(text)
    functions = functions_of(text, places)
    function: Function | None = None
    for number, line in enumerate(text.splitlines()):
        function = functions.get(number, function)
        if function is None or number not in function.lines:
            yield line
            continue
        yield from _counted_line(line, number, function, counters)
        yield line
        if number == function.first:
            yield f"  {_LINE} = alloca i64"
            yield f"  store i64 {CALL}, ptr {_LINE}"


def _counted_line(line: str, number: int, function: Function, counters: _Counters) -> Iterator[str]:
    step = function.lines[number]
    if step.place is not None:
        yield from counters.count(function.places[step.place])
        yield from counters.count_way(function, step.before, function.places[step.place])
    if step.leaves is not None:
        yield f"  store i64 {step.leaves}, ptr {_LINE}"
        branch = _BRANCH.match(line)
        if branch and branch[2] != branch[3]:
            yield from counters.count_outcomes(branch[1], function.places[step.leaves])
    if step.returns:
        yield from counters.count_way(function, step.returns, _NOTHING)


def _places(text: str) -> dict[str, Point]:
    """Return the lines of files of Python by the locations that instructions name."""
    nodes = {node: (kind, dict(_FIELD.findall(fields))) for node, kind, fields in _NODE.findall(text)}
    places = {}
    for node, (kind, fields) in nodes.items():
        if kind == "DILocation":
            file = nodes.get(nodes.get(fields.get("scope", ""), ("", {}))[1].get("file", ""), ("", {}))[1]
            name, line = file.get("filename", "").strip('"'), int(fields.get("line", 0))
            if line and "site-packages" not in name and _is_file(name):
                places[node] = Point(name, line)
    return places


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False
