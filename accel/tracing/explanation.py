"""`FusedExplanation`: which loops and calls a fused function becomes, and the memory that they read and write."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import prod
from pathlib import PurePath
from textwrap import wrap
from typing import NamedTuple

from accel.fusion.nodes import Call, Input, Line, Node, Operation, Reduction, Result, Scan
from accel.fusion.regions import Memory, Region
from accel.pictures.style import MONO, Shade, svg_style
from accel.pictures.svg import document, rect, text, text_width
from accel.tracing.plans import Plan

__all__ = ["FusedExplanation", "explained"]

_WIDTH = 110
_REDUCED = {"add": "sum", "mul": "product", "max": "maximum", "min": "minimum"}
_UNITS = (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")
_BAR, _LINE, _LEFT = 420, 42, 330
_LETTERS = 46
"""As many fit at the left of the bars."""


class Step(NamedTuple):
    """A loop, or a call of the library.

    Attributes
    ----------
    title : str
        What it is.
    operations : str
        What it computes for each element.
    reads, writes : dict of str to int
        The bytes of each array.
    lines : str
        Where the traced function has it.
    """

    title: str
    operations: str
    reads: dict[str, int]
    writes: dict[str, int]
    lines: str

    @property
    def nbytes(self) -> int:
        """Bytes that it reads and writes."""
        return sum(self.reads.values()) + sum(self.writes.values())


class FusedExplanation(NamedTuple):
    """What a fused function does: `str` returns it as text, and a notebook shows it as a picture.

    Attributes
    ----------
    name : str
        The function.
    steps : tuple of Step
        In order.
    least : int
        The bytes of its arguments and results, which must be read or written once.
    """

    name: str
    steps: tuple[Step, ...]
    least: int

    @property
    def nbytes(self) -> int:
        """Bytes that all steps read and write."""
        return sum(step.nbytes for step in self.steps)

    @property
    def ratio(self) -> float:
        """How many times the least bytes these are."""
        return self.nbytes / self.least if self.least else 1.0

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        yield self._title()
        yield self._subtitle()
        for number, step in enumerate(self.steps, 1):
            yield f"{number}. {step.title}"
            for about, said in (
                ("computes", step.operations),
                ("reads", _listed(step.reads)),
                ("writes", _listed(step.writes)),
                ("lines", step.lines),
            ):
                if said:
                    indent = " " * 13
                    yield from wrap(f"   {about:<10}{said}", _WIDTH, initial_indent="", subsequent_indent=indent)

    def _title(self) -> str:
        calls = sum(step.title.startswith("call") for step in self.steps)
        return f"{self.name}: {_count(len(self.steps) - calls, 'loop')}, {_count(calls, 'call')} of the library"

    def _subtitle(self) -> str:
        times = f"{self.ratio:.1f} times as much as" if self.ratio >= 1.05 else "as much as"
        return f"They read and write {amount(self.nbytes)}, {times} arguments and results have ({amount(self.least)})."

    def svg(self) -> str:
        """Return a picture of the bytes that each step moves, as SVG."""
        most = max([self.least, *(step.nbytes for step in self.steps)], default=1) or 1
        least = Step("arguments and results", "what must be moved once", {"all of them": self.least}, {}, "")
        body = text(20, 30, self._title(), "ink", size=14) + text(20, 50, self._subtitle(), "soft", size=11)
        rows = [least, *self.steps]
        for number, step in enumerate(rows):
            y = 66 + _LINE * number
            title, about = f"{number}. {step.title}" if number else step.title, step.lines or step.operations
            body += text(20, y + 13, _clipped(title), "ink", size=11) + text(
                20, y + 27, _clipped(about), "soft", size=10
            )
            x = float(_LEFT)
            for kind, verb, sizes in (
                ("read" if number else "least", "reads", step.reads),
                ("write", "writes", step.writes),
            ):
                for name, size in sizes.items():
                    width = max(_BAR * size / most, 2.0)
                    body += rect(x, y, width - 1, 24, kind, title=f"{verb} {name}: {amount(size)}" if number else "")
                    if number and text_width(name, 10) < width - 6:
                        body += text(x + 4, y + 16, name, "name", size=10)
                    x += width
            body += text(x + 8, y + 16, amount(step.nbytes), "soft", size=11)
        y = 76 + _LINE * len(rows)
        body += rect(20, y, 12, 12, "read") + text(38, y + 10, "read", "soft", size=11)
        body += rect(90, y, 12, 12, "write") + text(108, y + 10, "written", "soft", size=11)
        shades = {
            "read": Shade("fill", "#4c86c6", "#6aa2e0"),
            "write": Shade("fill", "#d98032", "#e79a55"),
            "least": Shade("fill", "#b9bdc7", "#5b606b"),
            "name": Shade("fill", "#ffffff", "#16181d"),
        }
        style = svg_style("accel-fused", MONO, shades=shades)
        return document("accel-fused", _LEFT + _BAR + 110, y + 32, body, title=self._title(), style=style)

    def _repr_html_(self) -> str:
        return f"<div>{self.svg()}<pre>{escape(str(self))}</pre></div>"


def explained(plan: Plan, name: str) -> FusedExplanation:
    """Return what a plan does."""
    memory, names = plan.schedule.memory, plan.names
    steps = [
        _of_call(each, memory, names) if isinstance(each, Call) else _of_region(each, memory, names)
        for each in plan.schedule.steps
    ]
    used = {name for step in steps for name in (*step.reads, *step.writes)}
    sizes = {names[node]: _nbytes(node) for node in plan.inputs if names[node] in used}
    sizes |= {names[memory[node]]: _nbytes(memory[node]) for node in plan.outputs}
    written = sum(_nbytes(plan.inputs[number]) for number in plan.written)
    return FusedExplanation(name, tuple(steps), sum(sizes.values()) + written)


def _of_region(region: Region, memory: Mapping[Node, Memory], names: Mapping[Memory, str]) -> Step:
    reads: Counter[str] = Counter()
    for node, index_map in region.reads:
        place = memory[node]
        axes = {axis for each in index_map for axis, _ in each.steps}
        elements = prod(region.shape[axis] for axis in axes)
        name = names[place]
        reads[name] = min(reads[name] + elements * node.dtype.itemsize, _nbytes(place))
    writes: Counter[str] = Counter()
    for task in region.tasks:
        writes[names[task.memory]] += task.value.size * task.memory.dtype.itemsize
    computed = region.expansion.computed
    nodes: list[Operation | Reduction | Scan] = [node for node, _ in computed if isinstance(node, Operation | Scan)]
    nodes += [task.value for task in region.tasks if isinstance(task.value, Reduction)]
    title = f"loop over {' x '.join(map(str, region.shape)) or '1'}"
    lines = [*(node.line for node in nodes), *(task.line or task.value.line for task in region.tasks)]
    computes = _operations(nodes) or ("nothing, it copies" if reads else "nothing, it fills")
    return Step(title, computes, dict(reads), dict(writes), _lines(lines))


def _of_call(call: Call, memory: Mapping[Node, Memory], names: Mapping[Memory, str]) -> Step:
    reads: Counter[str] = Counter()
    for node in call.operands:
        reads[names[memory[node]]] = node.size * node.dtype.itemsize
    results = [node for node in memory if isinstance(node, Result) and node.call is call]
    writes = {names[memory[node]]: _nbytes(node) for node in results}
    return Step(f"call of {call.name}", "", dict(reads), writes, _lines([node.line for node in results]))


def _operations(nodes: Sequence[Operation | Reduction | Scan]) -> str:
    counts = Counter(map(_name, nodes))
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def _name(node: Operation | Reduction | Scan) -> str:
    if isinstance(node, Scan):
        return f"cumulative {_REDUCED[node.op]}"
    return _REDUCED[node.op] if isinstance(node, Reduction) else node.name or node.kind


def _lines(lines: Iterable[Line | None]) -> str:
    """Return the lines of the traced function, as ranges, by file."""
    found: dict[str, set[int]] = {}
    for line in lines:
        if line is not None and line[1]:
            found.setdefault(line[0], set()).add(line[1])
    return "; ".join(f"{PurePath(file).name}:{_ranges(sorted(numbers))}" for file, numbers in found.items())


def _ranges(numbers: Sequence[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def _nbytes(place: Memory | Input) -> int:
    return prod(place.shape) * place.dtype.itemsize


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({amount(size)})" for name, size in sizes.items())


def amount(nbytes: int) -> str:
    """Return a number of bytes as text."""
    for size, unit in _UNITS:
        if nbytes >= size:
            return f"{nbytes / size:.3g} {unit}"
    return f"{nbytes} bytes"


def _clipped(said: str) -> str:
    return said if len(said) <= _LETTERS else f"{said[: _LETTERS - 1]}\u2026"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
