"""Dtypes and what the standard asks about them; the answers are the same on every device."""

import builtins
from typing import Any, NamedTuple

import numpy as np
from numpy import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError
from accel.xp.array import Array
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


def finfo(type: Array | DTypeLike, /) -> FloatInfo:
    """Return the limits of a floating-point type; those of its parts for a complex one.

    Raises
    ------
    DTypeError
        If it is not one that NumPy has.
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "fc":
        raise DTypeError(f"finfo is for NumPy's floating-point types; found {dtype.name}")
    found = np.finfo(dtype)
    eps, most, least, normal = map(float, (found.eps, found.max, found.min, found.smallest_normal))
    return FloatInfo(found.bits, eps, most, least, normal, found.dtype)


def iinfo(type: Array | DTypeLike, /) -> IntInfo:
    """Return the limits of an integer type.

    Raises
    ------
    DTypeError
        If it is another type.
    """
    dtype = _dtype_of(type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo is for integer types; found {dtype.name}: write xp.finfo")
    found = np.iinfo(dtype)
    return IntInfo(found.bits, found.max, found.min, found.dtype)


def can_cast(from_: Array | DTypeLike, to: DTypeLike, /) -> _Truth:
    """Tell whether type promotion leads from one dtype to the other."""
    return np.can_cast(_dtype_of(from_), as_dtype(to))


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> _Truth:
    """Tell whether a dtype is of a kind, as in ``"integral"``, or one of several."""
    return np.isdtype(as_dtype(dtype), kind)


def result_type(*arrays_and_dtypes: Array | Scalar | DTypeLike) -> DType:
    """Return the dtype that type promotion leads to; Python numbers adapt to the others.

    Raises
    ------
    ValueError
        If there are only Python numbers.
    """
    given = [value if type(value) in _NUMBERS else _dtype_of(value) for value in arrays_and_dtypes]
    if all(type(value) in _NUMBERS for value in given):
        raise ValueError(f"at least one array or dtype is needed; found {given}")
    return np.result_type(*given)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast."""
    return np.broadcast_shapes(*shapes)
