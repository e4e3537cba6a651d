"""Loops that one thread runs."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from accel.ir import INDEX, TRUTH, Break, Const, For, If, Local, Unary, While
from accel.kernels.frontend import indexing
from accel.kernels.frontend.bindings import after_loop
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.expressions import condition, lower
from accel.kernels.frontend.memory import Buffer, Tensor
from accel.kernels.frontend.statements import STATEMENTS, assign_to, lower_block, refuse_outer
from accel.kernels.frontend.values import Constant, Grid, Range, Tuple, Value

__all__ = ["iterated"]


def _while(act: Activation, node: ast.While) -> None:
    if node.orelse:
        raise act.error(node, "else after a loop is not supported in kernels")
    before = dict(act.names)
    with act.unit.into([]) as test:
        decided = condition(act, node.test)
    if isinstance(decided, Constant) and not decided.value:
        return
    act.loops += 1
    with act.unit.into([]) as body:
        lower_block(act, node.body)
    act.loops -= 1
    act.names = after_loop(act, node, before)
    if isinstance(decided, Constant):
        act.unit.block.append(While(Const(True, TRUTH), tuple(body)))
    elif test:
        leave = If(Unary("not", decided.expr, TRUTH), (Break(),))
        act.unit.block.append(While(Const(True, TRUTH), (*test, leave, *body)))
    else:
        act.unit.block.append(While(decided.expr, tuple(body)))


def iterated(act: Activation, node: ast.For) -> Range | Grid | Tuple:
    """Return what a loop runs over; over memory, it runs over the indices."""
    if node.orelse:
        raise act.error(node, "else after a loop is not supported in kernels")
    found = lower(act, node.iter)
    if isinstance(found, Constant) and isinstance(found.value, tuple):
        return Tuple(tuple(map(Constant, found.value)))
    if isinstance(found, Buffer | Tensor):
        found = Grid(tuple([Value(extent, weak=True) for extent in found.shape]))
    if isinstance(found, Grid) and len(found.extents) == 1:
        zero, one = Value(indexing.number(0), weak=True), Value(indexing.number(1), weak=True)
        return Range(zero, found.extents[0], one)
    if isinstance(found, Range | Grid | Tuple):
        return found
    raise act.error(
        node.iter,
        f"a loop runs over range(n), grid(m, n), the indices of memory, or a tuple; found {ast.unparse(node.iter)}",
    )


def _for(act: Activation, node: ast.For) -> None:
    values = iterated(act, node)
    if isinstance(values, Tuple):
        _unrolled(act, node, values)
    elif isinstance(values, Range):
        _over_range(act, node, values, [node.target], node.body)
    else:
        _over_grid(act, node, values)


def _unrolled(act: Activation, node: ast.For, values: Tuple) -> None:
    if _leaves(node):
        raise act.error(node, "a loop over a tuple is unrolled; it has neither break nor continue")
    for item in values.items:
        if isinstance(node.target, ast.Name):
            act.names[node.target.id] = item
        else:
            assign_to(act, node.target, item)
        if lower_block(act, node.body):
            raise act.error(node, "a loop over a tuple is unrolled; it has no return")


def _leaves(node: ast.For) -> bool:
    """Tell whether a loop has a break or continue of its own."""
    inner = [each for each in ast.walk(node) if isinstance(each, ast.For | ast.While) and each is not node]
    nested = {id(each) for loop in inner for each in ast.walk(loop)}
    return any(isinstance(each, ast.Break | ast.Continue) and id(each) not in nested for each in ast.walk(node))


def _over_grid(act: Activation, node: ast.For, values: Grid) -> None:
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else []
    if len(targets) != len(values.extents):
        raise act.error(
            node, f"a grid of {len(values.extents)} axes needs as many loop variables; found {len(targets) or 1}"
        )
    if any(isinstance(each, ast.Break) for each in ast.walk(node)) and _leaves(node):
        raise act.error(node, "break in a loop over a grid is not supported; write nested loops over ranges")
    zero, one = Value(indexing.number(0), weak=True), Value(indexing.number(1), weak=True)
    ranges = [Range(zero, act.unit.keep(extent), one) for extent in values.extents]
    _nested(act, node, ranges, list(targets))


def _nested(act: Activation, node: ast.For, ranges: list[Range], targets: list[ast.expr]) -> None:
    if len(ranges) == 1:
        _over_range(act, node, ranges[0], targets, node.body)
    else:
        _over_range(act, node, ranges[0], targets[:1], lambda: _nested(act, node, ranges[1:], targets[1:]))


def _over_range(
    act: Activation, node: ast.For, values: Range, targets: list[ast.expr], body: Sequence[ast.stmt] | Callable[[], Any]
) -> None:
    target = targets[0]
    if not isinstance(target, ast.Name):
        raise act.error(target, "a loop over a range has one loop variable")
    refuse_outer(act, target)
    before = dict(act.names)
    name = act.variable(target.id)
    changed = name in act.unit.types and act.unit.types[name] != (INDEX, True)
    own = act.assigned[target.id] > 1 and (changed or _assigns(node, target.id))
    counter = act.unit.name(f"{name}_counter") if own else name
    act.unit.types.setdefault(counter, (INDEX, True))
    act.loops += 1
    with act.unit.into([]) as block:
        if own:
            act.unit.assign(name, Value(Local(counter, INDEX), weak=True))
        elif act.assigned[target.id] == 1:
            act.unit.fixed.add(name)
        act.names[target.id] = name
        body() if callable(body) else lower_block(act, body)
    act.loops -= 1
    act.names = after_loop(
        act, node, {each: kept for each, kept in before.items() if each != target.id or kept == name}
    )
    start, stop, step = (bound.expr for bound in values)
    act.unit.block.append(For(Local(counter, INDEX), start, stop, step, tuple(block)))


def _assigns(node: ast.For, name: str) -> bool:
    inside = [each for part in node.body for each in ast.walk(part)]
    return any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in inside)


STATEMENTS.update({ast.For: _for, ast.While: _while})
