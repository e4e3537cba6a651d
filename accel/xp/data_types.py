"""Dtypes, and the functions of the standard about dtypes; they are the same on every device."""

import builtins
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError
from accel.xp.arrays import Array
from accel.xp.operators import Scalar

__all__ = [
    "bool",
    "broadcast_shapes",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

bool = np.bool_
_Truth = builtins.bool
_NUMBERS = frozenset({builtins.bool, int, float, complex})


class FloatInfo(NamedTuple):
    """Limits of a floating-point type, as Python floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntInfo(NamedTuple):
    """Limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(value: Any) -> DType:
    return value.dtype if isinstance(value, Array | np.ndarray | np.generic) else as_dtype(value)


def finfo(dtype: Array | DTypeLike) -> FloatInfo:
    """Return the limits of a floating-point type; for a complex type those of its real and imaginary parts.

    Raises
    ------
    DTypeError
        If it is not a floating-point or complex type of NumPy.
    """
    kind = _dtype_of(dtype)
    if kind.kind not in "fc":
        raise DTypeError(f"finfo is for NumPy's floating-point types; found {kind.name}")
    info = np.finfo(kind)
    eps, largest, lowest, normal = map(float, (info.eps, info.max, info.min, info.smallest_normal))
    return FloatInfo(info.bits, eps, largest, lowest, normal, info.dtype)


def iinfo(int_type: Array | DTypeLike) -> IntInfo:
    """Return the limits of an integer type.

    Raises
    ------
    DTypeError
        If it is not an integer type.
    """
    dtype = _dtype_of(int_type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo is for integer types; found {dtype.name}: write xp.finfo")
    info = np.iinfo(dtype)
    return IntInfo(info.bits, info.max, info.min, info.dtype)


def can_cast(
    from_: Array | DTypeLike,
    to: DTypeLike,
    casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"] = "safe",
) -> _Truth:
    """Tell whether one dtype can be converted to the other, by default without loss, as type promotion does."""
    return np.can_cast(_dtype_of(from_), as_dtype(to), casting)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> _Truth:
    """Tell whether a dtype is of a kind, such as ``"integral"`` or another dtype, or of one of several kinds."""
    return np.isdtype(as_dtype(dtype), kind)


def result_type(*arrays_and_dtypes: Array | Scalar | DTypeLike) -> DType:
    """Return the dtype of type promotion; Python numbers adapt to the dtypes of the other arguments.

    Raises
    ------
    ValueError
        If all arguments are Python numbers, or if there are none.
    """
    operands = [value if type(value) in _NUMBERS else _dtype_of(value) for value in arrays_and_dtypes]
    if all(type(value) in _NUMBERS for value in operands):
        raise ValueError("at least one array or dtype is needed; make an array of one of the numbers, with xp.asarray")
    return np.result_type(*operands)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which several shapes broadcast."""
    return np.broadcast_shapes(*shapes)
