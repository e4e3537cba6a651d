"""Mathematical functions as C++ text."""

from collections.abc import Sequence

from accel.dtypes import DType
from accel.ir import FUNCTIONS, Call, of_type

from .types import FLOATS16, is_float, type_name, wide

__all__ = ["call"]

_PREDICATES = {"isfinite": "is_finite", "isinf": "is_infinite", "isnan": "is_nan", "signbit": "has_sign"}
_OF_NUMBERS = {"abs": "absolute", "sign": "sign", "popcount": "population", "square": "squared"}
_OF_COMPLEX = {
    "abs": "absolute({})",
    "conj": "conjugate({})",
    "imag": "{}.imag",
    "real": "{}.real",
}


def call(x: Call, arguments: Sequence[str]) -> str:
    """Return the call of a function; its arguments are text already."""
    dtype = of_type(x.arguments[0])
    if x.function == "complex":
        return f"{type_name(x.dtype)}{{{', '.join(arguments)}}}"
    if dtype.kind == "c":
        return _OF_COMPLEX[x.function].format(*arguments)
    if not is_float(dtype):
        return _of_integers(x.function, arguments, dtype)
    if x.function in _PREDICATES:
        return f"{_PREDICATES[x.function]}({wide(arguments[0], dtype)})"
    if x.function == "nextafter" and dtype.name in FLOATS16:
        return f"next_after({', '.join(arguments)})"
    text = _of_floats(x.function, [wide(argument, dtype) for argument in arguments], dtype)
    return f"{type_name(dtype)}({text})" if dtype.name in FLOATS16 else text


def _of_floats(function: str, arguments: Sequence[str], dtype: DType) -> str:
    suffix, one = ("", "1.0") if dtype == "float64" else ("f", "1.0f")
    if function in {"real", "conj", "imag"}:
        return arguments[0] if function != "imag" else f"0.0{suffix}"
    if function in {"square", "sign"}:
        return f"{_OF_NUMBERS[function]}({arguments[0]})"
    if function == "rsqrt":
        return f"({one} / sqrt{suffix}({arguments[0]}))"
    return f"{FUNCTIONS[function].c}{suffix}({', '.join(arguments)})"


def _of_integers(function: str, arguments: Sequence[str], dtype: DType) -> str:
    if function in _PREDICATES:
        return f"({arguments[0]} < 0)" if function == "signbit" else str(function == "isfinite").lower()
    if function in _OF_NUMBERS:
        return f"{_OF_NUMBERS[function]}({arguments[0]})"
    return f"{type_name(dtype)}(0)" if function == "imag" else arguments[0]
