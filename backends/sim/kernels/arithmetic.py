"""What the operations of kernels mean, on NumPy scalars: the definition that compiled kernels are compared with.

NumPy's operators already do most of it: operands of one type give a result of that type, integers wrap around, and
integer division by zero gives 0. This module has the rest.
"""

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import floordiv, mod
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.ir import FUNCTIONS

__all__ = ["OPERATORS", "binary_function", "cast", "extreme", "math_function", "reduced"]

Function = Callable[..., Any]

OPERATORS: Mapping[str, str] = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "neg": "-",
    "invert": "~",
}
"""Python's operators, where these do on NumPy scalars what the operation means."""


def is_small_float(dtype: DType) -> bool:
    """Return whether a float has fewer bits than float32, in which it is then computed."""
    return dtype.kind in "fV" and dtype.itemsize < 4


def binary_function(op: str, dtype: DType) -> Function | None:
    """Return the function for an operation on two values; None if Python's operator does it."""
    if op in ("floordiv", "mod") and is_small_float(dtype):
        return _through_float32(floordiv if op == "floordiv" else mod, dtype)
    if op == "pow":
        return _int_pow(dtype) if dtype.kind in "iub" else _floating(np.power, dtype)
    return extreme(op, dtype) if op in ("min", "max") else None


def extreme(op: str, dtype: DType) -> Function:
    """Return the minimum or the maximum of two values: NaN if one is NaN, and -0 is less than 0.

    NumPy leaves open which of two zeros it returns.
    """
    function: Function = np.minimum if op == "min" else np.maximum
    if dtype.kind not in "fV":
        return function

    def of_floats(x: Any, y: Any) -> Any:
        if x == 0 and y == 0:
            return x + y if op == "max" else -(-x + -y)
        return function(x, y)

    return of_floats


def cast(source: DType, target: DType) -> Function:
    """Return the function that converts a value from one type to another."""
    kind: Function = target.type
    if target.kind == "b":
        return _is_not_zero
    if is_small_float(source):
        wide = cast(np.dtype(np.float32), target)
        return lambda x: wide(np.float32(x))
    if is_small_float(target) and kind is not np.float16:  # NumPy rounds to float16 once
        return lambda x: kind(np.float32(x))
    if source.kind == "f" and target.kind in "iu":
        return _saturating(target)
    return kind


def math_function(name: str, argument: DType, result: DType) -> Function:
    """Return the function of a `Call`, from the types of its arguments and of its result."""
    if name == "complex":
        return lambda real, imag: result.type(complex(real, imag))
    facts = FUNCTIONS[name]
    function = _FUNCTIONS.get(name) or _of_numpy(name, *facts.aliases)
    if argument.kind in "iub" and facts.keeps_integers:
        return _same
    if is_small_float(argument) and facts.result != "truth" and name not in _OF_BITS:
        return _through_float32(function, result)
    return lambda *arguments: result.type(function(*arguments))


def reduced(op: str, values: list[Any], dtype: DType) -> Any:
    """Return the total of values: exact for the sum of finite floats, and then rounded."""
    if op == "mul":
        return dtype.type(reduce(operator.mul, values))
    if op != "add":
        return reduce(extreme(op, dtype), values)
    if dtype.kind == "c":
        real, imag = ([getattr(value, part) for value in values] for part in ("real", "imag"))
        return dtype.type(complex(_exact_sum(real), _exact_sum(imag)))
    if dtype.kind in "fV":
        return cast(np.dtype(np.float64), dtype)(np.float64(_exact_sum(values)))
    return reduce(lambda total, value: total + value, values)


def _exact_sum(values: list[Any]) -> float:
    numbers = [float(value) for value in values]
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # a partial sum exceeds float64, or inf - inf
        return float(np.sum(numbers))


def _through_float32(function: Function, result: DType) -> Function:
    """Return a function of small floats that is computed in float32, and rounded."""
    kind = result.type
    return lambda *arguments: kind(function(*map(np.float32, arguments)))


def _floating(function: Function, dtype: DType) -> Function:
    return _through_float32(function, dtype) if is_small_float(dtype) else function


def _int_pow(dtype: DType) -> Function:
    """Return the power of integers; with a negative exponent it is the quotient by the power, rounded towards 0."""
    kind, bits = dtype.type, 8 * dtype.itemsize

    def power(x: Any, y: Any) -> Any:
        base, exponent = int(x), int(y)
        if exponent < 0:
            return kind({1: 1, -1: 1 - 2 * (exponent & 1)}.get(base, 0))
        return kind(np.uint64(pow(base, exponent, 1 << bits)))

    return power


def _is_not_zero(x: Any) -> np.bool_:
    return np.bool_(x != 0)


def _saturating(target: DType) -> Function:
    """Return the conversion of a float to an integer: without its fraction, and within the integer's range."""
    kind, info = target.type, np.iinfo(target)
    low, high = int(info.min), int(info.max)

    def convert(x: Any) -> Any:
        if math.isnan(x):
            return kind(0)
        if math.isinf(x):
            return kind(high if x > 0 else low)
        return kind(min(max(int(x), low), high))

    return convert


def _of_numpy(*names: str) -> Function:
    function: Function = next(getattr(np, name) for name in names if hasattr(np, name))
    return function


def _same(x: Any) -> Any:
    return x


def _erf(x: Any) -> float:
    return math.erf(x)


def _erfc(x: Any) -> float:
    return math.erfc(x)


def _popcount(x: Any) -> Any:
    return (int(x) & ((1 << 8 * x.itemsize) - 1)).bit_count()


def _rsqrt(x: Any) -> Any:
    return type(x)(1) / np.sqrt(x)


def _fma(x: Any, y: Any, z: Any) -> Any:
    """Return ``x * y + z``, rounded once."""
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return x * y + z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    return type(x)(_rounded_to_odd(exact) if isinstance(x, np.float32) else _rounded(exact)) if exact else x * y + z


def _rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.copysign(math.inf, exact)


def _rounded_to_odd(exact: Fraction) -> float:
    """Return a float64 next to a number, with an odd last bit unless equal: rounding it again is then correct."""
    near = _rounded(exact)
    if Fraction(near) == exact or np.float64(near).view(np.uint64) & np.uint64(1):
        return near
    return math.nextafter(near, math.inf if exact > near else -math.inf)


_FUNCTIONS: Mapping[str, Function] = {
    "erf": _erf,
    "erfc": _erfc,
    "fma": _fma,
    "popcount": _popcount,
    "rsqrt": _rsqrt,
}
"""What NumPy has not, or computes otherwise."""

_OF_BITS = ("copysign", "nextafter")
