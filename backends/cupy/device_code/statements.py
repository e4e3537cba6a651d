"""Statements of a kernel as C++ text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from accel.ir import (
    Assign,
    Atomic,
    Binary,
    Check,
    Const,
    CopyAsync,
    Expr,
    For,
    Guard,
    If,
    Local,
    Shuffle,
    Stmt,
    Store,
    Vote,
    While,
    of_type,
)

from .expressions import Printer, bare, zero
from .totals import accumulator
from .trees import assigned, mentioned
from .types import identifier, type_name

__all__ = ["Body"]

_INDENT = "    "
_LANES = {"index": "{}", "up": "sub(lane(), {})", "down": "add(lane(), {})", "xor": "lane() ^ i64({})"}
_VOTES = {"any": "any_of_warp", "all": "all_of_warp", "ballot": "ballot_of_warp"}


class Body:
    """Writes the statements of a step.

    Parameters
    ----------
    printer : Printer
        Writes their expressions.
    totals : mapping of str to str
        What computes the total of a variable that the step reduces to, by the variable's name.
    """

    def __init__(self, printer: Printer, totals: Mapping[str, str]) -> None:
        self._text = printer.text
        self._printer = printer
        self._totals = totals
        self._loops = 0

    def lines(self, body: Sequence[Stmt], declared: AbstractSet[str]) -> Iterator[str]:
        """Yield the lines of the outermost statements; variables that are not ``declared`` are declared there."""
        missing = {name: local for name, local in assigned(body).items() if name not in declared | self._totals.keys()}
        for statement in body:
            here = mentioned(statement) & missing.keys()
            if isinstance(statement, Assign) and statement.target.name in here:
                here.remove(statement.target.name)
                local = missing.pop(statement.target.name)
                yield from self._declared(here, missing)
                yield f"{type_name(local.dtype)} {self._assign(statement)}"
            else:
                yield from self._declared(here, missing)
                yield from self._statement(statement)

    def _declared(self, names: AbstractSet[str], missing: dict[str, Local]) -> Iterator[str]:
        for name in [name for name in missing if name in names]:
            yield f"{type_name(missing.pop(name).dtype)} {identifier(name)};"

    def _statement(self, statement: Stmt) -> Iterator[str]:
        if isinstance(statement, Assign) and statement.target.name not in self._totals:
            yield self._assign(statement)
        else:
            yield from getattr(self, f"_{type(statement).__name__.lower()}_lines")(statement)

    def _block(self, head: str, body: Sequence[Stmt], first: str = "") -> Iterator[str]:
        yield f"{head} {{"
        if first:
            yield _INDENT + first
        for statement in body:
            for line in self._statement(statement):
                yield _INDENT + line
        yield "}"

    def _assign(self, x: Assign) -> str:
        return f"{identifier(x.target.name)} = {bare(self._text(x.value))};"

    def _assign_lines(self, x: Assign) -> Iterator[str]:
        """Yield a reduction: the total is not read, but takes a value."""
        assert isinstance(x.value, Binary), "a total is combined with a value"
        values = [each for each in (x.value.x, x.value.y) if each != x.target]
        assert len(values) == 1, "a total is one of the operands"
        yield f"{self._totals[x.target.name]}.take({bare(self._text(values[0]))});"

    def _guarded(self, guard: Guard | None, values: Sequence[Expr], write: Callable[[str], str]) -> Iterator[str]:
        """Yield a statement that uses values; as in Python, they are evaluated before the guard."""
        texts = [bare(self._text(value)) for value in values]
        if guard is None:
            yield write(", ".join(texts))
            return
        yield "{"
        for number, (value, text) in enumerate(zip(values, texts, strict=True)):
            yield f"{_INDENT}const {type_name(of_type(value))} value{number} = {text};"
        names = ", ".join([f"value{number}" for number in range(len(values))])
        yield f"{_INDENT}if ({self._printer.inside(guard)}) {write(names)}"
        yield "}"

    def _store_lines(self, x: Store) -> Iterator[str]:
        element = self._printer.element(x.memory, x.at)
        yield from self._guarded(x.guard, (x.value,), lambda value: f"{element} = {value};")

    def _atomic_lines(self, x: Atomic) -> Iterator[str]:
        element = self._printer.element(x.memory, x.at)
        target = "" if x.target is None else f"{identifier(x.target.name)} = "
        other = f" else {target}{zero(x.target.dtype)};" if x.target is not None and x.guard is not None else ""
        values = (x.value,) if x.expected is None else (x.expected, x.value)
        yield from self._guarded(
            x.guard, values, lambda operand: f"{target}atomic_{x.op}(&{element}, {operand});{other}"
        )

    def _check_lines(self, x: Check) -> Iterator[str]:
        yield f"{self._printer.inside(x.guard)};"

    def _if_lines(self, x: If) -> Iterator[str]:
        *lines, last = self._block(f"if ({bare(self._text(x.condition))})", x.body)
        yield from lines
        if x.otherwise:
            yield from self._block(f"{last} else", x.otherwise)
        else:
            yield last

    def _while_lines(self, x: While) -> Iterator[str]:
        yield from self._block(f"while ({bare(self._text(x.condition))})", x.body)

    def _for_lines(self, x: For) -> Iterator[str]:
        if x.reductions:
            yield from self._totalled(x)
            return
        number, name, kind = self._loops, identifier(x.target.name), type_name(x.target.dtype)
        self._loops += 1
        start, stop, step = [bare(self._text(each)) for each in (x.start, x.stop, x.step)]
        if isinstance(x.step, Const) and x.step.value == 1:
            head = f"for ({kind} at{number} = {start}, stop{number} = {stop}; at{number} < stop{number}; ++at{number})"
            yield from self._block(head, x.body, f"{name} = at{number};")
            return
        yield f"const Range loop{number}({start}, {stop}, {step});"
        head = f"for (i64 at{number} = 0; at{number} < loop{number}.count; ++at{number})"
        yield from self._block(head, x.body, f"{name} = {kind}(loop{number}[at{number}]);")

    def _totalled(self, x: For) -> Iterator[str]:
        """Yield a loop whose totals are computed apart, and assigned after it."""
        yield "{"
        outer, names = self._totals, [each.total.name for each in x.reductions]
        totals = {name: f"total{self._loops}_{number}" for number, name in enumerate(names)}
        for each, total in zip(x.reductions, totals.values(), strict=True):
            yield f"{_INDENT}{accumulator(each)} {total}({identifier(each.total.name)});"
        self._totals = {**outer, **totals}
        for line in self._for_lines(x._replace(reductions=())):
            yield _INDENT + line
        self._totals = outer
        for name, total in totals.items():
            yield f"{_INDENT}{identifier(name)} = {total}.result({identifier(name)});"
        yield "}"

    def _break_lines(self, x: Stmt) -> Iterator[str]:
        yield "break;"

    def _continue_lines(self, x: Stmt) -> Iterator[str]:
        yield "continue;"

    def _barrier_lines(self, x: Stmt) -> Iterator[str]:
        yield "__syncthreads();"

    def _shuffle_lines(self, x: Shuffle) -> Iterator[str]:
        lane = bare(self._text(x.lane))
        there = {
            "index": lane,
            "up": f"sub(lane(), {lane})",
            "down": f"add(lane(), {lane})",
            "xor": f"lane() ^ ({lane})",
        }
        yield f"{identifier(x.target.name)} = shuffled({bare(self._text(x.value))}, {there[x.kind]});"

    def _vote_lines(self, x: Vote) -> Iterator[str]:
        yield f"{identifier(x.target.name)} = {_VOTES[x.kind]}({bare(self._text(x.condition))});"

    def _copyasync_lines(self, x: CopyAsync) -> Iterator[str]:
        target = self._printer.element(x.target, x.target_at)
        copy = f"copy_async(&{target}, &{self._printer.element(x.source, x.source_at)});"
        if x.source_guard is not None:  # a source out of range reads as 0, and is checked before the target
            copy = f"if (found) {copy} else {target} = {{}};"
        if x.guard is not None:
            copy = f"if ({self._printer.inside(x.guard)}) {{ {copy} }}"
        if x.source_guard is None:
            yield copy
            return
        yield "{"
        yield f"{_INDENT}const bool found = {self._printer.inside(x.source_guard)};"
        yield f"{_INDENT}{copy}"
        yield "}"

    def _waitforcopies_lines(self, x: Stmt) -> Iterator[str]:
        yield "wait_for_copies();"
