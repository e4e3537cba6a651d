"""`program_text`: a program as text for readers."""

from collections.abc import Iterable, Iterator

from accel.ir.expressions import (
    INDEX,
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
)
from accel.ir.programs import Loop, Number, Parameter, Program, Site, Step, Threads
from accel.ir.statements import (
    Assign,
    Atomic,
    Barrier,
    Break,
    Check,
    Continue,
    CopyAsync,
    For,
    If,
    Mark,
    Reduction,
    Shuffle,
    Stmt,
    Store,
    Vote,
    WaitForCopies,
    While,
)

__all__ = ["program_text"]

_SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "neg": "-",
    "invert": "~",
    "not": "not ",
}
_AXES = "xyz"


def program_text(program: Program) -> str:
    """Return a program as text: its parameters, its steps with their code, and the places that it checks."""
    return "\n".join(_program(program))


def _program(program: Program) -> Iterator[str]:
    yield f"kernel {program.name}({', '.join(map(_parameter, program.parameters))})"
    for array in program.arrays:
        yield f"  {array.space} {array.name}: {array.dtype.name}[{array.size}]"
    yield from _indented(_body(program.prelude))
    for step in program.steps:
        yield from _indented(_step(step))
    if program.results:
        yield f"  return {', '.join(map(_declared, program.results))}"
    for number, site in enumerate(program.sites):
        yield f"site {number}: {_site(site)}"


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter, Number):
        return f"{parameter.name}: {parameter.dtype.name}"
    const = "" if parameter.writable else "const "
    axes = ", ".join(":" * parameter.rank) if parameter.rank else "layout"
    return f"{parameter.name}: {const}{parameter.dtype.name}[{axes}]"


def _site(site: Site) -> str:
    calls = " > ".join(f"{name} ({file}:{line})" for name, file, line in site.calls)
    return f"{site.what} {site.parameter} at {calls}"


def _step(step: Step) -> Iterator[str]:
    if isinstance(step, Threads):
        yield "threads:"
        yield from _indented(_body(step.body))
        return
    yield from _loop(step) if isinstance(step, Loop) else ("once:",)
    if step.frame.reads:
        yield f"  read {', '.join(map(_declared, step.frame.reads))}"
    yield from _indented(_body(step.body))
    if step.frame.writes:
        yield f"  write {', '.join(map(_declared, step.frame.writes))}"


def _loop(loop: Loop) -> Iterator[str]:
    ranges = zip(loop.indices, loop.starts, loop.stops, loop.steps, strict=True)
    yield f"parallel {', '.join(_range(*each) for each in ranges)}:"
    yield from _indented(map(_reduction, loop.reductions))


def _reduction(reduction: Reduction) -> str:
    return f"reduce {_declared(reduction.total)} by {reduction.op}"


def _range(target: Local, start: Expr, stop: Expr, step: Expr) -> str:
    bounds = [_text(start), _text(stop), *([] if step == Const(1, INDEX) else [_text(step)])]
    return f"{target.name} in range({', '.join(bounds[1:] if bounds[0] == '0' and len(bounds) == 2 else bounds)})"


def _declared(local: Local) -> str:
    return f"{local.name}: {local.dtype.name}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _body(body: Iterable[Stmt]) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement)


def _statement(statement: Stmt) -> Iterator[str]:  # noqa: C901, PLR0912 - a line for each statement
    match statement:
        case Assign(target, value):
            yield f"{_declared(target)} = {_text(value)}"
        case Store(memory, at, value, guard):
            yield f"{memory}[{_text(at)}] = {_text(value)}{_guarded(guard)}"
        case Atomic():
            yield _atomic(statement)
        case Check(guard):
            yield f"check{_guarded(guard)}"
        case Mark(file, line):
            yield f"mark {file}:{line}"
        case If(condition, inner, otherwise):
            yield f"if {_text(condition)}:"
            yield from _indented(_body(inner))
            if otherwise:
                yield "else:"
                yield from _indented(_body(otherwise))
        case While(condition, inner):
            yield f"while {_text(condition)}:"
            yield from _indented(_body(inner))
        case For(target, start, stop, step, inner, reductions):
            yield f"for {_range(target, start, stop, step)}:"
            yield from _indented(map(_reduction, reductions))
            yield from _indented(_body(inner))
        case Break():
            yield "break"
        case Continue():
            yield "continue"
        case Barrier(site):
            yield f"barrier at site {site}"
        case Shuffle(kind, target, value, lane, site):
            yield f"{_declared(target)} = shuffle {kind}({_text(value)}, {_text(lane)}) at site {site}"
        case Vote(kind, target, condition, site):
            yield f"{_declared(target)} = vote {kind}({_text(condition)}) at site {site}"
        case CopyAsync():
            ends = (
                f"{statement.target}[{_text(statement.target_at)}] = {statement.source}[{_text(statement.source_at)}]"
            )
            yield f"async {ends}{_guarded(statement.guard)}{_guarded(statement.source_guard)}"
        case WaitForCopies():
            yield "wait for copies"


def _atomic(atomic: Atomic) -> str:
    old = "" if atomic.target is None else f"{_declared(atomic.target)} = "
    expected = "" if atomic.expected is None else f", expected {_text(atomic.expected)}"
    place = f"{atomic.memory}[{_text(atomic.at)}]"
    return f"{old}atomic {atomic.op}({place}, {_text(atomic.value)}{expected}){_guarded(atomic.guard)}"


def _copy(copy: CopyAsync) -> str:
    return f"{copy.target}[{_text(copy.target_at)}] = {copy.source}[{_text(copy.source_at)}]"


def _guarded(guard: Guard | None) -> str:
    if guard is None:
        return ""
    checks = [
        f"0 <= {_text(each)} < {_text(extent)}" for each, extent in zip(guard.indices, guard.extents, strict=True)
    ]
    return f" if {' and '.join(checks)} (site {guard.site})"


def _text(x: Expr) -> str:  # noqa: C901, PLR0911, PLR0912 - a line for each expression
    match x:
        case Const(value, dtype):
            return str(value) if dtype in (INDEX, TRUTH) else f"{dtype.name}({value!r})"
        case Local(name):
            return name
        case Extent(view, axis):
            return f"{view}.shape[{axis}]"
        case Stride(view, axis):
            return f"{view}.strides[{axis}]"
        case Place(what, axis):
            return what if what in {"lane", "warp"} else f"{what}.{_AXES[axis]}"
        case Unary(op, operand):
            return f"{_SYMBOLS[op]}{_text(operand)}"
        case Binary(op, left, right) if op in {"min", "max"}:
            return f"{op}({_text(left)}, {_text(right)})"
        case Binary(op, left, right) | Compare(op, left, right):
            return f"({_text(left)} {_SYMBOLS[op]} {_text(right)})"
        case Logic(op, left, right):
            return f"({_text(left)} {op} {_text(right)})"
        case Select(condition, left, right):
            return f"({_text(left)} if {_text(condition)} else {_text(right)})"
        case Cast(operand, dtype):
            return f"{dtype.name}({_text(operand)})"
        case Call(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})"
        case Load(memory, at, _, guard):
            return f"{memory}[{_text(at)}]{_guarded(guard)}"
