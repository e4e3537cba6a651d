"""The members of `cupyx.jit` that kernels use: what stands for each in CUDA."""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from accel.errors import CapabilityError
from accel.testing.cupy_simulation.text_parameters import element_type

__all__ = ["BUILTINS", "UFUNCS", "Builtin", "Code", "Constant", "Items", "Symbol", "Value", "code_of"]

_SAME = """
    abs cbrt ceil copysign cos cosh exp exp2 expm1 fabs floor fmax fmin fmod hypot isfinite isinf isnan log log10 log1p
    log2 rint sin sinh sqrt tan tanh trunc
"""
UFUNCS = {
    **{name: name for name in _SAME.split()},
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "absolute": "abs",
    "maximum": "max",
    "minimum": "min",
    "power": "accel_sim::raised",
    "divide": "accel_sim::divided",
    "true_divide": "accel_sim::divided",
    "floor_divide": "accel_sim::floor_divided",
    "remainder": "accel_sim::remainder_of",
}
"""Functions of CuPy, and their names in CUDA."""


class Constant(NamedTuple):
    """A value that is known when a kernel is compiled: a number, a type, a module, a function."""

    value: Any


class Code(NamedTuple):
    """An expression in CUDA; of an array the number of its axes, of the shape of one its name."""

    text: str
    rank: int | None = None
    shape: bool = False


class Items(NamedTuple):
    """A tuple of expressions."""

    values: "tuple[Value, ...]"


Value = Constant | Code | Items


class Symbol(NamedTuple):
    """What has a value in kernels only, such as ``threadIdx``, with its name in CUDA."""

    text: str


class Builtin:
    """A function of `cupyx.jit`, which is called in kernels only."""

    def __init__(self, name: str, emit: Callable[..., Value]) -> None:
        self.__name__ = name
        self.emit = emit

    def __call__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise RuntimeError(f"cupyx.jit.{self.__name__} is called in functions with @cupyx.jit.rawkernel() only")

    def __repr__(self) -> str:
        return f"<cupyx.jit.{self.__name__}>"


def code_of(value: "Value | Symbol") -> str:
    """Return an expression in CUDA.

    Raises
    ------
    TypeError
        If kernels have no such values.
    """
    if isinstance(value, Items):
        raise TypeError("a tuple is an index, or is unpacked to variables; nothing else is done with it in kernels")
    if isinstance(value, Code | Symbol):
        return value.text
    return code_of(value.value) if isinstance(value.value, Symbol) else _literal(value.value)


def _literal(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.integer):
        return f"({element_type(value.dtype)})({int(value)}LL)"
    if isinstance(value, int):
        return f"{value}" if -(1 << 31) <= value < 1 << 31 else f"{value}LL"
    if isinstance(value, float | np.floating):
        return _real(float(value), element_type(value.dtype) if isinstance(value, np.generic) else "float")
    raise TypeError(f"kernels have no values of type {type(value).__name__}; found {value!r}")


def _real(value: float, kind: str) -> str:
    if np.isfinite(value):
        return f"({kind})({float(value).hex()})"
    return f"({kind})({'NAN' if np.isnan(value) else 'INFINITY' if value > 0 else '-INFINITY'})"


def _grid(text: str) -> Callable[..., Value]:
    def emit(ndim: Value) -> Value:
        if not isinstance(ndim, Constant) or ndim.value not in (1, 2, 3):
            raise ValueError("Only ndim=1,2,3 are supported")
        parts = tuple([Code(f"({text.format(n=axis)})") for axis in "xyz"[: ndim.value]])
        return parts[0] if ndim.value == 1 else Items(parts)

    return emit


def _atomic(operation: str) -> Callable[..., Value]:
    def emit(array: Value, index: Value, value: Value, alt_value: Value | None = None) -> Value:
        target = element(array, index)
        values = [value] if alt_value is None else [value, alt_value]
        cast = f"accel_sim::same_kind<std::decay_t<decltype({target})>>"
        return Code(f"atomic{operation}(&{target}, {', '.join([f'{cast}({code_of(each)})' for each in values])})")

    return emit


def element(array: Value, index: Value) -> str:
    """Return the element of an array at an index, in CUDA."""
    name = code_of(array)
    rank = array.rank if isinstance(array, Code) else None
    if isinstance(index, Constant) and isinstance(index.value, tuple):
        index = Items(tuple(map(Constant, index.value)))
    places = index.values if isinstance(index, Items) else (index,)
    if rank is None:
        raise TypeError(f"{name} is no array")
    if len(places) != rank:
        raise CapabilityError(
            f"{name} has {rank} axes, and {len(places)} numbers are the index; slices are not simulated: write {rank}"
        )
    if not isinstance(index, Items):
        return f"{name}[{code_of(index)}]"
    return f"{name}[{{{', '.join([f'(ptrdiff_t)({code_of(each)})' for each in places])}}}]"


def _shuffle(operation: str) -> Callable[..., Value]:
    def emit(mask: Value, var: Value, val_id: Value, width: Value | None = None) -> Value:
        size = "warpSize" if width is None else code_of(width)
        number = f"{mask.value:#x}" if isinstance(mask, Constant) else code_of(mask)
        return Code(f"__shfl_{operation}sync({number}, {code_of(var)}, {code_of(val_id)}, {size})")

    return emit


def _syncwarp(mask: Value | None = None) -> Value:
    number = "" if mask is None else f"{mask.value:#x}" if isinstance(mask, Constant) else code_of(mask)
    return Code(f"__syncwarp({number})")


_ATOMICS = "Add Sub Exch Min Max Inc Dec CAS And Or Xor"
_SHUFFLES = {"shfl_sync": "", "shfl_up_sync": "up_", "shfl_down_sync": "down_", "shfl_xor_sync": "xor_"}


def _refused(*arguments: Value, **keywords: Value) -> Value:
    raise CapabilityError(
        "shared_memory and range are a statement's: write x = jit.shared_memory(...), for i in range(...)"
    )


_EMITTERS: dict[str, Callable[..., Value]] = {
    "grid": _grid("threadIdx.{n} + blockIdx.{n} * blockDim.{n}"),
    "gridsize": _grid("blockDim.{n} * gridDim.{n}"),
    "syncthreads": lambda: Code("__syncthreads()"),
    "syncwarp": _syncwarp,
    "laneid": lambda: Code("(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize"),
    "shared_memory": _refused,
    "range": _refused,
    **{f"atomic_{operation.lower()}": _atomic(operation) for operation in _ATOMICS.split()},
    **{name: _shuffle(operation) for name, operation in _SHUFFLES.items()},
}
BUILTINS = {name: Builtin(name, emit) for name, emit in _EMITTERS.items()}
