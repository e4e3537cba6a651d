"""`marked`: modules in which a thread tells the checks when it enters and passes a statement with a barrier.

The machine compares threads that wait in such a statement with those that have passed it and ended. Python's statements
are gone here; what is left of one is a block that ends with a branch, and the block where its ways meet again: its
immediate postdominator. If they do not meet, as after an early ``return``, nothing is passed.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count

__all__ = ["functions_that_meet", "marked"]

_MEETS = re.compile(r'call [^@]*@"?(?:accel\.nvvm\.(?:barrier0|shfl|vote|match|bar\.warp)[\w.]*|cudaCGSynchronize)"?\(')
_CALLED = re.compile(r'call [^@]*@"?([^"(]+)"?\(')
_DEFINED = re.compile(r'define [^@]*@"?([^"(]+)"?\(')
_LABEL = re.compile(r'^"?([^"\s]+)"?:')
_TARGET = re.compile(r'label %"?([^",\s\]]+)"?')
_DEBUG = re.compile(r", !dbg !\d+")
_END = "\0"
_OF_NUMBA = re.compile(r'!DIFile\(directory: "[^"]*/numba/cuda/kernels"')
"""Kernels of numba's own, which name lanes in masks that have ended, or soon will have."""
_DECLARED = (
    "declare void @accel_sim_begin(i32*, i32)",
    "declare void @accel_sim_past(i32*)",
)


