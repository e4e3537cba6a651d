"""Mathematical functions in a kernel."""

import ast
import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from accel.errors import DTypeError
from accel.ir import FUNCTIONS, INDEX, TRUTH, Binary, Call
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.operands import elementwise
from accel.kernels.frontend.promotion import (
    as_float,
    as_value,
    binary,
    chosen,
    common,
    converted,
    kind_of,
    real_of,
    truth,
)
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value, Vector

__all__ = ["MATHEMATICS", "alike", "by_function", "extreme", "on_numbers"]

_Handler = Callable[..., Entity]


def _math(name: str, *operands: Value) -> Value:
    values = alike([as_float(x) for x in operands])
    _must_be_real(name, values[0])
    if FUNCTIONS[name].result == "truth":
        return Value(Call(name, (values[0].expr,), TRUTH))
    weak = all(x.weak for x in operands)
    return Value(Call(name, tuple([x.expr for x in values]), values[0].dtype), weak)


def _must_be_real(name: str, x: Value) -> None:
    if kind_of(x.dtype) == "c":
        raise DTypeError(f"{name} is for real numbers here; compute it from x.real and x.imag")


def alike(values: Sequence[Value]) -> list[Value]:
    """Return values converted to their common type."""
    widest = reduce(lambda x, y: common(x, y)[0]._replace(weak=x.weak and y.weak), values)
    return [converted(x, widest.dtype) for x in values]


def _keeping(name: str, x: Value) -> Value:
    if kind_of(x.dtype) in "iub" and FUNCTIONS[name].keeps_integers:
        return x
    _must_be_real(name, x)
    x = converted(x, INDEX)._replace(weak=True) if x.dtype == TRUTH else x
    return Value(Call(name, (x.expr,), x.dtype), x.weak)


def _to_integer(name: str, x: Value) -> Value:
    """Apply a function of ``math`` that returns a Python int."""
    rounded = _keeping(name, x)
    return rounded if kind_of(rounded.dtype) in "iu" else converted(rounded, INDEX)._replace(weak=True)


def _square(x: Value) -> Value:
    return binary("mul", x, x)


def _abs(x: Value) -> Value:
    if kind_of(x.dtype) == "c":
        real = real_of(x.dtype)
        return Value(Call("abs", (x.expr,), real), x.weak)
    return x if kind_of(x.dtype) in "ub" else Value(Call("abs", (x.expr,), x.dtype), x.weak)


def _part(name: str, x: Value) -> Value:
    if kind_of(x.dtype) != "c":
        return (
            Value(converted(x, x.dtype).expr, x.weak) if name != "imag" else converted(as_value(Constant(0)), x.dtype)
        )
    real = real_of(x.dtype)
    return Value(Call(name, (x.expr,), real), x.weak)


def _conj(x: Value) -> Value:
    return x if kind_of(x.dtype) != "c" else Value(Call("conj", (x.expr,), x.dtype), x.weak)


def _popcount(x: Value) -> Value:
    """Return the number of bits of the absolute value, as NumPy counts them."""
    if kind_of(x.dtype) not in "iu":
        raise DTypeError(f"popcount counts the bits of integers; found {x.dtype.name}")
    return converted(Value(Call("popcount", (_abs(x).expr,), x.dtype)), np.dtype(np.uint8))


def extreme(op: str, *operands: Value) -> Value:
    """Return the minimum or the maximum."""
    return reduce(lambda x, y: _of_two(op, x, y), operands)


def _of_two(op: Any, x: Value, y: Value) -> Value:
    a, b, weak = common(x, y, arithmetic=False)
    if kind_of(a.dtype) == "c":
        raise DTypeError("complex numbers have no order")
    return Value(Binary(op, a.expr, b.expr, a.dtype), weak)


def _where(act: Activation, node: ast.AST, condition: Entity, x: Entity, y: Entity) -> Entity:
    return elementwise(act, node, lambda c, a, b: chosen(truth(c), a, b), (condition, x, y))


def _pow(act: Activation, node: ast.AST, x: Entity, y: Entity) -> Entity:
    return elementwise(act, node, partial(binary, "pow"), (x, y))


def _log(x: Value, *base: Value) -> Value:
    number = _math("log", x)
    return binary("truediv", number, _math("log", *base)) if base else number


def _float_pow(x: Value, y: Value) -> Value:
    return binary("pow", as_float(x), as_float(y))


def on_numbers(function: Callable[..., Value], least: int = 1, most: int | None = 1) -> _Handler:
    """Return a handler that applies a function of ``least`` to ``most`` numbers; of any count if ``most`` is None."""

    def handle(act: Activation, node: ast.AST, *operands: Entity) -> Entity:
        if len(operands) < least or (most is not None and len(operands) > most):
            expected = f"{least}" if least == most else f"{least} or {most or 'more'}"
            raise act.error(node, f"{ast.unparse(node)} has {len(operands)} arguments; it takes {expected}")
        if len(operands) == 1 and isinstance(operands[0], Tuple | Vector) and most is None:
            operands = operands[0].items
        return elementwise(act, node, function, operands)

    return handle


def _handler(name: str) -> _Handler:
    """Return the handler of a function for which the types in the table say what happens."""
    _, arity, kinds, result, *_ = FUNCTIONS[name]
    converts = kinds == "f" or result == "truth"
    return on_numbers(partial(_math if converts else _keeping, name), arity, arity)


MATHEMATICS: dict[str, _Handler] = {
    **{name: _handler(name) for name in FUNCTIONS},
    "abs": on_numbers(_abs),
    "real": on_numbers(partial(_part, "real")),
    "imag": on_numbers(partial(_part, "imag")),
    "conj": on_numbers(_conj),
    "popcount": on_numbers(_popcount),
    "log": on_numbers(_log, 1, 2),
    "square": on_numbers(_square),
    "pow": _pow,
    "power": _pow,
    "minimum": on_numbers(partial(extreme, "min"), 2, 2),
    "maximum": on_numbers(partial(extreme, "max"), 2, 2),
    "where": _where,
}
"""What a function does, by its name."""


def by_function() -> dict[Any, _Handler]:
    """Return what functions of Python, `math` and NumPy do."""
    handlers: dict[Any, _Handler] = {
        min: on_numbers(partial(extreme, "min"), 1, None),
        max: on_numbers(partial(extreme, "max"), 1, None),
        abs: MATHEMATICS["abs"],
        pow: _pow,
        round: on_numbers(partial(_to_integer, "round")),
        math.pow: on_numbers(_float_pow, 2, 2),
        math.floor: on_numbers(partial(_to_integer, "floor")),
        math.ceil: on_numbers(partial(_to_integer, "ceil")),
        math.trunc: on_numbers(partial(_to_integer, "trunc")),
    }
    names = MATHEMATICS | {alias: MATHEMATICS[each.name] for each in FUNCTIONS.values() for alias in each.aliases}
    for name, handler in names.items():
        for module in (math, np):
            if hasattr(module, name):
                handlers.setdefault(getattr(module, name), handler)
    return handlers
