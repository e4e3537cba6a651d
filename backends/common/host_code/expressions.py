"""Prints expressions: each becomes instructions, and the name of its value."""

from collections.abc import Callable
from typing import Any

from accel.ir import (
    TRUTH,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Extent,
    Guard,
    Load,
    Local,
    Logic,
    Place,
    Select,
    Stride,
    Unary,
    of_type,
)

from .arithmetic import binary, compare, unary
from .casts import cast
from .forms import I64, Form, Value, form_of
from .functions import call
from .guards import is_cheap, report
from .memory import Memory, load
from .scopes import Scope
from .text import Text

__all__ = ["Expressions"]

_UNLIKELY = ", !prof !0"


class Expressions:
    """Prints expressions of one function.

    Attributes
    ----------
    proven : set of Guard
        The guards that hold wherever they are met, so that they are not printed.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.text: Text = scope.text
        self.proven: frozenset[Guard] = frozenset()
        self._printers: dict[type, Callable[[Any], Value]] = {
            Const: lambda x: form_of(x.dtype).constant(x.value),
            Local: scope.read,
            Extent: lambda x: (scope.memories[x.view].extents[x.axis],),
            Stride: lambda x: (scope.memories[x.view].strides[x.axis],),
            Place: lambda x: (scope.places[x.what, x.axis],),
            Unary: lambda x: unary(self.text, x.op, form_of(x.dtype), self.values(x.x)),
            Binary: lambda x: binary(self.text, x.op, form_of(x.dtype), self.values(x.x), self.values(x.y)),
            Compare: self._compare,
            Logic: self._logic,
            Select: self._select,
            Cast: lambda x: cast(self.text, self.values(x.x), form_of(of_type(x.x)), form_of(x.dtype)),
            Call: self._call,
            Load: lambda x: self.element(scope.memories[x.memory], x.at, x.guard),
        }

    def values(self, x: Expr) -> Value:
        """Return the value of an expression."""
        return self._printers[type(x)](x)

    def value(self, x: Expr) -> str:
        """Return the value of an expression that is not complex."""
        (value,) = self.values(x)
        return value

    def index(self, x: Expr) -> str:
        """Return the value of an integer, as one of 64 bits."""
        return cast(self.text, self.values(x), form_of(of_type(x)), I64)[0]

    def _compare(self, x: Compare) -> Value:
        return (compare(self.text, x.op, form_of(of_type(x.x)), self.values(x.x), self.values(x.y)),)

    def _logic(self, x: Logic) -> Value:
        if x.op == "or":
            return self._select(Select(x.x, Const(True, TRUTH), x.y, TRUTH))
        return self._select(Select(x.x, x.y, Const(False, TRUTH), TRUTH))

    def _select(self, x: Select) -> Value:
        condition, form = self.value(x.condition), form_of(x.dtype)
        if is_cheap(x.x) and is_cheap(x.y):
            pairs = zip(self.values(x.x), self.values(x.y), strict=True)
            kind = form.register
            return tuple(self.text.value(f"select i1 {condition}, {kind} {a}, {kind} {b}") for a, b in pairs)
        return self.either(condition, form, lambda: self.values(x.x), lambda: self.values(x.y))

    def either(
        self, condition: str, form: Form, yes: Callable[[], Value], no: Callable[[], Value], hints: str = ""
    ) -> Value:
        """Return the value that one of two printers gives, by a condition."""
        text = self.text
        cells = [text.slot(form.register, "chosen") for _ in range(form.parts)]
        labels = [text.fresh("then"), text.fresh("else"), text.fresh("end")]
        text.branch(condition, labels[0], labels[1], hints)
        for label, printer in zip(labels, (yes, no), strict=False):
            text.block(label)
            for cell, part in zip(cells, printer(), strict=True):
                text.do(f"store {form.register} {part}, ptr {cell}")
            text.jump(labels[2])
        text.block(labels[2])
        return tuple(text.value(f"load {form.register}, ptr {cell}") for cell in cells)

    def _call(self, x: Call) -> Value:
        return call(self.text, x.function, form_of(of_type(x.arguments[0])), [self.values(y) for y in x.arguments])

    def element(self, memory: Memory, at: Expr, guard: Guard | None) -> Value:
        """Return an element; 0 if the guard fails."""
        if guard is None or guard in self.proven:
            return load(self.text, memory.form, self.place(memory, at), memory.hints)
        return self.either(
            self.holds(guard),
            memory.form,
            lambda: load(self.text, memory.form, self.place(memory, at), memory.hints),
            lambda: self._reported(guard, memory.form.constant(0)),
            _UNLIKELY,
        )

    def place(self, memory: Memory, at: Expr) -> str:
        """Return the address of an element."""
        form = memory.form
        kind = form.memory if form.parts == 1 else f"{{{form.memory}, {form.memory}}}"
        return self.text.value(f"getelementptr inbounds {kind}, ptr {memory.address}, i64 {self.index(at)}", "at")

    def holds(self, guard: Guard) -> str:
        """Return whether each index is at least 0 and less than its extent."""
        truths = []
        for index, extent in zip(guard.indices, guard.extents, strict=True):
            truths.append(self.text.value(f"icmp ult i64 {self.index(index)}, {self.index(extent)}"))
        return self.all_of(truths)

    def all_of(self, truths: list[str]) -> str:
        """Return whether all conditions hold."""
        everything = "true"
        for truth in truths:
            everything = truth if everything == "true" else self.text.value(f"and i1 {everything}, {truth}")
        return everything

    def when_it_holds(self, guard: Guard | None, printer: Callable[[], None]) -> None:
        """Print an access, which is not done if the guard fails."""
        if guard is None or guard in self.proven:
            printer()
            return
        text, labels = self.text, [self.text.fresh(hint) for hint in ("inside", "outside", "end")]
        text.branch(self.holds(guard), labels[0], labels[1], _UNLIKELY)
        text.block(labels[0])
        printer()
        text.jump(labels[2])
        text.block(labels[1])
        self._reported(guard, ())
        text.block(labels[2])

    def _reported(self, guard: Guard, value: Value) -> Value:
        """Record that a guard failed; the numbers are those of the first axis whose index is out of range."""
        indices = [self.index(x) for x in guard.indices]
        extents = [self.index(x) for x in guard.extents]
        axis, at, extent = "0", indices[-1], extents[-1]
        axis = str(len(indices) - 1)
        for number in reversed(range(len(indices) - 1)):
            wrong = self.text.value(f"icmp uge i64 {indices[number]}, {extents[number]}")
            axis = self.text.value(f"select i1 {wrong}, i64 {number}, i64 {axis}")
            at = self.text.value(f"select i1 {wrong}, i64 {indices[number]}, i64 {at}")
            extent = self.text.value(f"select i1 {wrong}, i64 {extents[number]}, i64 {extent}")
        iteration = "0"
        if self.scope.iteration:
            iteration = self.text.value(f"load i64, ptr {self.scope.iteration}")
        report(self.text, (str(guard.site), iteration, axis, at, extent, self.index(guard.offset)))
        return value
