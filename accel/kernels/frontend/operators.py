"""Operators in a kernel, on entities."""

import ast
import operator
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import INDEX, TRUTH, Binary, Cast, Check, Compare, Const, Logic, Unary
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.hints import of_syntax
from accel.kernels.frontend.objects import entity_of_object
from accel.kernels.frontend.operands import elementwise
from accel.kernels.frontend.promotion import UINT64, as_float, common, converted, kind_of
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value, Vector

__all__ = ["apply", "comparison", "fold", "signed"]

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


_LARGE, _MOST_BITS = 1 << 64, 1024

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
        raise act.error(node, of_syntax(op))
    name, function = _OPERATORS[type(op)]
    if isinstance(x, Constant) and isinstance(y, Constant):
        return fold(act, node, function, x, y)
    if isinstance(x, Tuple) and isinstance(y, Tuple) and name == "add":
        return Tuple(x.items + y.items)
    return elementwise(act, node, partial(_operation, act, node, name), (x, y))


def fold(act: Activation, node: ast.AST, function: Callable[..., Any], *operands: Constant) -> Entity:
    """Return the result of a Python function of constants."""
    values = [x.value for x in operands]
    if function in (operator.pow, pow, operator.lshift):
        _refuse_large(act, node, *values)
    try:
        result = function(*values)
    except Exception as error:
        raise act.error(node, f"{ast.unparse(node)}: {error}") from None
    with act.at(node):
        return entity_of_object(result)


def _refuse_large(act: Activation, node: ast.AST, x: Any, y: Any, *_: Any) -> None:
    """Refuse a power or a shift that would take long to compute."""
    if isinstance(x, int) and isinstance(y, int) and not (abs(x) < _LARGE and y < _MOST_BITS):
        raise act.error(node, f"{ast.unparse(node)} does not fit 64 bits")


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
    if name == "pow" and kind in "iu" and isinstance(b.expr, Const) and b.expr.value < 0:
        return _negative_power(act, node, a, b, weak)
    if kind in "iu" and name in ("floordiv", "mod"):
        b = _divisor(act, node, b)
    return Value(Binary(name, a.expr, b.expr, a.dtype), weak)


def _negative_power(act: Activation, node: ast.AST, x: Value, y: Value, weak: bool) -> Value:
    if not weak:
        raise act.error(node, f"an integer of dtype {x.dtype.name} has no negative power; write f64(x) ** y")
    return Value(Binary("pow", as_float(x).expr, as_float(y).expr, np.dtype(np.float64)), weak=True)


def _divisor(act: Activation, node: ast.AST, operand: Value) -> Value:
    """Return an integer that something is divided by; debug mode checks that it is not 0."""
    if isinstance(operand.expr, Const):
        if operand.expr.value == 0:
            raise act.error(node, f"{ast.unparse(node)} divides by zero")
        return operand
    if not act.unit.debug:
        return operand
    divisor = act.unit.keep(operand)
    zero = Cast(Compare("eq", divisor.expr, Const(0, divisor.dtype)), INDEX)
    guard = act.guard(node, "division", "", [zero], [indexing.number(1)], indexing.number(0))
    assert guard is not None
    act.unit.block.append(Check(guard))
    return divisor


def _bitwise(act: Activation, node: ast.AST, name: Any, x: Value, y: Value) -> Value:
    a, b, weak = common(x, y, arithmetic=False)
    if kind_of(a.dtype) not in "biu":
        raise act.error(node, f"{ast.unparse(node)} is for integers and conditions; found {a.dtype.name}")
    return Value(Binary(name, a.expr, b.expr, a.dtype), weak)


def signed(act: Activation, node: ast.UnaryOp, x: Value) -> Value:
    """Return a number with its sign or its bits changed."""
    if isinstance(node.op, ast.UAdd):
        return x if x.dtype != TRUTH else converted(x, INDEX)._replace(weak=True)
    inverted = isinstance(node.op, ast.Invert)
    if inverted and kind_of(x.dtype) not in "biu":
        raise act.error(node, f"~ is for integers and conditions; found {x.dtype.name}")
    if inverted and x.dtype == TRUTH:
        return Value(Unary("not", x.expr, TRUTH))
    if x.dtype == TRUTH:
        x = converted(x, INDEX)._replace(weak=True)
    return Value(Unary("invert" if inverted else "neg", x.expr, x.dtype), x.weak)


