"""Loops that one thread runs."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from accel.ir import INDEX, TRUTH, Break, Const, For, If, Local, Unary, While
from accel.kernels.frontend import indexing
from accel.kernels.frontend.bindings import after_loop
from accel.kernels.frontend.context import Activation, assigns
from accel.kernels.frontend.expressions import condition, lower
from accel.kernels.frontend.memory import Buffer, Tensor
from accel.kernels.frontend.ranges import counted
from accel.kernels.frontend.returns import returns
from accel.kernels.frontend.statements import STATEMENTS, assign_to, lower_block, refuse_outer
from accel.kernels.frontend.values import Constant, Grid, Range, Struct, Tuple, Value, Vector

__all__ = ["iterated", "ranges_of", "targets_of", "unrolled"]


def _while(act: Activation, node: ast.While) -> bool:
    """Lower a loop; return whether what follows is never reached."""
    _refuse_else(act, node)
    before = dict(act.names)
    with act.unit.into([]) as test:
        decided = condition(act, node.test)
    if isinstance(decided, Constant) and not decided.value:
        return False
    with _inside(act), act.unit.into([]) as body:
        lower_block(act, node.body)
    act.names = after_loop(act, node, before)
    if not isinstance(decided, Constant) and not test:
        act.unit.block.append(While(decided.expr, tuple(body)))
        return False
    leave = [] if isinstance(decided, Constant) else [*test, If(Unary("not", decided.expr, TRUTH), (Break(),))]
    act.unit.block.append(While(Const(True, TRUTH), (*leave, *body)))
    return isinstance(decided, Constant) and not any(isinstance(each, ast.Break) for each in _own_jumps(node))


@contextmanager
def _inside(act: Activation, leaving: str = "") -> Iterator[None]:
    """Lower the body of a loop meanwhile."""
    before, act.leaving = act.leaving, leaving
    act.loops += 1
    try:
        yield
    finally:
        act.loops -= 1
        act.leaving = before


def _refuse_else(act: Activation, node: ast.For | ast.While) -> None:
    if node.orelse:
        raise act.error(node, "else after a loop is not supported in kernels; set a variable before break, and test it")


def iterated(act: Activation, node: ast.For) -> Range | Grid | Tuple:
    """Return what a loop runs over; over memory, it runs over the indices."""
    _refuse_else(act, node)
    entity = lower(act, node.iter)
    if isinstance(entity, Buffer | Tensor):
        entity = Grid(tuple([Value(extent, weak=True) for extent in entity.shape]))
    if isinstance(entity, Vector | Struct):
        entity = Tuple(entity.items)
    if isinstance(entity, Grid) and len(entity.extents) == 1:
        return ranges_of(entity)[0]
    if isinstance(entity, Range | Grid | Tuple):
        return entity
    raise act.error(
        node.iter,
        f"a loop runs over range(n), grid(m, n), the indices of memory, or a tuple; found {ast.unparse(node.iter)}",
    )


def ranges_of(values: Range | Grid) -> list[Range]:
    """Return the range along each axis."""
    if isinstance(values, Range):
        return [values]
    zero, one = Value(indexing.number(0), weak=True), Value(indexing.number(1), weak=True)
    return [Range(zero, extent, one) for extent in values.extents]


def targets_of(act: Activation, node: ast.For, count: int) -> list[ast.Name]:
    """Return the loop variables, one for each axis."""
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    names = [each for each in targets if isinstance(each, ast.Name)]
    if len(names) == len(targets) == count and len({each.id for each in names}) == count:
        return names
    raise act.error(
        node.target, f"this loop needs {count} loop variables, which are names; found {ast.unparse(node.target)}"
    )


def unrolled(act: Activation, node: ast.For, values: Tuple) -> Iterator[None]:
    """Bind the loop variables to each value of a tuple, in turn."""
    jump = next((each for each in (*_own_jumps(node), *_returns_in(node))), None)
    if jump is not None:
        raise act.error(
            jump, "a loop over a tuple is repeated while the kernel is compiled, so it has no break, continue or return"
        )
    items = [act.unit.evaluated(item) for item in values.items]
    for item in items:
        if isinstance(node.target, ast.Name):
            refuse_outer(act, node.target)
            act.names[node.target.id] = item
        else:
            assign_to(act, node.target, item)
        yield


def _for(act: Activation, node: ast.For) -> bool:
    values = iterated(act, node)
    if isinstance(values, Tuple):
        for _ in unrolled(act, node, values):
            lower_block(act, node.body)
        return False
    ranges = ranges_of(values)
    targets = targets_of(act, node, len(ranges))
    bounds = [Range(*[act.unit.keep(bound) for bound in each]) for each in ranges] if len(ranges) > 1 else ranges
    leaving = ""
    if len(ranges) > 1 and any(isinstance(each, ast.Break) for each in _own_jumps(node)):
        leaving = act.unit.name("leaving")
        act.unit.assign(leaving, Value(Const(False, TRUTH)))
    _nested(act, node, bounds, targets, leaving)
    return False


def _own_jumps(node: ast.For | ast.While) -> list[ast.stmt]:
    """Return each break and continue of a loop itself."""
    inner = [each for each in ast.walk(node) if isinstance(each, ast.For | ast.While) and each is not node]
    nested = {id(each) for loop in inner for each in ast.walk(loop)}
    return [each for each in ast.walk(node) if isinstance(each, ast.Break | ast.Continue) and id(each) not in nested]


def _returns_in(node: ast.For) -> list[ast.Return]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Return)]


def _nested(act: Activation, node: ast.For, ranges: list[Range], targets: list[ast.Name], leaving: str) -> None:
    def inner() -> None:
        _nested(act, node, ranges[1:], targets[1:], leaving)
        for flag in (act.flag if returns(node) else "", leaving):
            if flag:
                act.unit.block.append(If(act.unit.local(flag).expr, (Break(),)))

    last = not ranges[1:]
    lower_body = (lambda: lower_block(act, node.body)) if last else inner
    _over_range(act, node, ranges[0], targets[0], lower_body, leaving if last else "")


def _over_range(
    act: Activation,
    node: ast.For,
    values: Range,
    target: ast.Name,
    lower_body: Callable[[], object],
    leaving: str,
) -> None:
    refuse_outer(act, target)
    values, number = counted(act, values)
    before = dict(act.names)
    name = act.variable(target.id)
    changed = name in act.unit.types and act.unit.types[name] != (INDEX, True)
    own = number is not None or (act.assigned[target.id] > 1 and (changed or assigns(node.body, target.id)))
    counter = act.unit.name(f"{name}_counter") if own else name
    act.unit.types.setdefault(counter, (INDEX, True))
    with _inside(act, leaving), act.unit.into([]) as block:
        if own:
            index = Local(counter, INDEX)
            act.unit.assign(name, number(index) if number else Value(index, weak=True))
        elif act.assigned[target.id] == 1:
            act.unit.fixed.add(name)
        act.names[target.id] = name
        lower_body()
    act.names = after_loop(
        act, node, {each: variable for each, variable in before.items() if each != target.id or variable == name}
    )
    start, stop, step = (bound.expr for bound in values)
    act.unit.block.append(For(Local(counter, INDEX), start, stop, step, tuple(block)))


STATEMENTS.update({ast.For: _for, ast.While: _while})
