"""Prints statements."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from accel.errors import CapabilityError
from accel.ir import (
    Assign,
    Atomic,
    Binary,
    Break,
    Check,
    Continue,
    CopyAsync,
    Expr,
    For,
    Guard,
    If,
    Local,
    Reduction,
    Stmt,
    Store,
    WaitForCopies,
    While,
)

from .accumulators import BLOCK, PARTIAL, Accumulator
from .atomics import atomic
from .casts import cast
from .estimates import is_brief, is_plain, turns
from .expressions import Expressions
from .forms import Value, form_of
from .guards import assigned, guards_in, has_loops, is_affine, statements_in
from .independence import of_loop
from .memory import store
from .ranges import trips
from .schedules import ATTEND
from .scopes import Scope
from .stride_versions import in_stride_versions, strides_along
from .text import Text

__all__ = ["STOPPED", "Statements"]

STOPPED = "stopped"
"""The label of the end of a function, to which a thread goes that is to stop."""

_LIKELY = ", !prof !0"


class _Labels(NamedTuple):
    """Where `Continue` and `Break` go."""

    next: str
    after: str


class Statements:
    """Prints statements of one function.

    Parameters
    ----------
    scope : Scope
        The names of the program.
    totals : mapping of str to Accumulator
        The variables to which a loop reduces.
    """

    def __init__(self, scope: Scope, totals: Mapping[str, Accumulator] = MappingProxyType({})) -> None:
        self.scope = scope
        self.text: Text = scope.text
        self.expressions = Expressions(scope)
        self._totals = totals
        self._loops: list[_Labels] = []
        self.printers: dict[type, Callable[[Any], None]] = {
            Assign: self._assign,
            Store: self._store,
            Atomic: self._atomic,
            Check: lambda x: self.expressions.when_it_holds(x.guard, lambda: None),
            If: self._if,
            While: self._while,
            For: self._for,
            Break: lambda _: self.text.jump(self._loops[-1].after),
            Continue: lambda _: self.text.jump(self._loops[-1].next),
            CopyAsync: self._copy,
            WaitForCopies: lambda _: None,
        }

    def body(self, body: Sequence[Stmt]) -> None:
        """Print statements in order."""
        for statement in body:
            printer = self.printers.get(type(statement))
            if printer is None:
                name = type(statement).__name__
                raise CapabilityError(f"{name} needs an explicit grid of threads; a parallel loop has none")
            printer(statement)

    def iteration(self, body: Sequence[Stmt], after: str) -> str:
        """Print the body of a loop; return the label of what follows an iteration."""
        following = self.text.fresh("next")
        self._loops.append(_Labels(following, after))
        self.body(body)
        self._loops.pop()
        self.text.block(following)
        return following

    def _assign(self, x: Assign) -> None:
        total = self._totals.get(x.target.name)
        if total is not None and isinstance(x.value, Binary):
            other = x.value.y if x.value.x == x.target else x.value.x
            total.take(self.text, cast(self.text, self.expressions.values(other), form_of(x.target.dtype), total.form))
        else:
            self.scope.assign(x.target, self.expressions.values(x.value))

    def _store(self, x: Store) -> None:
        self._store_value(x.memory, x.at, self.expressions.values(x.value), x.guard)

    def _store_value(self, name: str, at: Expr, value: Value, guard: Guard | None) -> None:
        memory = self.scope.memories[name]
        self.expressions.when_it_holds(
            guard, lambda: store(self.text, memory.form, self.expressions.place(memory, at), value, memory.hints)
        )

    def _copy(self, x: CopyAsync) -> None:
        value = self.expressions.element(self.scope.memories[x.source], x.source_at, x.source_guard)
        self._store_value(x.target, x.target_at, value, x.guard)

    def _atomic(self, x: Atomic) -> None:
        memory = self.scope.memories[x.memory]
        expected = None if x.expected is None else self.expressions.values(x.expected)[0]
        value = self.expressions.values(x.value)[0]
        if x.target is not None:
            self.scope.assign(x.target, memory.form.constant(0))

        def access() -> None:
            old = atomic(self.text, x.op, memory.form, self.expressions.place(memory, x.at), value, expected)
            if x.target is not None:
                self.scope.assign(x.target, (old,))

        self.expressions.when_it_holds(x.guard, access)

    def _if(self, x: If) -> None:
        text, labels = self.text, [self.text.fresh(hint) for hint in ("then", "else", "end")]
        text.branch(self.expressions.value(x.condition), labels[0], labels[1])
        for label, body in zip(labels, (x.body, x.otherwise), strict=False):
            text.block(label)
            self.body(body)
            text.jump(labels[2])
        text.block(labels[2])

    def look(self) -> None:
        """Print a look whether the threads of the launch are to stop."""
        text = self.text
        word = text.value("load atomic i64, ptr %word monotonic, align 8", "word")
        asked, going = text.fresh("asked"), text.fresh("going")
        text.branch(text.value(f"icmp eq i64 {word}, 0"), going, asked, _LIKELY)
        text.block(asked)
        stop = text.value(f"call i1 {text.helper('process.attend', ATTEND)}(ptr %word)", "stop")
        text.branch(stop, STOPPED, going)
        text.block(going)

    def _while(self, x: While) -> None:
        text = self.text
        part, head, body, more, after = (text.fresh(hint) for hint in ("part", "while", "body", "more", "after"))
        counter = self.scope.cell("i64", "counter")
        text.block(part)
        text.do(f"store i64 0, ptr {counter}")
        text.block(head)
        text.branch(self.expressions.value(x.condition), body, after)
        text.block(body)
        self.iteration(x.body, after)
        step = text.value(f"add nuw nsw i64 {text.value(f'load i64, ptr {counter}')}, 1")
        text.do(f"store i64 {step}, ptr {counter}")
        text.branch(text.value(f"icmp ult i64 {step}, {turns(x.body)}"), head, more)
        text.block(more)
        self.look()
        text.jump(part)
        text.block(after)

    def _for(self, x: For) -> None:
        values = [self.expressions.index(bound) for bound in (x.start, x.stop, x.step)]
        cells = [self.scope.cell("i64", hint) for hint in ("start", "step", "count")]
        count = trips(self.text, *values)
        for cell, value in zip(cells, (values[0], values[2], count), strict=True):
            self.text.do(f"store i64 {value}, ptr {cell}")
        totals = self._begun(x.reductions)
        outer, self._totals = self._totals, {**self._totals, **totals}
        strides = strides_along(x.target, x.body) if x.independent else []
        if strides and not has_loops(x.body):
            cell = self.scope.cell("i64", "one")
            self.text.do(f"store i64 1, ptr {cell}")
            one = self.text.value(f"load volatile i64, ptr {cell}", "one")
            in_stride_versions(self.scope, strides, one, lambda: self._in_versions(x, cells))
        else:
            self._in_versions(x, cells)
        self._totals = outer
        for total in totals.values():
            self.scope.assign(total.reduction.total, total.result(self.text))

    def _begun(self, reductions: Sequence[Reduction]) -> dict[str, Accumulator]:
        """Return accumulators of the totals of a loop, which begin with the values from before it."""
        totals = {}
        for each in reductions:
            total = Accumulator.make(self.text, each, self.text.slot("i8", "total", PARTIAL))
            total.begin(self.text)
            before = cast(self.text, self.scope.read(each.total), form_of(each.total.dtype), total.form)
            total.add(self.text, before)
            totals[each.total.name] = total
        return totals

    def _in_versions(self, x: For, cells: list[str]) -> None:
        self.in_versions(x.target, cells, x.body, lambda: self._counted(x, cells))

    def _counted(self, x: For, cells: list[str]) -> None:
        """Print a loop that counts from 0; if it may be long, it looks now and then whether it is to stop."""
        text, counter = self.text, self.scope.cell("i64", "counter")
        text.do(f"store i64 0, ptr {counter}")
        if is_brief(x) and not x.reductions:
            self._part(x, cells, counter)
            return
        if x.reductions or not is_plain(x.body) or not self.may_repeat(x.body):
            self._in_parts(x, cells, counter)
            return
        # An innermost loop may be as short as a few turns, which the looks of a long one would slow down.
        labels = [text.fresh(hint) for hint in ("short", "long", "end")]
        count = text.value(f"load i64, ptr {cells[2]}")
        text.branch(text.value(f"icmp ule i64 {count}, {turns(x.body)}"), labels[0], labels[1])
        for label, printer in zip(labels, (self._part, self._in_parts), strict=False):
            text.block(label)
            printer(x, cells, counter)
            text.jump(labels[2])
        text.block(labels[2])

    def _in_parts(self, x: For, cells: Sequence[str], counter: str) -> None:
        """Print a loop in parts, with a look after each."""
        text = self.text
        part, more, after = (text.fresh(hint) for hint in ("part", "more", "after"))
        limit = self.scope.cell("i64", "limit")
        text.block(part)
        done = text.value(f"load i64, ptr {counter}")
        left = text.value(f"sub i64 {text.value(f'load i64, ptr {cells[2]}')}, {done}")
        least = text.declare("i64", "llvm.umin.i64", "i64", "i64")
        most = min(turns(x.body), BLOCK) if x.reductions else turns(x.body)
        run = text.value(f"call i64 {least}(i64 {left}, i64 {most})", "run")
        text.do(f"store i64 {text.value(f'add i64 {done}, {run}')}, ptr {limit}")
        self._part(x, [*cells[:2], limit], counter, after)
        for each in x.reductions:
            self._totals[each.total.name].flush(text)
        done = text.value(f"load i64, ptr {counter}")
        text.branch(text.value(f"icmp ult i64 {done}, {text.value(f'load i64, ptr {cells[2]}')}"), more, after)
        text.block(more)
        self.look()
        text.jump(part)
        text.block(after)

    def _part(self, x: For, cells: Sequence[str], counter: str, beyond: str = "") -> None:
        """Print the turns of a loop up to a limit; ``beyond`` is where `Break` goes."""
        text = self.text
        head, body, after = (text.fresh(hint) for hint in ("for", "body", "after"))
        text.block(head)
        step = text.value(f"load i64, ptr {counter}")
        more = text.value(f"icmp ult i64 {step}, {text.value(f'load i64, ptr {cells[2]}')}")
        text.branch(more, body, after)
        text.block(body)
        self.count(x.target, cells, step)
        self.iteration(x.body, beyond or after)
        step = text.value(f"load i64, ptr {counter}")
        text.do(f"store i64 {text.value(f'add nuw nsw i64 {step}, 1')}, ptr {counter}")
        text.jump(head, of_loop(x, text.vector_math) if x.independent else "")
        text.block(after)

    def count(self, variable: Local, cells: Sequence[str], step: str) -> None:
        """Set a loop variable to ``start + step * pace``."""
        text, kind = self.text, form_of(variable.dtype).register
        start, pace = (text.value(f"load i64, ptr {cell}") for cell in cells[:2])
        value = text.value(f"add i64 {start}, {text.value(f'mul i64 {step}, {pace}')}")
        self.scope.assign(variable, (value if kind == "i64" else text.value(f"trunc i64 {value} to {kind}"),))

    def in_versions(
        self, variable: Local, cells: Sequence[str], body: Sequence[Stmt], printer: Callable[[], None]
    ) -> None:
        """Print a loop, and a version of it without the guards that can be decided before it begins.

        An index that is linear in the loop variable is in range if it is at both ends of the loop.
        """
        inner = any(isinstance(statement, For | While) for statement in statements_in(body))
        before = self.expressions.proven
        changing = assigned(body)
        guards = dict.fromkeys(
            guard for guard in guards_in(body) if guard not in before and is_affine(guard, variable.name, changing)
        )
        if not guards or inner or not self.may_repeat(body):
            printer()
            return
        text, labels = self.text, [self.text.fresh(hint) for hint in ("safe", "checked", "end")]
        text.branch(self._all_hold(variable, cells, tuple(guards)), labels[0], labels[1])
        for label, proven in ((labels[0], before | guards.keys()), (labels[1], before)):
            text.block(label)
            self.expressions.proven = proven
            printer()
            text.jump(labels[2])
        self.expressions.proven = before
        text.block(labels[2])

    def may_repeat(self, body: Sequence[Stmt]) -> bool:
        """Whether a body may be printed twice."""
        return True

    def _all_hold(self, variable: Local, cells: Sequence[str], guards: Sequence[Guard]) -> str:
        """Return whether guards hold in all iterations; false also if that is not certain."""
        text = self.text
        saved = self.scope.read(variable)
        last = text.value(f"sub i64 {text.value(f'load i64, ptr {cells[2]}')}, 1")
        ends = []
        for step in ("0", "1"):
            self.count(variable, cells, step)
            ends.append([[self.expressions.index(x) for x in guard.indices] for guard in guards])
        truths = []
        for guard, first, second in zip(guards, *ends, strict=True):
            extents = [self.expressions.index(x) for x in guard.extents]
            truths += [self._in_range(*numbers, last) for numbers in zip(first, second, extents, strict=True)]
        self.scope.assign(variable, saved)
        return self.expressions.all_of(truths)

    def _in_range(self, first: str, second: str, extent: str, last: str) -> str:
        text = self.text
        function = text.declare("{i64, i1}", "llvm.smul.with.overflow.i64", "i64", "i64")
        pace = text.value(f"sub i64 {second}, {first}")
        product = text.value(f"call {{i64, i1}} {function}(i64 {pace}, i64 {last})")
        end = text.value(f"add i64 {first}, {text.value(f'extractvalue {{i64, i1}} {product}, 0')}")
        exact = text.value(f"xor i1 {text.value(f'extractvalue {{i64, i1}} {product}, 1')}, true")
        inside = [text.value(f"icmp ult i64 {index}, {extent}") for index in (first, end)]
        return self.expressions.all_of([exact, *inside])
