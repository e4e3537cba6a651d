"""Operators in a kernel, on entities."""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from accel.ir import INDEX, TRUTH, Binary, Compare, Const, Logic, Unary
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.operands import elementwise, number_of
from accel.kernels.frontend.promotion import as_float, common, converted, kind_of
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value

__all__ = ["apply", "both", "comparison", "fold", "signed"]

_OPERATORS: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
    ast.LShift: ("lshift", operator.lshift),
    ast.RShift: ("rshift", operator.rshift),
}


_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt),
    ast.GtE: ("ge", operator.ge),
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
}


def apply(act: Activation, node: ast.AST, op: ast.operator, x: Entity, y: Entity) -> Entity:
    """Return the result of an operator."""
    if type(op) not in _OPERATORS:
        raise act.error(node, f"the operator {type(op).__name__} is not supported in kernels")
    name, function = _OPERATORS[type(op)]
    if isinstance(x, Constant) and isinstance(y, Constant):
        return fold(act, node, function, x, y)
    if isinstance(x, Tuple) and isinstance(y, Tuple) and name == "add":
        return Tuple(x.items + y.items)
    return elementwise(act, node, partial(_operation, act, node, name), (x, y))


def fold(act: Activation, node: ast.AST, function: Callable[..., Any], *given: Constant) -> Constant:
    """Return the result of a Python function of constants."""
    try:
        return Constant(function(*[x.value for x in given]))
    except Exception as error:
        raise act.error(node, f"{ast.unparse(node)}: {error}") from None


def _operation(act: Activation, node: ast.AST, name: Any, x: Value, y: Value) -> Value:
    if name == "truediv" and kind_of(common(x, y)[0].dtype) in "iu":
        x, y = as_float(x), as_float(y)
    if name in ("and", "or", "xor"):
        return _bitwise(act, node, name, x, y)
    a, b, weak = common(x, y)
    kind = kind_of(a.dtype)
    if name in ("lshift", "rshift") and kind not in "iu":
        raise act.error(node, f"a shift is for integers; found {a.dtype.name}")
    if kind == "c" and name in ("floordiv", "mod", "pow"):
        raise act.error(node, f"complex numbers have no {ast.unparse(node)}")
    if name == "pow" and isinstance(b.expr, Const) and b.expr.value == 2:
        square = act.unit.temporary(a.expr)
        return Value(Binary("mul", square, square, a.dtype), weak)
    if name == "pow" and kind in "iu" and isinstance(y.expr, Const) and y.weak and y.expr.value < 0:
        return Value(Binary("pow", as_float(a).expr, as_float(b).expr, np.dtype(np.float64)), weak)
    if act.unit.debug and kind in "iu" and name in ("floordiv", "mod") and not isinstance(b.expr, Const):
        b = Value(act.unit.temporary(b.expr))
        _check_divisor(act, node, b)
    return Value(Binary(name, a.expr, b.expr, a.dtype), weak)


def _check_divisor(act: Activation, node: ast.AST, divisor: Value) -> None:
    from accel.ir import Cast, Check

    zero = Cast(Compare("eq", divisor.expr, Const(0, divisor.dtype)), INDEX)
    guard = act.guard(node, "division", "", [zero], [indexing.number(1)], indexing.number(0))
    assert guard is not None
    act.unit.block.append(Check(guard))


def _bitwise(act: Activation, node: ast.AST, name: Any, x: Value, y: Value) -> Value:
    a, b, weak = common(x, y, arithmetic=False)
    if kind_of(a.dtype) not in "biu":
        raise act.error(node, f"{ast.unparse(node)} is for integers and conditions; found {a.dtype.name}")
    return Value(Binary(name, a.expr, b.expr, a.dtype), weak)


def signed(act: Activation, node: ast.UnaryOp, x: Value) -> Value:
    """Return a number with its sign or its bits changed."""
    inverted = isinstance(node.op, ast.Invert)
    if inverted and kind_of(x.dtype) not in "biu":
        raise act.error(node, f"~ is for integers and conditions; found {x.dtype.name}")
    if inverted and x.dtype == TRUTH:
        return Value(Unary("not", x.expr, TRUTH))
    if x.dtype == TRUTH:
        x = converted(x, INDEX)._replace(weak=True)
    return Value(Unary("invert" if inverted else "neg", x.expr, x.dtype), x.weak)


def both(act: Activation, node: ast.AST, x: Entity, y: Entity) -> Entity:
    """Return whether both conditions hold."""
    if isinstance(x, Constant):
        return y if x.value else x
    return Value(Logic("and", x.expr, number_of(act, node, y).expr))


def comparison(act: Activation, node: ast.AST, op: ast.cmpop, x: Entity, y: Entity) -> Entity:
    """Return the result of a comparison."""
    if isinstance(op, ast.Is | ast.IsNot) and (isinstance(x, Constant) or isinstance(y, Constant)):
        known = isinstance(x, Constant) and isinstance(y, Constant)
        same = known and x.value is y.value
        return Constant(same if isinstance(op, ast.Is) else not same)
    if type(op) not in _COMPARISONS:
        raise act.error(node, f"the comparison {ast.unparse(node)} is not supported in kernels")
    name, function = _COMPARISONS[type(op)]
    if isinstance(x, Constant) and isinstance(y, Constant):
        return fold(act, node, function, x, y)
    return elementwise(act, node, partial(_ordered, act, node, name), (x, y))


def _ordered(act: Activation, node: ast.AST, name: Any, x: Value, y: Value) -> Value:
    known = _beyond(x, y, name)
    if known is not None:
        return Value(Const(known, TRUTH))
    a, b, _ = common(x, y, arithmetic=False)
    if kind_of(a.dtype) == "c" and name not in ("eq", "ne"):
        raise act.error(node, "complex numbers have no order")
    return Value(Compare(name, a.expr, b.expr))


def _beyond(x: Value, y: Value, name: str) -> bool | None:
    """Compare an integer with a Python integer that its type cannot hold; None if it can."""
    for value, constant, swapped in ((x, y, False), (y, x, True)):
        if constant.weak and isinstance(constant.expr, Const) and kind_of(value.dtype) in "iu" and not value.weak:
            limits, number = np.iinfo(value.dtype), constant.expr.value
            if isinstance(number, int) and not limits.min <= number <= limits.max:
                any_value = 0
                pair = (any_value, number) if number > limits.max or number < limits.min else None
                assert pair is not None
                function = dict(_COMPARISONS.values())[name]
                return bool(function(*(pair[::-1] if swapped else pair)))
    return None