class _Block:
    """Instructions of a function up to a branch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []

    @property
    def targets(self) -> list[str]:
        """The blocks that it may lead to, or the end of the function."""
        return list(dict.fromkeys(_TARGET.findall(" ".join(self._last)))) or [_END]

    @property
    def _last(self) -> list[str]:
        """The last instruction, which may have several lines."""
        begin = next((i for i, line in enumerate(self.lines) if line.startswith("  switch ")), len(self.lines) - 1)
        return self.lines[begin:]

    @property
    def ends_at(self) -> int:
        """The number of the line of its last instruction."""
        return len(self.lines) - len(self._last)

    @property
    def is_end(self) -> bool:
        """Whether it only ends the function."""
        return len(self.lines) == 1 and self.lines[0].startswith("  ret ")

    @property
    def debug(self) -> str:
        """The location of its last instruction, as it is written after it."""
        found = _DEBUG.findall(" ".join(self._last))
        return found[-1] if found else ""


def marked(texts: Sequence[str], entry: str, meeting: set[str]) -> list[str]:
    """Return modules with the marks; `meeting` are the functions in which threads meet."""
    numbers = count(1)
    return [
        _marked(text, entry, meeting, numbers) if meeting and not _OF_NUMBA.search(text) else text for text in texts
    ]


def functions_that_meet(texts: Sequence[str]) -> set[str]:
    """Return the functions with a barrier or a collective operation of a warp, also in those that they call."""
    calls: dict[str, set[str]] = {}
    meeting: set[str] = set()
    for text in texts:
        name = ""
        for line in text.splitlines():
            defined = _DEFINED.match(line)
            if defined:
                name = defined[1]
            elif " call " in line or line.startswith("  call "):
                if _MEETS.search(line):
                    meeting.add(name)
                calls.setdefault(name, set()).update(_CALLED.findall(line))
    while True:
        more = {name for name, called in calls.items() if called & meeting} - meeting
        if not more:
            return meeting
        meeting |= more


def _marked(text: str, entry: str, meeting: set[str], numbers: "count[int]") -> str:
    lines: list[str] = []
    body: list[str] | None = None
    for line in text.splitlines():
        defined = _DEFINED.match(line)
        if defined and defined[1] in meeting:
            body = [line]
        elif body is None:
            lines.append(line)
        else:
            body.append(line)
            if line == "}":
                lines += _Function(body, meeting, is_kernel=_name(body[0]) == entry).marked(numbers)
                body = None
    return "\n".join([*lines, *_DECLARED, ""])


def _name(head: str) -> str:
    found = _DEFINED.match(head)
    return found[1] if found else ""


class _Function:
    """A function with barriers."""

    def __init__(self, lines: list[str], meeting: set[str], *, is_kernel: bool) -> None:
        begin = next(i for i, line in enumerate(lines) if _LABEL.match(line))
        self._head, self._is_kernel = lines[:begin], is_kernel
        self._blocks: dict[str, _Block] = {}
        block = None
        for line in lines[begin:-1]:
            label = _LABEL.match(line)
            if label:
                block = self._blocks[label[1]] = _Block(label[1])
            elif block is not None and line:
                block.lines.append(line)
        self._meets = {name for name, each in self._blocks.items() if any(_meets(line, meeting) for line in each.lines)}
        self._next = {name: self._targets(each) for name, each in self._blocks.items()}

    def _targets(self, block: _Block) -> list[str]:
        """Return where a block may lead to, without what is only for errors of functions that it calls."""
        targets = block.targets
        if "!prof" not in " ".join(block.lines[-1:]):
            return targets
        others = [each for each in targets if each == _END or not self._blocks[each].is_end]
        return others or targets

    def marked(self, numbers: "count[int]") -> list[str]:
        """Return its lines with the marks."""
        variables: list[str] = []
        begins: dict[str, list[str]] = {}
        pasts: dict[str, list[str]] = {}
        for block, meeting in self._statements():
            variable = f"%accel.statement.{len(variables)}"
            variables.append(variable)
            debug = self._blocks[block].debug
            begins.setdefault(block, []).append(
                f"  call void @accel_sim_begin(i32* {variable}, i32 {next(numbers)}){debug}"
            )
            pasts.setdefault(meeting, []).insert(0, f"  call void @accel_sim_past(i32* {variable}){debug}")
        return [*self._head, *self._lines(variables, begins, pasts, numbers), "}"]

    def _lines(
        self, variables: list[str], begins: dict[str, list[str]], pasts: dict[str, list[str]], numbers: "count[int]"
    ) -> Iterator[str]:
        whole = "%accel.function"
        first = next(iter(self._blocks))
        for name, block in self._blocks.items():
            yield f'"{name}":'
            if name == first:
                yield from _variables([*variables, *([] if self._is_kernel else [whole])])
                if not self._is_kernel:
                    yield f"  call void @accel_sim_begin(i32* {whole}, i32 {next(numbers)}){block.debug}"
            phis = sum(" = phi " in line for line in block.lines)
            yield from block.lines[:phis]
            yield from pasts.get(name, [])
            yield from block.lines[phis : block.ends_at]
            yield from begins.get(name, [])
            if not self._is_kernel and block.targets == [_END]:
                yield f"  call void @accel_sim_past(i32* {whole}){block.debug}"
            yield from block.lines[block.ends_at :]

    def _statements(self) -> Iterator[tuple[str, str]]:
        """Yield the blocks with a branch on which a barrier depends, and where the ways meet again."""
        after = self._postdominators()
        for name, targets in self._next.items():
            if len(targets) > 1:
                meeting = self._first_after(name, after)
                if meeting != _END and self._meets & self._between(name, meeting):
                    yield name, meeting

    def _postdominators(self) -> dict[str, set[str]]:
        everything = {*self._next, _END}
        after = {name: set(everything) for name in self._next}
        after[_END] = {_END}
        changed = True
        while changed:
            changed = False
            for name in reversed(self._next):
                found = set.intersection(*[after[each] for each in self._next[name]]) | {name}
                changed = changed or found != after[name]
                after[name] = found
        return after

    def _first_after(self, name: str, after: dict[str, set[str]]) -> str:
        """Return the nearest block that all ways from a block go through: that which most of the others come after."""
        others = after[name] - {name}
        return max(others, key=lambda each: len(after[each]), default=_END)

    def _between(self, name: str, end: str) -> set[str]:
        """Return the blocks on the ways from a block to another one."""
        found: set[str] = set()
        waiting = [*self._next[name]]
        while waiting:
            each = waiting.pop()
            if each not in found and each not in {end, _END}:
                found.add(each)
                waiting += self._next[each]
        return found


def _meets(line: str, meeting: set[str]) -> bool:
    return bool(_MEETS.search(line)) or any(each in meeting for each in _CALLED.findall(line))


def _variables(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield f"  {name} = alloca i32"
        yield f"  store i32 -1, i32* {name}"
