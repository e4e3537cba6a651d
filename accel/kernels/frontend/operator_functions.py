"""Functions that are operators, or several of them: `divmod`, `sum`, `np.add`, `np.clip`, those of `operator`."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from accel.ir import Logic
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.mathematics import extreme
from accel.kernels.frontend.operands import described, elementwise, number_of
from accel.kernels.frontend.operators import apply, comparison
from accel.kernels.frontend.promotion import as_float, binary, truth
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector

__all__ = ["OPERATOR_FUNCTIONS"]

_ZERO = Constant(0)

_BINARY: Mapping[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("add",),
    ast.Sub: ("subtract", "sub"),
    ast.Mult: ("multiply", "mul"),
    ast.Div: ("divide", "true_divide", "truediv"),
    ast.FloorDiv: ("floor_divide", "floordiv"),
    ast.Mod: ("mod", "remainder"),
    ast.BitAnd: ("bitwise_and", "and_"),
    ast.BitOr: ("bitwise_or", "or_"),
    ast.BitXor: ("bitwise_xor", "xor"),
    ast.LShift: ("left_shift", "lshift"),
    ast.RShift: ("right_shift", "rshift"),
}
_COMPARISONS: Mapping[type[ast.AST], tuple[str, ...]] = {
    ast.Lt: ("less", "lt"),
    ast.LtE: ("less_equal", "le"),
    ast.Gt: ("greater", "gt"),
    ast.GtE: ("greater_equal", "ge"),
    ast.Eq: ("equal", "eq"),
    ast.NotEq: ("not_equal", "ne"),
}


def _of_operator(evaluate: Callable[..., Entity], op: type[ast.AST]) -> Callable[..., Entity]:
    def handle(act: Activation, node: ast.AST, x: Entity, y: Entity) -> Entity:
        return evaluate(act, node, op(), x, y)

    return handle


def _divmod(act: Activation, node: ast.AST, x: Entity, y: Entity) -> Tuple:
    x, y = act.unit.evaluated(x), act.unit.evaluated(y)
    return Tuple((apply(act, node, ast.FloorDiv(), x, y), apply(act, node, ast.Mod(), x, y)))


def _items(act: Activation, node: ast.AST, x: Entity) -> tuple[Entity, ...]:
    if isinstance(x, Tuple | Vector | Struct):
        return x.items
    raise act.error(
        node,
        f"{ast.unparse(node)} is of a tuple in kernels; found {described(x)}: write a loop, or an accumulator before a "
        f"parallel loop",
    )


def _sum(act: Activation, node: ast.AST, x: Entity, start: Entity = _ZERO) -> Entity:
    return reduce(partial(apply, act, node, ast.Add()), _items(act, node, x), start)


def _logic(op: Any, act: Activation, node: ast.AST, *operands: Entity) -> Entity:
    """Return whether all operands are true, or whether one is."""

    def both(x: Value, y: Value) -> Value:
        return Value(Logic(op, x.expr, y.expr))

    truths = [elementwise(act, node, truth, [x]) for x in operands] or [number_of(act, node, Constant(op == "and"))]
    return reduce(lambda x, y: elementwise(act, node, both, [x, y]), truths)


def _any(act: Activation, node: ast.AST, x: Entity) -> Entity:
    return _logic("or", act, node, *_items(act, node, x))


def _all(act: Activation, node: ast.AST, x: Entity) -> Entity:
    return _logic("and", act, node, *_items(act, node, x))


def _two(op: str) -> Callable[..., Entity]:
    def handle(act: Activation, node: ast.AST, x: Entity, y: Entity) -> Entity:
        return _logic(op, act, node, x, y)

    return handle


def _clip(act: Activation, node: ast.AST, x: Entity, low: Entity, high: Entity) -> Entity:
    at_least = elementwise(act, node, partial(extreme, "max"), [x, low])
    return elementwise(act, node, partial(extreme, "min"), [at_least, high])


def _times(factor: float) -> Callable[..., Entity]:
    def handle(act: Activation, node: ast.AST, x: Entity) -> Entity:
        with act.at(node):
            weak = number_of(act, node, Constant(factor))
        return elementwise(act, node, lambda number: binary("mul", as_float(number), weak), [x])

    return handle


def _of_modules(handler: Callable[..., Entity], names: tuple[str, ...]) -> dict[Any, Callable[..., Entity]]:
    found = [getattr(module, name, None) for name in names for module in (np, operator)]
    return {function: handler for function in found if function is not None}


OPERATOR_FUNCTIONS: Mapping[Any, Callable[..., Entity]] = {
    function: handler
    for table, evaluate in ((_BINARY, apply), (_COMPARISONS, comparison))
    for op, names in table.items()
    for function, handler in _of_modules(_of_operator(evaluate, op), names).items()
} | {
    divmod: _divmod,
    sum: _sum,
    any: _any,
    all: _all,
    np.logical_and: _two("and"),
    np.logical_or: _two("or"),
    np.clip: _clip,
    **dict.fromkeys([math.radians, np.radians, np.deg2rad], _times(math.pi / 180)),
    **dict.fromkeys([math.degrees, np.degrees, np.rad2deg], _times(180 / math.pi)),
}
"""What each does, by the Python object that is called."""
