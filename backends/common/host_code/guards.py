"""What debug mode checks before an access, and how a failure is recorded."""

from collections.abc import Iterator, Sequence

from accel.ir import (
    Assign,
    Atomic,
    Binary,
    Call,
    Cast,
    Check,
    Compare,
    Const,
    CopyAsync,
    Expr,
    Extent,
    For,
    Guard,
    If,
    Load,
    Local,
    Logic,
    Place,
    Select,
    Shuffle,
    Stmt,
    Store,
    Stride,
    Unary,
    Vote,
    While,
)

from .text import Text

__all__ = [
    "EXPRESSIONS",
    "all_expressions_in",
    "assigned",
    "assigned_locals",
    "expressions_in",
    "guards_in",
    "has_loops",
    "is_affine",
    "is_cheap",
    "parts_of",
    "report",
    "statements_in",
]

# The first failure is kept, and all are counted. A reader sees the record only after all threads have finished.
_REPORT = (
    """define internal void @report(
    ptr %record, i64 %site, i64 %iteration, i64 %axis, i64 %at, i64 %extent, i64 %offset
) cold noinline {
begin:
  %counter = getelementptr i64, ptr %record, i64 6
  %before = atomicrmw add ptr %counter, i64 1 monotonic
  %first = icmp eq i64 %before, 0
  br i1 %first, label %write, label %end
write:
  store i64 %site, ptr %record
"""
    + "".join(
        f"  %at.{name} = getelementptr i64, ptr %record, i64 {place}\n  store i64 %{name}, ptr %at.{name}\n"
        for place, name in enumerate(("iteration", "axis", "at", "extent", "offset"), 1)
    )
    + """  br label %end
end:
  ret void
}
"""
)


def report(text: Text, numbers: Sequence[str]) -> None:
    """Record a failure: site, iteration, axis, index, extent and offset."""
    function = text.helper("report", _REPORT)
    text.do(f"call void {function}(ptr %record, {', '.join(f'i64 {number}' for number in numbers)})")


def parts_of(x: Expr) -> tuple[Expr, ...]:
    """Return the operands of an expression."""
    if isinstance(x, Unary | Cast):
        return (x.x,)
    if isinstance(x, Binary | Compare | Logic):
        return x.x, x.y
    if isinstance(x, Select):
        return x.condition, x.x, x.y
    if isinstance(x, Call):
        return x.arguments
    return (x.at,) if isinstance(x, Load) else ()


def expressions_in(x: Expr) -> Iterator[Expr]:
    """Yield an expression and all its parts."""
    yield x
    for part in parts_of(x):
        yield from expressions_in(part)


def is_cheap(x: Expr) -> bool:
    """Whether an expression may be evaluated where its value is not needed: it reads no memory and takes no time."""
    return not any(isinstance(part, Load | Call) for part in expressions_in(x))


def _bodies(statement: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    if isinstance(statement, If):
        return statement.body, statement.otherwise
    return (statement.body,) if isinstance(statement, For | While) else ()


def statements_in(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """Yield all statements, also those within others."""
    for statement in body:
        yield statement
        for inner in _bodies(statement):
            yield from statements_in(inner)


def has_loops(body: Sequence[Stmt]) -> bool:
    """Whether a body has loops."""
    return any(isinstance(each, For | While) for each in statements_in(body))


def _expressions_of(statement: Stmt) -> Iterator[Expr]:
    for part in statement:
        if isinstance(part, EXPRESSIONS) and part is not getattr(statement, "target", None):
            yield from expressions_in(part)


EXPRESSIONS = (
    Const,
    Local,
    Extent,
    Stride,
    Place,
    Unary,
    Binary,
    Compare,
    Logic,
    Select,
    Cast,
    Call,
    Load,
)


def all_expressions_in(body: Sequence[Stmt]) -> Iterator[Expr]:
    """Yield all expressions of a body, and all their parts."""
    for statement in statements_in(body):
        yield from _expressions_of(statement)


def guards_in(body: Sequence[Stmt]) -> Iterator[Guard]:
    """Yield the guards of all accesses."""
    for statement in statements_in(body):
        if isinstance(statement, Store | Atomic | Check) and statement.guard is not None:
            yield statement.guard
        if isinstance(statement, CopyAsync):
            yield from (guard for guard in (statement.guard, statement.source_guard) if guard is not None)
        for x in _expressions_of(statement):
            if isinstance(x, Load) and x.guard is not None:
                yield x.guard


def assigned_locals(body: Sequence[Stmt]) -> list[Local]:
    """Return the variables that a body assigns."""
    variables = {}
    for statement in statements_in(body):
        if isinstance(statement, Assign | For | Atomic | Shuffle | Vote) and statement.target is not None:
            variables[statement.target.name] = statement.target
    return list(variables.values())


def assigned(body: Sequence[Stmt]) -> set[str]:
    """Return the names of the variables that a body assigns."""
    return {local.name for local in assigned_locals(body)}


def _degree(x: Expr, variable: str, changing: set[str]) -> int:
    """Return the degree of a polynomial in a variable; 2 for all other expressions."""
    if isinstance(x, Local):
        return 1 if x.name == variable else 2 * (x.name in changing)
    degrees = [_degree(part, variable, changing) for part in parts_of(x)]
    if isinstance(x, Load):
        return 2
    if not any(degrees):
        return 0
    if isinstance(x, Binary) and x.op in ("add", "sub"):
        return max(degrees)
    if isinstance(x, Binary) and x.op == "mul":
        return sum(degrees)
    return 2


def is_affine(guard: Guard, variable: str, changing: set[str]) -> bool:
    """Whether the indices of a guard are linear in a loop variable, and the extents are the same in all iterations."""
    return all(_degree(x, variable, changing) < 2 for x in guard.indices) and not any(
        _degree(x, variable, changing) for x in guard.extents
    )
