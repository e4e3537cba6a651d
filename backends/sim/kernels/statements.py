"""Statements of programs, as lines of Python text."""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Break,
    Check,
    Continue,
    CopyAsync,
    Expr,
    For,
    Guard,
    If,
    Load,
    Mark,
    Reduction,
    Shuffle,
    Stmt,
    Store,
    Vote,
    WaitForCopies,
    While,
)
from accel.support.kernel_coverage import Point

from .arithmetic import extreme, reduced
from .expressions import Expressions, memory_name
from .threads import Meeting

__all__ = ["Statements", "numbers_of"]

# Iterations whose numbers are made at once.
_CHUNK = 4096


class Statements:
    """Writes statements, one after another.

    Attributes
    ----------
    lines : list of str
        The text.
    expressions : Expressions
        Turns expressions into text.
    points : dict
        The number of the counter of each line, for coverage.
    """

    def __init__(self, expressions: Expressions) -> None:
        self.lines: list[str] = []
        self.expressions = expressions
        self.points: dict[Point, int] = {}
        self._depth = 0
        self._reductions: Mapping[str, Reduction] = {}

    def add(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def under(self, text: str) -> Iterator[None]:
        """Write a line, and what follows indented below it."""
        self.add(text)
        self._depth += 1
        yield
        self._depth -= 1

    def body(self, statements: Iterable[Stmt], reductions: Iterable[Reduction] = ()) -> None:
        """Write statements, which may assign to totals of reductions."""
        outer, self._reductions = (
            self._reductions,
            {**self._reductions, **{each.total.name: each for each in reductions}},
        )
        for statement in statements:
            getattr(self, f"_{type(statement).__name__.lower()}")(statement)
        self.add("pass")
        self._reductions = outer

    def _assign(self, s: Assign) -> None:
        if s.target.name in self._reductions:
            self.add(f"all_{s.target.name}.append({self.expressions(self._addend(s))})")
        else:
            self.add(f"{self.expressions(s.target)} = {self.expressions(s.value)}")

    def _addend(self, s: Assign) -> Any:
        """Return the value that an iteration combines with the total."""
        op = self._reductions[s.target.name].op
        if isinstance(s.value, Binary) and s.value.op == op and s.value.x == s.target:
            return s.value.y
        raise ValueError(f"{s.target.name} is reduced by {op}, and cannot be assigned {s.value}")

    def _store(self, s: Store) -> None:
        (value,) = self._evaluated(s.value)
        with self._guarded(s.guard, s.memory):
            self.add(f"{memory_name(s.memory)}.write(t, {self.expressions(s.at)}, {value}, {_site(s.guard)})")

    def _evaluated(self, *values: Expr) -> list[str]:
        """Write the values that a guarded statement uses: as in Python, they are evaluated before the place."""
        names = [f"value_{number}" for number in range(len(values))]
        for name, value in zip(names, values, strict=True):
            self.add(f"{name} = {self.expressions(value)}")
        return names

    def _atomic(self, s: Atomic) -> None:
        operands = self._evaluated(*(x for x in (s.expected, s.value) if x is not None))
        dtype = self.expressions.dtype_of(s.memory)
        function = self.expressions.named("atomic_", (s.op, dtype), lambda: _ATOMIC.get(s.op) or extreme(s.op, dtype))
        call = f"{memory_name(s.memory)}.change(t, {self.expressions(s.at)}, {function}, {_site(s.guard)}"
        target = "" if s.target is None else f"{self.expressions(s.target)} = "
        with self._guarded(s.guard, s.memory):
            self.add(f"{target}{call}, {', '.join(operands)})")
        if target and s.guard is not None:
            with self.under("else:"):
                self.add(target + self.expressions.zero_of(s.memory))

    @contextmanager
    def _guarded(self, guard: Guard | None, memory: str) -> Iterator[None]:
        """Write what follows under a guard; other threads may run before it."""
        with self.under("if True:" if guard is None else f"if {self.expressions.holds(guard)}:"):
            if self.expressions.stops(memory):
                self.add("yield")
            yield

    def _check(self, s: Check) -> None:
        self.add(self.expressions.holds(s.guard))

    def _mark(self, s: Mark) -> None:
        number = self.points.setdefault(Point(s.file, s.line), len(self.points))
        self.add(f"run.counts[{number}] += 1")

    def _if(self, s: If) -> None:
        with self.under(f"if {self.expressions(s.condition)}:"):
            self.body(s.body)
        if s.otherwise:
            with self.under("else:"):
                self.body(s.otherwise)

    def _while(self, s: While) -> None:
        with self.under(f"while {self.expressions(s.condition)}:"):
            self.add("run.spend()")
            self.body(s.body)

    def _for(self, s: For) -> None:
        bounds = ", ".join(self.expressions(x) for x in (s.start, s.stop, s.step))
        counted = self.expressions.named("counted", s.target.dtype, lambda: _counted(s.target.dtype))
        for reduction in s.reductions:
            self.add(f"all_{reduction.total.name} = []")
        with self.under(f"for {self.expressions(s.target)} in {counted}({bounds}):"):
            self.add("run.spend()")
            self.body(s.body, s.reductions)
        for reduction in s.reductions:
            self.total(reduction, self.expressions(reduction.total))

    def total(self, reduction: Reduction, before: str) -> None:
        """Write what combines a total with the values of all iterations."""
        name, dtype = reduction.total.name, reduction.total.dtype
        function = self.expressions.named("total", reduction, lambda: lambda all_: reduced(reduction.op, all_, dtype))
        self.add(f"{before} = {function}([{before}, *all_{name}])")

    def _break(self, s: Break) -> None:
        self.add("break")

    def _continue(self, s: Continue) -> None:
        self.add("continue")

    def _barrier(self, s: Barrier) -> None:
        self.add(f"yield {self._meeting()}('barrier', {s.site})")

    def _shuffle(self, s: Shuffle) -> None:
        value, lane = self.expressions(s.value), self.expressions(s.lane)
        self.add(f"{self.expressions(s.target)} = yield {self._meeting()}({s.kind!r}, {s.site}, {value}, {lane})")

    def _vote(self, s: Vote) -> None:
        condition = self.expressions(s.condition)
        self.add(f"{self.expressions(s.target)} = yield {self._meeting()}({s.kind!r}, {s.site}, {condition})")

    def _meeting(self) -> str:
        return self.expressions.named("meeting", (), lambda: Meeting)

    def _copyasync(self, s: CopyAsync) -> None:
        (value,) = self._evaluated(Load(s.source, s.source_at, self.expressions.dtype_of(s.source), s.source_guard))
        with self._guarded(s.guard, s.target):
            at, target = self.expressions(s.target_at), memory_name(s.target)
            self.add(f"t.copies.append({target}.copy_later(t, {at}, {value}, {_site(s.guard)}))")

    def _waitforcopies(self, s: WaitForCopies) -> None:
        self.add("t.wait_for_copies()")


def _site(guard: Guard | None) -> int | None:
    return None if guard is None else guard.site


def numbers_of(start: int, stop: int, step: int) -> range:
    """Return a range; it is empty if the step is 0."""
    return range(start, stop, step) if step else range(0)


def _counted(dtype: DType) -> Callable[[int, int, int], Iterator[Any]]:
    """Return a function like `range`, whose numbers have a dtype."""

    def counted(start: int, stop: int, step: int) -> Iterator[Any]:
        numbers = numbers_of(start, stop, step)
        while numbers:  # `len` of a range that is longer than 2**63 raises
            yield from np.array(numbers[:_CHUNK], dtype)
            numbers = numbers[_CHUNK:]

    return counted


_ATOMIC: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "exchange": lambda _, value: value,
    "compare": lambda old, expected, value: value if old == expected else old,
}
