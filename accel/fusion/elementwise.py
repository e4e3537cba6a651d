"""NumPy's elementwise functions as operations of the graph: which kinds of elements each takes, and what it becomes."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from accel.dtypes import KNOWN, DType
from accel.fusion.nodes import Node

__all__ = ["Make", "loop_of"]

Make: TypeAlias = Callable[..., Node]
"""Makes an operation: its kind, its name, its operands, its dtype."""

_Builder: TypeAlias = Callable[[Make, Sequence[Node], DType], Node]
_TRUTH = np.dtype(np.bool_)
_HALF = np.dtype(np.float16)


def _same(kind: str, name: str) -> _Builder:
    return lambda make, operands, dtype: make(kind, name, operands, dtype)


def _of_truth(name: str) -> _Builder:
    """Return what converts operands to truth values first."""

    def build(make: Make, operands: Sequence[Node], _: DType) -> Node:
        truths = [x if x.dtype == _TRUTH else make("cast", "", (x,), _TRUTH) for x in operands]
        return make("unary" if name == "not" else "binary", name, truths, _TRUTH)

    return build


def _itself(_: Make, operands: Sequence[Node], __: DType) -> Node:
    return operands[0]


def _reciprocal(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
    return make("binary", "truediv", (make("constant", 1.0, (), dtype), operands[0]), dtype)


def _length(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
    parts = [make("call", name, operands, dtype) for name in ("real", "imag")]
    return make("call", "hypot", parts, dtype)


def _squared(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
    return make("binary", "mul", (operands[0], operands[0]), dtype)


def _of_bits(name: str, *, inverted: int | None = None) -> _Builder:
    """Return what combines truth values; one of them, or the result for 2, may be inverted."""

    def build(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
        values = [make("unary", "not", (x,), dtype) if place == inverted else x for place, x in enumerate(operands)]
        result = make("binary", name, values, dtype)
        return make("unary", "not", (result,), dtype) if inverted == len(operands) else result

    return build


def _of_parts(name: str, op: str) -> _Builder:
    """Return what tells something of both parts of a complex number."""

    def build(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
        real = np.zeros((), operands[0].dtype).real.dtype
        parts = [make("call", name, (make("call", part, operands, real),), dtype) for part in ("real", "imag")]
        return make("binary", op, parts, dtype)

    return build


def _compared_with_itself(op: str) -> _Builder:
    return lambda make, operands, _: make("compare", op, (operands[0], operands[0]), _TRUTH)


def _scaled(first: float, second: float) -> _Builder:
    """Return what multiplies by a quotient."""

    def build(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
        factor = dtype.type(first) / dtype.type(second)
        return make("binary", "mul", (operands[0], make("constant", factor, (), dtype)), dtype)

    return build


def _without_nan(op: str) -> _Builder:
    """Return what chooses one of two floats, but no NaN if the other one is a number."""

    def build(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
        x, y = operands
        first = make("binary", "or", (make("compare", op, (x, y), _TRUTH), make("call", "isnan", (y,), _TRUTH)), _TRUTH)
        return make("select", "", (first, x, y), dtype)

    return build


def _step(make: Make, operands: Sequence[Node], dtype: DType) -> Node:
    x, at_zero = operands
    zero, one = make("constant", 0, (), dtype), make("constant", 1, (), dtype)
    beside = make("select", "", (make("compare", "gt", (x, zero), _TRUTH), one, zero), dtype)
    number = make("select", "", (make("compare", "eq", (x, zero), _TRUTH), at_zero, beside), dtype)
    return make("select", "", (make("call", "isnan", (x,), _TRUTH), x, number), dtype)


_REAL = "fiu"
_BINARY = {
    name: _same("binary", name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "min", "max")
}
_BITS = {name: _same("binary", name) for name in ("and", "or", "xor")}
_FLOATS = {
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "rint": "round",
} | {
    name: name
    for name in (
        *("cbrt", "ceil", "copysign", "cos", "cosh", "exp", "exp2", "expm1", "floor", "fmod", "hypot", "log", "log10"),
        *("log1p", "log2", "nextafter", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
    )
}
_TABLE: Mapping[tuple[str, str], _Builder] = MappingProxyType(
    {(name, "f"): _same("call", function) for name, function in _FLOATS.items()}
    | {(name, kind): _itself for name in ("ceil", "floor", "trunc") for kind in "iub"}
    | {("add", kind): _BINARY["add"] for kind in "fiuc"}
    | {("subtract", kind): _BINARY["sub"] for kind in "fiuc"}
    | {("multiply", kind): _BINARY["mul"] for kind in "fiuc"}
    | {("minimum", kind): _BINARY["min"] for kind in _REAL}
    | {("maximum", kind): _BINARY["max"] for kind in _REAL}
    | {("floor_divide", kind): _BINARY["floordiv"] for kind in "iu"}
    | {("remainder", kind): _BINARY["mod"] for kind in "iu"}
    | {("divide", "f"): _BINARY["truediv"], ("power", "f"): _BINARY["pow"], ("reciprocal", "f"): _reciprocal}
    | {("add", "b"): _BITS["or"], ("multiply", "b"): _BITS["and"], ("maximum", "b"): _BITS["or"]}
    | {("minimum", "b"): _BITS["and"], ("not_equal", "b"): _BITS["xor"]}
    | {(f"bitwise_{name}", kind): builder for name, builder in _BITS.items() for kind in "biu"}
    | {("invert", "b"): _of_truth("not")}
    | {("invert", kind): _same("unary", "invert") for kind in "iu"}
    | {("left_shift", kind): _same("binary", "lshift") for kind in "iu"}
    | {("right_shift", kind): _same("binary", "rshift") for kind in "iu"}
    | {(f"logical_{name}", kind): _of_truth(name) for name in ("and", "or", "xor", "not") for kind in "biuf"}
    | {
        (name, kind): _same("compare", op)
        for name, op in {
            "equal": "eq",
            "not_equal": "ne",
            "less": "lt",
            "less_equal": "le",
            "greater": "gt",
            "greater_equal": "ge",
        }.items()
        for kind in _REAL
    }
    | {(name, kind): _same("call", name) for name in ("sign", "square") for kind in _REAL}
    | {("square", "c"): _squared}
    | {("absolute", kind): _same("call", "abs") for kind in "fi"}
    | {("absolute", "c"): _length}
    | {("absolute", kind): _itself for kind in "ub"}
    | {("negative", kind): _same("unary", "neg") for kind in "fiuc"}
    | {("positive", kind): _itself for kind in "fiuc"}
    | {("conjugate", kind): _itself for kind in _REAL}
    | {("conjugate", "c"): _same("call", "conj")}
    | {(name, "f"): _same("call", name) for name in ("isfinite", "isinf", "isnan", "signbit")}
    | {(name, kind): _compared_with_itself("ne") for name in ("isinf", "isnan") for kind in "iub"}
    | {("isfinite", kind): _compared_with_itself("eq") for kind in "iub"}
    | {("isfinite", "c"): _of_parts("isfinite", "and")}
    | {(name, "c"): _of_parts(name, "or") for name in ("isinf", "isnan")}
    | {("equal", "b"): _of_bits("xor", inverted=2)}
    | {("greater", "b"): _of_bits("and", inverted=1), ("greater_equal", "b"): _of_bits("or", inverted=1)}
    | {("less", "b"): _of_bits("and", inverted=0), ("less_equal", "b"): _of_bits("or", inverted=0)}
    | {("equal", "c"): _same("compare", "eq"), ("not_equal", "c"): _same("compare", "ne")}
    | {(f"logical_{name}", "c"): _of_truth(name) for name in ("and", "or", "xor", "not")}
    | {("fabs", "f"): _same("call", "abs"), ("heaviside", "f"): _step}
    | {("fmax", "f"): _without_nan("ge"), ("fmin", "f"): _without_nan("le")}
    | {(name, kind): _BINARY[name[1:]] for name in ("fmax", "fmin") for kind in "iu"}
    | {("fmax", "b"): _BITS["or"], ("fmin", "b"): _BITS["and"]}
    | {(name, "f"): _scaled(np.pi, 180) for name in ("deg2rad", "radians")}
    | {(name, "f"): _scaled(180, np.pi) for name in ("rad2deg", "degrees")}
)


@cache
def loop_of(function: np.ufunc, kinds: tuple[Any, ...]) -> tuple[tuple[DType, ...], _Builder] | None:
    """Return the dtypes in which a function computes, operands first, and what makes its operation.

    None if the library should compute it. ``kinds`` are dtypes, and `int`, `float` or `complex` for Python's numbers,
    whose dtype follows from the others.
    """
    if function.nout != 1 or function.signature is not None or function.nin != len(kinds):
        return None
    try:
        dtypes = function.resolve_dtypes((*kinds, None))
    except (TypeError, ValueError):  # the function refuses them in its own words
        return None
    first = dtypes[0]
    if not all(dtype in KNOWN and dtype.isnative for dtype in dtypes) or first.isbuiltin != 1 or first == _HALF:
        return None
    build = _TABLE.get((function.__name__, first.kind))
    return None if build is None or any(dtype.kind != first.kind for dtype in dtypes[1:-1]) else (dtypes, build)
