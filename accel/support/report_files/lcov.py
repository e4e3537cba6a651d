"""`FileCoverage`: which lines of a file threads of kernels took, and the format of lcov for it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

__all__ = ["FileCoverage", "lcov", "merged_coverage", "write_lcov"]


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """How often threads took the lines of a file, and the outcomes of its conditions.

    Attributes
    ----------
    file : str
        Absolute path; for text that is in no file, a name.
    text : str
        The text, if it is in no file.
    lines : dict of int to int
        The lines that there is code of, and how often a thread began one of their statements.
    branches : dict of (int, int) to (int, int)
        The lines of conditions, with their numbers in the line, from 0; how often each held, and did not.
    ways : dict of (int, int) to int
        How often a line came after another, in Python; 0 stands for the call before the first, and for the return.
    """

    file: str
    text: str = ""
    lines: dict[int, int] = field(default_factory=dict)
    branches: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    ways: dict[tuple[int, int], int] = field(default_factory=dict)

    def json(self) -> list[Any]:
        """Return it as a value for `json.dumps`, which `from_json` reads."""
        branches = [[*place, *counts] for place, counts in self.branches.items()]
        ways = [[*way, count] for way, count in self.ways.items()]
        return [self.file, self.text, [*map(list, self.lines.items())], branches, ways]

    @classmethod
    def from_json(cls, values: list[Any]) -> "FileCoverage":
        """Return what `json` described."""
        file, text, lines, branches, ways = values
        outcomes = {(a, b): (c, d) for a, b, c, d in branches}
        return cls(file, text, dict(map(tuple, lines)), outcomes, {(a, b): c for a, b, c in ways})


def merged_coverage(files: Iterable[FileCoverage]) -> list[FileCoverage]:
    """Return the files in order, each once, with sums of the counts."""
    found: dict[tuple[str, str], FileCoverage] = {}
    for each in files:
        total = found.setdefault((each.file, each.text), FileCoverage(each.file, each.text))
        for line, count in each.lines.items():
            total.lines[line] = total.lines.get(line, 0) + count
        for place, (held, not_held) in each.branches.items():
            before = total.branches.get(place, (0, 0))
            total.branches[place] = before[0] + held, before[1] + not_held
        for way, count in each.ways.items():
            total.ways[way] = total.ways.get(way, 0) + count
    return [found[key] for key in sorted(found)]


def lcov(files: Iterable[FileCoverage]) -> str:
    """Return a tracefile of lcov, for genhtml and services that show coverage."""
    return "".join([f"{line}\n" for each in files for line in _record(each)])


def _record(file: FileCoverage) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{file.file}"
    for (line, number), (held, not_held) in sorted(file.branches.items()):
        reached = held or not_held
        for branch, count in enumerate((held, not_held)):
            yield f"BRDA:{line},{number},{branch},{count if reached else '-'}"
    outcomes = [count for counts in file.branches.values() for count in counts]
    yield f"BRF:{len(outcomes)}"
    yield f"BRH:{sum(count > 0 for count in outcomes)}"
    for line, count in sorted(file.lines.items()):
        yield f"DA:{line},{count}"
    yield f"LF:{len(file.lines)}"
    yield f"LH:{sum(count > 0 for count in file.lines.values())}"
    yield "end_of_record"


def write_lcov(files: Iterable[FileCoverage], path: Path) -> None:
    """Write a tracefile, and texts that are in no file to a folder beside it, where readers find them.

    Raises
    ------
    OSError
        If they cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = path.with_name(f"{path.name}.sources").absolute()
    written = [_with_file(each, folder) for each in merged_coverage(files)]
    path.write_text(lcov(written), encoding="utf-8")


def _with_file(file: FileCoverage, folder: Path) -> FileCoverage:
    if not file.text:
        return file
    name = f"kernels_{sha256(file.text.encode(errors='surrogateescape')).hexdigest()[:12]}.cu"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(file.text, encoding="utf-8", errors="surrogateescape")
    return FileCoverage(str(folder / name), "", file.lines, file.branches, file.ways)
