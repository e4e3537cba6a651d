"""How long an iteration takes, estimated from its operations. It decides which threads work, not the result."""

from collections.abc import Sequence

from accel.ir import Binary, Call, Const, Expr, For, If, Load, Stmt, While

from .guards import EXPRESSIONS, parts_of

__all__ = ["ENDLESS", "cost"]

ENDLESS = 1 << 14
"""Operations of a loop whose number of steps is not known, for each operation in it."""

_MOST = 1 << 40
_CALL = 40
_DIVISION = 8


def cost(body: Sequence[Stmt]) -> int:
    """Return the number of simple operations that a body takes."""
    return min(sum(_cost_of(statement) for statement in body), _MOST)


def _cost_of(statement: Stmt) -> int:
    expressions = sum(_operations(part) for part in statement if isinstance(part, EXPRESSIONS))
    if isinstance(statement, If):
        return expressions + max(cost(statement.body), cost(statement.otherwise))
    if isinstance(statement, While | For):
        return expressions + _steps(statement) * (1 + cost(statement.body))
    return 1 + expressions


def _steps(loop: While | For) -> int:
    if isinstance(loop, For) and all(isinstance(x, Const) for x in (loop.start, loop.stop, loop.step)):
        start, stop, step = (int(x.value) for x in (loop.start, loop.stop, loop.step) if isinstance(x, Const))
        return min(max(0, -((start - stop) // step)), _MOST) if step else 0
    return ENDLESS


def _operations(x: Expr) -> int:
    return _weight(x) + sum(_operations(part) for part in parts_of(x))


def _weight(x: Expr) -> int:
    if isinstance(x, Call):
        return _CALL
    if isinstance(x, Binary) and x.op in ("floordiv", "mod", "pow", "truediv"):
        return _DIVISION
    return 2 if isinstance(x, Load) else 1