def comparison(act: Activation, node: ast.AST, op: ast.cmpop, x: Entity, y: Entity) -> Entity:
    """Return the result of a comparison."""
    if isinstance(op, ast.Is | ast.IsNot) and (isinstance(x, Constant) or isinstance(y, Constant)):
        constant = isinstance(x, Constant) and isinstance(y, Constant)
        same = constant and x.value is y.value
        return Constant(same if isinstance(op, ast.Is) else not same)
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(act, node, op, x, y)
    if type(op) not in _COMPARISONS:
        raise act.error(node, f"the comparison {ast.unparse(node)} is not supported in kernels")
    name, function = _COMPARISONS[type(op)]
    if isinstance(x, Constant) and isinstance(y, Constant):
        return fold(act, node, function, x, y)
    return elementwise(act, node, partial(_ordered, act, node, name), (x, y))


def _membership(act: Activation, node: ast.AST, op: ast.In | ast.NotIn, x: Entity, y: Entity) -> Entity:
    """Return whether one of the items of a tuple equals a number or a constant."""
    if isinstance(y, Constant) and isinstance(x, Constant):
        return fold(act, node, lambda a, b: (a in b) is isinstance(op, ast.In), x, y)
    if not isinstance(y, Tuple | Vector):
        raise act.error(
            node,
            f"{ast.unparse(node)}: in a kernel `in` looks for a number in a tuple, as in x in (1, 2); write "
            f"a <= x < b for a range, a loop for memory",
        )
    x = act.unit.evaluated(x)
    tests = [comparison(act, node, ast.Eq(), x, item) for item in y.items]
    found: Entity = Constant(Constant(True) in tests)
    computed = [test for test in tests if not isinstance(test, Constant)]
    if computed and not found.value:
        found = reduce(lambda a, b: Value(Logic("or", a.expr, b.expr)), computed)
    if isinstance(op, ast.In):
        return found
    return Constant(not found.value) if isinstance(found, Constant) else Value(Unary("not", found.expr, TRUTH))


def _ordered(act: Activation, node: ast.AST, name: Any, x: Value, y: Value) -> Value:
    if kind_of(x.dtype) in "iu" and kind_of(y.dtype) in "iu":
        return _compared_exactly(act, name, x, y)
    a, b, _ = common(x, y, arithmetic=False)
    if kind_of(a.dtype) == "c" and name not in ("eq", "ne"):
        raise act.error(node, "complex numbers have no order")
    return Value(Compare(name, a.expr, b.expr))


def _compared_exactly(act: Activation, name: Any, x: Value, y: Value) -> Value:
    """Compare integers, of which none is converted to a type that cannot hold it."""
    if _fits(x, y.dtype) or _fits(y, x.dtype):
        dtype = y.dtype if _fits(x, y.dtype) else x.dtype
    else:
        dtype = np.result_type(x.dtype, y.dtype)
    if kind_of(dtype) != "f":
        return Value(Compare(name, converted(x, dtype).expr, converted(y, dtype).expr))
    negative = x if kind_of(x.dtype) == "i" else y  # the other one is uint64
    negative = act.unit.keep(negative)
    below = Compare("lt", negative.expr, Const(0, negative.dtype))
    pair = (negative, y) if kind_of(x.dtype) == "i" else (x, negative)
    unsigned = Compare(name, *[Cast(each.expr, UINT64) if each.dtype != UINT64 else each.expr for each in pair])
    if name == "eq" or name in (("gt", "ge") if kind_of(x.dtype) == "i" else ("lt", "le")):
        return Value(Logic("and", Unary("not", below, TRUTH), unsigned))
    return Value(Logic("or", below, unsigned))


def _fits(x: Value, dtype: DType) -> bool:
    """Tell whether a number is known, and of a type."""
    limits = np.iinfo(dtype)
    return isinstance(x.expr, Const) and limits.min <= int(x.expr.value) <= limits.max
