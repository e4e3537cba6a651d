"""Types of results, by the rules of NumPy 2: Python numbers take the type of the other operand.

Three things differ. Arithmetic on bools is that of Python, also for elements of memory. A mathematical function of
small integers gives float64, where NumPy gives float16 or float32. Functions of `math` compute in the type of their
argument.
"""

import math
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import DTypeError
from accel.ir import INDEX, TRUTH, Binary, Cast, Const, Select
from accel.kernels.frontend.values import Constant, Value

__all__ = ["as_float", "as_value", "common", "converted", "joined", "kind_of", "real_of", "stored", "truth"]

UINT64: DType = np.dtype(np.uint64)
FLOAT: DType = np.dtype(np.float64)
COMPLEX: DType = np.dtype(np.complex128)


def as_value(x: Value | Constant) -> Value:
    """Return a number as a value."""
    if isinstance(x, Value):
        return x
    number = x.value
    if isinstance(number, bool):
        return Value(Const(number, TRUTH))
    if isinstance(number, int):
        if not -(1 << 63) <= number < 1 << 63:
            if number < 1 << 64 and number > 0:
                return Value(Const(int(number), UINT64), weak=True)
            raise OverflowError(f"{number} does not fit 64 bits")
        return Value(Const(int(number), INDEX), weak=True)
    if isinstance(number, float):
        return Value(Const(float(number), FLOAT), weak=True)
    return Value(Const(complex(number), COMPLEX), weak=True)


def kind_of(dtype: DType) -> str:
    """Return ``b``, ``i``, ``u``, ``f`` or ``c``; the types of ml_dtypes are floats."""
    return "f" if dtype.kind == "V" else dtype.kind


def real_of(dtype: DType) -> DType:
    """Return the type of the parts of complex numbers."""
    return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)


def joined(x: tuple[DType, bool], y: tuple[DType, bool]) -> tuple[DType, bool]:
    """Return the type, and whether it is weak, for values of two types.

    Raises
    ------
    DTypeError
        If the types have no common one.
    """
    (a, weak_a), (b, weak_b) = x, y
    if a == b:
        return a, weak_a and weak_b
    if a == TRUTH:
        return b, weak_b
    if b == TRUTH:
        return a, weak_a
    if weak_a and weak_b:
        return UINT64 if {a.kind, b.kind} == {"i", "u"} else np.result_type(a, b), True
    if weak_a or weak_b:
        return _with_weak(*((a, b) if weak_a else (b, a))), False
    try:
        return np.result_type(a, b), False
    except TypeError:
        raise DTypeError(f"{a.name} and {b.name} have no common type; convert one, as in f32(x)") from None


def _with_weak(weak: DType, strong: DType) -> DType:
    kinds = kind_of(weak), kind_of(strong)
    if kinds == ("c", "f"):
        return np.result_type(strong if strong.kind == "f" else np.float32, np.complex64)
    if kinds[0] in "iu" or kinds[1] == "c" or kinds == ("f", "f"):
        return strong
    return weak


def common(x: Value, y: Value, *, arithmetic: bool = True) -> tuple[Value, Value, bool]:
    """Return two values with their common type, and whether it is weak; arithmetic on bools is done on integers."""
    dtype, weak = joined((x.dtype, x.weak), (y.dtype, y.weak))
    if arithmetic and dtype == TRUTH:
        dtype, weak = INDEX, True
    return converted(x, dtype), converted(y, dtype), weak


def converted(x: Value, dtype: DType) -> Value:
    """Return a value of another type, whatever it loses; a Python integer that is known must fit.

    Raises
    ------
    OverflowError
        If it does not fit.
    """
    if x.dtype == dtype:
        return Value(x.expr)
    if isinstance(x.expr, Const):
        return Value(Const(_number(x.expr.value, dtype, x.weak), dtype))
    if kind_of(x.dtype) == "c" and kind_of(dtype) != "c":
        raise DTypeError(f"a complex number is no {dtype.name}; write x.real")
    return Value(Cast(x.expr, dtype))


def _number(value: Any, dtype: DType, must_fit: bool) -> Any:
    if kind_of(dtype) in "iu" and isinstance(value, int) and not isinstance(value, bool):
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if must_fit and not low <= value <= high:
            raise OverflowError(f"{value} does not fit {dtype.name}, from {low} to {high}")
        return (value - low) % (high - low + 1) + low
    if isinstance(value, complex) and kind_of(dtype) != "c":
        raise DTypeError(f"a complex number is no {dtype.name}; write x.real")
    if kind_of(dtype) in "iu" and isinstance(value, float):
        return _saturated(value, dtype)
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)[()].item()


def _saturated(value: float, dtype: DType) -> int:
    """Return what a float is as an integer: without its fraction, and within the integer's range; 0 for a NaN."""
    limits = np.iinfo(dtype)
    if math.isnan(value):
        return 0
    whole = int(limits.max if value > 0 else limits.min) if math.isinf(value) else int(value)
    return min(max(whole, int(limits.min)), int(limits.max))


def stored(x: Value, dtype: DType, into: str) -> Value:
    """Return a value of the type of what it is stored into.

    Raises
    ------
    DTypeError
        If the type would lose the kind of number: a fraction, an imaginary part, an integer in a bool.
    """
    order = "buifc"
    kind, target = kind_of(x.dtype), kind_of(dtype)
    losing = order.index(kind) > order.index(target) and not (kind == "i" and target == "u")
    if losing or (target == "b" and kind != "b"):
        cast = {"b": "x != 0", "c": "x.real"}.get("b" if target == "b" else kind, f"{_short(dtype)}(x)")
        raise DTypeError(f"{into} has dtype {dtype.name}, which cannot hold a value of {x.dtype.name}; write {cast}")
    return converted(x, dtype)


def _short(dtype: DType) -> str:
    return {"bfloat16": "bf16", "bool": "boolean"}.get(dtype.name, f"{dtype.kind}{dtype.itemsize * 8}")


def as_float(x: Value) -> Value:
    """Return a value for a function that computes floats: integers become float64."""
    if kind_of(x.dtype) in "fc":
        return x
    return converted(x, FLOAT)._replace(weak=x.weak or x.dtype == TRUTH)


def truth(x: Value) -> Value:
    """Return the truth of a value."""
    return converted(x, TRUTH)


def chosen(condition: Value, x: Value, y: Value) -> Value:
    """Return ``x`` or ``y``."""
    a, b, weak = common(x, y, arithmetic=False)
    return Value(Select(condition.expr, a.expr, b.expr, a.dtype), weak)


def binary(op: Any, x: Value, y: Value) -> Value:
    """Return an operation on two values."""
    a, b, weak = common(x, y)
    return Value(Binary(op, a.expr, b.expr, a.dtype), weak)
