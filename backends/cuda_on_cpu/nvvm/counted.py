"""Modules with counters of the lines of Python that their instructions come from, for coverage.

A counter is before the first instruction of each line in each block. LLVM may keep it in a register between calls, but
its value stays exact.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from accel.support.kernel_coverage import Point

__all__ = ["CountedModules", "counted_modules", "counter_text"]

_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(DILocation|DISubprogram|DILexicalBlock|DIFile)\((.*)\)$", re.MULTILINE)
_FIELD = re.compile(r'(\w+): ("[^"]*"|[^,]+)')
_DEBUG = re.compile(r", !dbg (!\d+)")
_LABEL = re.compile(r'"?[^"\s]+"?:')
_TYPE = "[{} x i64]"
_NAME = "@accel_sim_counters"


class CountedModules(NamedTuple):
    """Modules with counters, in the language of LLVM, and what each of them counts."""

    texts: tuple[str, ...]
    points: tuple[Point, ...]


def counted_modules(texts: Sequence[str]) -> CountedModules:
    """Return modules with counters."""
    points: list[Point] = []
    bodies = ["\n".join(_counted(text, points)) for text in texts]
    kind = _TYPE.format(len(points) + 1)
    declared = f"{_NAME} = external global {kind}\n"
    return CountedModules(tuple([declared + each.replace("accel.counters", kind) for each in bodies]), tuple(points))


def counter_text(total: int) -> str:
    """Return a module with the counters, and with a table of their numbers as ``counted.h`` has it."""
    kind = _TYPE.format(total + 1)
    numbers = ", ".join([f"i32 {number}" for number in range(total)])
    table = f"[{total} x i32]"
    return "\n".join(
        [
            f"{_NAME} = global {kind} zeroinitializer",
            f"@accel_sim_counted = constant {table} [{numbers}]",
            "define ptr @accel_sim_counted_begin() {\n  ret ptr @accel_sim_counted\n}",
            "define ptr @accel_sim_counted_end() {",
            f"  ret ptr getelementptr ({table}, ptr @accel_sim_counted, i64 1)\n}}",
            "",
        ]
    )


def _counted(text: str, points: list[Point]) -> Iterator[str]:
    places = _places(text)
    before: Point | None = None
    unique = count()
    for line in text.splitlines():
        if _LABEL.match(line) or line.startswith("define "):
            before = None
        found = _DEBUG.search(line) if line.startswith("  ") and " phi " not in line else None
        point = places.get(found[1]) if found else None
        if point is not None and point != before:
            counts = f"%accel.counts.{next(unique)}"
            at = f"ptr getelementptr (accel.counters, ptr {_NAME}, i64 0, i64 {len(points)})"
            yield f"  {counts} = load i64, {at}"
            yield f"  {counts}.more = add i64 {counts}, 1"
            yield f"  store i64 {counts}.more, {at}"
            points.append(point)
            before = point
        yield line


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
