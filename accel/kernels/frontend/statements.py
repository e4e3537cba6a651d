"""Statements of a kernel or of a function that it calls, run by one thread."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import TRUTH, Break, Const, Continue, Expr, If, Unary
from accel.kernels.frontend.accumulators import Accumulator
from accel.kernels.frontend.bindings import after_branches, assign_name
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.expressions import branches, condition, lower, lower_all, quietly
from accel.kernels.frontend.hints import of_syntax
from accel.kernels.frontend.memory import Buffer, Tensor, indices_of, read, write
from accel.kernels.frontend.objects import number_type
from accel.kernels.frontend.operands import described, number_of
from accel.kernels.frontend.operators import apply
from accel.kernels.frontend.promotion import stored
from accel.kernels.frontend.returns import always_returns, lower_return, returns
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector

__all__ = ["STATEMENTS", "assign_to", "lower_block", "no_effect", "refuse_outer"]

_COMBINED: Mapping[type[ast.operator], str] = {ast.Add: "add", ast.Mult: "mul"}


def lower_block(act: Activation, nodes: Sequence[ast.stmt]) -> bool:
    """Lower statements; return whether what follows them is never reached."""
    for place, node in enumerate(nodes):
        rest = nodes[place + 1 :]
        act.mark(node)
        if isinstance(node, ast.If) and (always_returns(node.body) or always_returns(node.orelse)):
            return _if(act, node, rest)
        ended = _statement(act, node)
        if isinstance(node, ast.If | ast.For | ast.While) and returns(node):
            return _unless_returned(act, node, () if ended else rest) or ended
        if ended:
            return True
    return False


def _statement(act: Activation, node: ast.stmt) -> bool:
    handler = STATEMENTS.get(type(node))
    if handler is None:
        raise act.error(node, of_syntax(node))
    return bool(handler(act, node))


def no_effect(node: ast.stmt) -> bool:
    """Tell whether a statement does nothing: a docstring or ``pass``."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def assign(act: Activation, node: ast.Assign) -> None:
    """Lower an assignment."""
    if len(node.targets) == 1 and combination(act, node):
        return
    first = node.targets[0]
    with act.unit.naming(first.id if isinstance(first, ast.Name) else ""):
        value = lower(act, node.value)
    if len(node.targets) > 1:
        value = act.unit.evaluated(value)
    for target in node.targets:
        assign_to(act, target, value)


def combination(act: Activation, node: ast.Assign) -> bool:
    """Lower ``s = min(s, x)`` and its like for an accumulator; return False for other assignments."""
    target, call = node.targets[0], node.value
    if not isinstance(target, ast.Name) or not isinstance(act.names.get(target.id), Accumulator):
        return False
    accumulator: Accumulator = act.names[target.id]
    ops: dict[Any, str] = {min: "min", max: "max", np.minimum: "min", np.maximum: "max"}
    if isinstance(call, ast.Call) and len(call.args) == 2 and not call.keywords:
        called = lower(act, call.func)
        op = ops.get(called.value) if isinstance(called, Constant) else None
        same = [isinstance(x, ast.Name) and x.id == target.id for x in call.args]
        if op and sum(same) == 1:
            accumulator.combine(act, node, op, lower(act, call.args[1 if same[0] else 0]))
            return True
    if isinstance(call, ast.BinOp) and type(call.op) in _COMBINED:
        same = [isinstance(x, ast.Name) and x.id == target.id for x in (call.left, call.right)]
        if sum(same) == 1:
            accumulator.combine(act, node, _COMBINED[type(call.op)], lower(act, call.right if same[0] else call.left))
            return True
    raise act.error(node, f"{target.id} is an accumulator; write {_combinations(target.id)}")


def _combinations(name: str) -> str:
    """Return what is written to combine an accumulator with a value."""
    return f"{name} += x, {name} -= x, {name} *= x, {name} = min({name}, x) or {name} = max({name}, x)"


