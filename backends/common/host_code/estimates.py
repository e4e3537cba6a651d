"""How long an iteration takes, estimated from its operations. It decides which threads work, not the result."""

from collections.abc import Sequence

from accel.ir import Binary, Call, Const, Expr, For, If, Load, Loop, Step, Stmt, While

from .guards import EXPRESSIONS, guards_in, has_loops, parts_of

__all__ = ["ENDLESS", "PIECE", "cost", "cost_of_step", "is_brief", "is_plain", "turns"]

ENDLESS = 1 << 14
"""Operations of a loop whose number of steps is not known, for each operation in it."""

PIECE = 1 << 18
"""Operations of a piece: fewer take less time than to wake a thread, or to stop after an interrupt."""

_MOST = 1 << 40
_TOGETHER = 4
"""Operations that vectors do in the time of one, at least, in loops whose iterations are independent."""

_SHORT = 1 << 8
_CALL = 40
_DIVISION = 8


def cost(body: Sequence[Stmt], unknown: int = ENDLESS) -> int:
    """Return the number of simple operations that a body takes; ``unknown`` is the steps of loops without a number."""
    return min(sum(_cost_of(statement, unknown) for statement in body), _MOST)


def cost_of_step(step: Step) -> int:
    """Return the cost of an iteration, or of code that runs once."""
    independent = isinstance(step, Loop) and step.independent
    return max(1, cost(step.body) // _TOGETHER) if independent else cost(step.body)


def turns(body: Sequence[Stmt]) -> int:
    """Return how often a loop may repeat a body before it looks whether it is to stop.

    An inner loop of unknown length is taken for short: else it looks itself.
    """
    return max(1, PIECE // max(1, cost(body, _SHORT)))


def is_brief(loop: For) -> bool:
    """Whether a loop has fewer operations than a piece, for certain."""
    return _is_constant(loop) and _cost_of(loop, ENDLESS) <= PIECE


def is_plain(body: Sequence[Stmt]) -> bool:
    """Whether a body has neither loops nor guards."""
    return not has_loops(body) and not any(guards_in(body))


def _is_constant(loop: For) -> bool:
    return all(isinstance(x, Const) for x in (loop.start, loop.stop, loop.step))


def _cost_of(statement: Stmt, unknown: int) -> int:
    expressions = sum(_operations(part) for part in statement if isinstance(part, EXPRESSIONS))
    if isinstance(statement, If):
        return expressions + max(cost(statement.body, unknown), cost(statement.otherwise, unknown))
    if isinstance(statement, While | For):
        return expressions + _steps(statement, unknown) * (1 + cost(statement.body, unknown))
    return 1 + expressions


def _steps(loop: While | For, unknown: int) -> int:
    if isinstance(loop, For) and _is_constant(loop):
        start, stop, step = (int(x.value) for x in (loop.start, loop.stop, loop.step) if isinstance(x, Const))
        return min(max(0, -((start - stop) // step)), _MOST) if step else 0
    return unknown


def _operations(x: Expr) -> int:
    return _weight(x) + sum(_operations(part) for part in parts_of(x))


def _weight(x: Expr) -> int:
    if isinstance(x, Call):
        return _CALL
    if isinstance(x, Binary) and x.op in ("floordiv", "mod", "pow", "truediv"):
        return _DIVISION
    return 2 if isinstance(x, Load) else 1
