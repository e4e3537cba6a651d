"""Returns from a function: at its end, from branches, and from loops."""

import ast
from collections.abc import Sequence

from accel.ir import TRUTH, Break, Const
from accel.kernels.frontend.bindings import Group, bound, entity_of
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.expressions import lower
from accel.kernels.frontend.values import Constant, Entity, Value

__all__ = ["always_returns", "begin_function", "lower_return", "result_of", "returns"]

_NOTHING = Constant(None)


def returns(node: ast.AST) -> bool:
    """Tell whether a function may return in a statement."""
    return any(isinstance(each, ast.Return) for each in ast.walk(node))


def always_returns(nodes: Sequence[ast.stmt]) -> bool:
    """Tell whether a function returns in some statements, on each path."""
    return any(
        isinstance(node, ast.Return)
        or (isinstance(node, ast.If) and always_returns(node.body) and always_returns(node.orelse))
        for node in nodes
    )


def begin_function(act: Activation) -> None:
    """Assign the variable that tells whether the function has returned, if it needs one."""
    if any(map(_may_return, ast.walk(act.source.tree))):
        act.flag = act.unit.temporary_name(TRUTH, weak=False)
        act.unit.assign(act.flag, Value(Const(False, TRUTH)))


def _may_return(node: ast.AST) -> bool:
    """Tell whether code after a statement runs only if the function has not returned in it."""
    if isinstance(node, ast.If):
        return returns(node) and not (always_returns(node.body) or always_returns(node.orelse))
    return isinstance(node, ast.For | ast.While) and returns(node)


def lower_return(act: Activation, node: ast.Return) -> bool:
    """Lower a return of a function: the result is assigned to variables."""
    if act.parallel:
        raise act.error(
            node, "return in a parallel loop has no meaning; write continue, or an accumulator to return a value"
        )
    value = _NOTHING if node.value is None else lower(act, node.value)
    previous = act.returned
    result = bound(act, node, f"{act.source.name}.result", value, previous if isinstance(previous, Group) else None)
    if previous is not None and result != previous:
        raise act.error(
            node, f"{act.source.name} returns something else at another return; return numbers or tuples of one length"
        )
    act.returned = result
    if act.flag:
        act.unit.assign(act.flag, Value(Const(True, TRUTH)))
    if act.loops:
        act.unit.block.append(Break())
    return True


def result_of(act: Activation, ended: bool) -> Entity:
    """Return the result of a function, whose end is never reached if ``ended`` is set."""
    if act.returned is None or act.returned == _NOTHING:
        return _NOTHING
    if not ended:
        raise act.error(
            act.source.tree, f"{act.source.name} returns a value on some paths only; write return before its end too"
        )
    return entity_of(act, act.returned)