def assign_to(act: Activation, target: ast.expr, value: Entity) -> None:
    """Assign an entity to a name, an element, or a tuple of these."""
    if isinstance(target, ast.Name):
        refuse_outer(act, target)
        assign_name(act, target, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(act, target, value)
    elif isinstance(target, ast.Subscript):
        with act.unit.into([]) as effects:
            memory, indices = _memory(act, target)
        if effects:  # they come after the value
            value = act.unit.evaluated(value)
            act.unit.block += effects
        write(act, target, memory, indices, value)
    else:
        raise act.error(target, f"{ast.unparse(target)} cannot be assigned in a kernel")


def _unpack(act: Activation, target: ast.Tuple | ast.List, value: Entity) -> None:
    starred = next((each for each in target.elts if isinstance(each, ast.Starred)), None)
    if starred is not None:
        raise act.error(starred, f"{ast.unparse(starred)} is not supported in kernels; write a name for each value")
    if not isinstance(value, Tuple | Vector | Struct) or len(value.items) != len(target.elts):
        raise act.error(target, f"{len(target.elts)} values are needed here; found {described(value)}")
    for each, item in zip(target.elts, act.unit.evaluated(value).items, strict=True):
        assign_to(act, each, item)


def refuse_outer(act: Activation, target: ast.Name) -> None:
    """Refuse an assignment in a parallel loop to a variable from before the loop."""
    if target.id in act.outer:
        raise act.error(
            target,
            f"{target.id} is assigned before this parallel loop, whose iterations run in any order: for a sum, a "
            f"product, a minimum or a maximum write {target.id} = accumulator(dtype, start) before the loop; else use "
            f"another name",
        )


def _memory(act: Activation, target: ast.Subscript) -> tuple[Buffer | Tensor, list[Expr]]:
    if isinstance(target.slice, ast.Slice):
        raise act.error(target, "a slice cannot be assigned in a kernel; write a loop")
    of, index = lower_all(act, [target.value, target.slice])
    if not isinstance(of, Buffer | Tensor):
        raise act.error(
            target, f"{ast.unparse(target.value)} has no elements that can be set; tuples and vectors are made anew"
        )
    return of, indices_of(act, target, of, index)


def _augmented(act: Activation, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        accumulator = act.names.get(node.target.id)
        if isinstance(accumulator, Accumulator):
            _accumulated(act, node, accumulator)
            return
        refuse_outer(act, node.target)
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        values = lower_all(act, [before, node.value])
        assign_name(act, node, node.target.id, apply(act, _as_expression(node), node.op, *values))
    elif isinstance(node.target, ast.Subscript):
        memory, indices = _memory(act, node.target)
        places = [act.unit.temporary(index) for index in indices]
        old = read(act, node.target, memory, places)
        value, effects = quietly(act, node.value)
        if effects:
            old = act.unit.evaluated(old)
            act.unit.block += effects
        write(act, node.target, memory, places, apply(act, _as_expression(node), node.op, old, value))
    else:
        raise act.error(node, f"{ast.unparse(node.target)} cannot be assigned in a kernel")


def _accumulated(act: Activation, node: ast.AugAssign, accumulator: Accumulator) -> None:
    if type(node.op) in _COMBINED:
        accumulator.combine(act, node, _COMBINED[type(node.op)], lower(act, node.value))
    elif isinstance(node.op, ast.Sub):
        accumulator.combine(act, node, "add", lower(act, node.value), negative=True)
    else:
        raise act.error(node, f"{ast.unparse(node)}: in place of it an accumulator takes {_combinations('s')}")


def _as_expression(node: ast.AugAssign) -> ast.expr:
    return ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)


def _annotated(act: Activation, node: ast.AnnAssign) -> None:
    if node.value is None or not isinstance(node.target, ast.Name):
        raise act.error(node, "an annotation needs a name and a value, as in x: f32 = 0")
    refuse_outer(act, node.target)
    declared, weak = _declared(act, node.annotation)
    value = number_of(act, node.value, lower(act, node.value))
    with act.at(node):
        value = stored(value, declared, node.target.id)._replace(weak=weak)
        act.unit.declared.setdefault(act.variable(node.target.id), declared)
    assign_name(act, node, node.target.id, value)


def _declared(act: Activation, node: ast.expr) -> tuple[DType, bool]:
    kind = lower(act, node)
    with act.at(node):
        dtype = number_type(kind.value) if isinstance(kind, Constant) else None
    if dtype is None:
        raise act.error(node, f"the type of a variable is f32, i32, int and the like; found {ast.unparse(node)}")
    return dtype


def _expression(act: Activation, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant):
        return
    if not isinstance(node.value, ast.Call):
        raise act.error(node, f"{ast.unparse(node)} has no effect; assign it to a name or to an element")
    lower(act, node.value)


def _if(act: Activation, node: ast.If, rest: Sequence[ast.stmt] = ()) -> bool:
    """Lower a branch; the rest of the block is part of the branches that reach it."""
    decided = condition(act, node.test)
    if isinstance(decided, Constant):
        return lower_block(act, [*(node.body if decided.value else node.orelse), *rest])
    before = dict(act.names)
    blocks, ends, names = [], [], []
    for body in (node.body, node.orelse):
        act.names = dict(before)
        with act.unit.into([]) as block:
            ends.append(lower_block(act, [*body, *rest]))
        blocks.append(tuple(block))
        names.append(act.names)
    act.names = after_branches(names[0], ends[0], names[1], ends[1])
    if any(blocks):
        act.unit.block.append(branches(decided.expr, *blocks))
    return all(ends)


def _unless_returned(act: Activation, node: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
    """Lower what follows a statement in which the function may have returned."""
    returned = act.unit.local(act.flag).expr
    if act.loops:
        if not isinstance(node, ast.If):  # from a branch, the return has left this loop already
            act.unit.block.append(If(returned, (Break(),)))
        return lower_block(act, rest)
    with act.unit.into([]) as block:
        ended = lower_block(act, rest)
    if block:
        act.unit.block.append(If(Unary("not", returned, TRUTH), tuple(block)))
    return ended


def _break(act: Activation, node: ast.Break) -> bool:
    if not act.loops:
        raise act.error(
            node,
            "break would leave a parallel loop, whose iterations run in any order; write for _ in range(1): around the "
            "loop, which then is serial, or an inner loop",
        )
    if act.leaving:
        act.unit.assign(act.leaving, Value(Const(True, TRUTH)))
    act.unit.block.append(Break())
    return True


def _pass(_act: Activation, _node: ast.Pass) -> None:
    """Do nothing."""


def _continue(act: Activation, _node: ast.Continue) -> bool:
    act.unit.block.append(Continue())
    return True


STATEMENTS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Assign: assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Expr: _expression,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: lower_return,
    ast.If: _if,
}
"""What lowers each kind of statement; `loops` adds those that contain statements in a loop."""
