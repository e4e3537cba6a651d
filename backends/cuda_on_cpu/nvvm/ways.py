"""`functions_of`: on which ways the instructions of a module lead from line to line of the source."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from accel.support.kernel_coverage import Point

__all__ = ["CALL", "Function", "Step", "functions_of"]

CALL = 0
"""Stands for the line before the first one of a function."""

_LABEL = re.compile(r'"?([^"\s]+)"?:')
_TARGET = re.compile(r'label %"?([^"\s,\]]+)"?')
_DEBUG = re.compile(r", !dbg (!\d+)")
_TERMINATOR = re.compile(r"  (br|switch|ret|unreachable|indirectbr|resume)\b")


@dataclass
class Step:
    """What begins at an instruction.

    Attributes
    ----------
    place : int or None
        The number of the line that begins; None if none does.
    before : sequence of int
        The lines that may come before it.
    leaves : int or None
        The last line of the block that ends; None if it has none, or the block goes on.
    returns : sequence of int
        The lines that may come before the function ends, if it ends.
    """

    place: int | None = None
    before: Sequence[int] = ()
    leaves: int | None = None
    returns: Sequence[int] = ()


@dataclass
class Function:
    """A function of a module.

    Attributes
    ----------
    first : int
        Where its first label is in the text of the module, or its head.
    places : list of Point
        The lines of the source that it has code of, by their numbers; that of `CALL` stands for none.
    lines : dict of int to Step
        What begins where in the text of the module.
    """

    first: int
    places: list[Point] = field(default_factory=lambda: [Point("", 0)])
    lines: dict[int, Step] = field(default_factory=dict)


@dataclass
class _Block:
    label: str
    begun: list[tuple[int, int]] = field(default_factory=list)
    end: int = 0
    returns: bool = False
    targets: list[str] = field(default_factory=list)
    before: set[int] = field(default_factory=set)

    @property
    def after(self) -> set[int]:
        """The lines that may be the last one when it ends."""
        return {self.begun[-1][1]} if self.begun else self.before


def functions_of(text: str, places: Mapping[str, Point]) -> dict[int, Function]:
    """Return the functions of a module that have code of lines of a source, by where they begin in the text."""
    lines = text.splitlines()
    functions = {}
    for start, end in _bodies(lines):
        labelled = next((i for i in range(start, end) if _LABEL.match(lines[i])), start)
        function = Function(labelled)
        blocks = _blocks(lines, range(labelled, end), places, function)
        if len(function.places) > 1:
            _follow(blocks)
            for block in blocks:
                _add_steps(block, function)
            function.lines.setdefault(labelled, Step())
            functions[start] = function
    return functions


def _bodies(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for number, line in enumerate(lines):
        if line.startswith("define "):
            start = number
        elif line.startswith("}") and start >= 0:
            yield start, number


def _blocks(lines: Sequence[str], body: range, places: Mapping[str, Point], function: Function) -> list[_Block]:
    blocks = [_Block("")]
    numbers: dict[Point, int] = {}
    for number in body:
        line = lines[number]
        label = _LABEL.match(line)
        if label:
            blocks.append(_Block(label[1]))
            continue
        block = blocks[-1]
        found = _DEBUG.search(line) if line.startswith("  ") and " phi " not in line else None
        place = places.get(found[1]) if found else None
        if place is not None:
            index = numbers.setdefault(place, len(numbers) + 1)
            if index == len(function.places):
                function.places.append(place)
            if not block.begun or block.begun[-1][1] != index:
                block.begun.append((number, index))
        kind = _TERMINATOR.match(line)
        if kind:
            block.end, block.returns, block.targets = number, kind[1] == "ret", _TARGET.findall(line)
    return blocks[1:]


def _follow(blocks: Sequence[_Block]) -> None:
    """Find the lines that may come before each block."""
    named = {block.label: block for block in blocks}
    blocks[0].before.add(CALL)
    changed = [*blocks]
    while changed:
        block = changed.pop()
        for target in (named[each] for each in block.targets if each in named):
            if not block.after <= target.before:
                target.before |= block.after
                changed.append(target)


def _add_steps(block: _Block, function: Function) -> None:
    before = sorted(block.before)
    for number, place in block.begun:
        function.lines[number] = Step(place, before)
        before = [place]
    if block.end:
        step = function.lines.setdefault(block.end, Step())
        step.leaves = block.begun[-1][1] if block.begun and block.targets else None
        step.returns = before if block.returns else ()
