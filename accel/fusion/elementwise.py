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
