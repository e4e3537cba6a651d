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

    Parameters
    ----------
    dtype : dtype_like or Array
        The type, or an array of it.

    Returns
    -------
    FloatInfo
        The limits: ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``.

    Raises
    ------
    DTypeError
        If it is not a floating-point or complex type of NumPy.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.finfo("float32").bits
    32
    """
    kind = _dtype_of(dtype)
    if kind.kind not in "fc":
        raise DTypeError(f"finfo is for NumPy's floating-point types; found {kind.name}")
    info = np.finfo(kind)
    eps, largest, lowest, normal = map(float, (info.eps, info.max, info.min, info.smallest_normal))
    return FloatInfo(info.bits, eps, largest, lowest, normal, info.dtype)


def iinfo(int_type: Array | DTypeLike) -> IntInfo:
    """Return the limits of an integer type.

    Parameters
    ----------
    int_type : dtype_like or Array
        The type, or an array of it.

    Returns
    -------
    IntInfo
        The limits: ``bits``, ``max``, ``min`` and ``dtype``.

    Raises
    ------
    DTypeError
        If it is not an integer type.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.iinfo("int8").max
    127
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
    """Tell whether one dtype can be converted to the other, by default without loss, as type promotion does.

    Parameters
    ----------
    from_ : dtype_like or Array
        The dtype to convert from, or an array of it.
    to : dtype_like
        The dtype to convert to.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}, default "safe"
        Which conversions are allowed: those that change nothing, none but the byte order, without loss, within a kind,
        or all.

    Returns
    -------
    bool
        Whether it can be converted.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.can_cast("int32", "int64"), xp.can_cast("float64", "int64")
    (True, False)
    """
    return np.can_cast(_dtype_of(from_), as_dtype(to), casting)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> _Truth:
    """Tell whether a dtype is of a kind, such as ``"integral"`` or another dtype, or of one of several kinds.

    Parameters
    ----------
    dtype : dtype_like
        The dtype.
    kind : dtype_like or tuple of dtype_like
        Another dtype, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating" or
        "numeric"; or several.

    Returns
    -------
    bool
        Whether the dtype is of the kind, or of one of them.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.isdtype("int8", "integral")
    True
    """
    return np.isdtype(as_dtype(dtype), kind)


def result_type(*arrays_and_dtypes: Array | Scalar | DTypeLike) -> DType:
    """Return the dtype of type promotion; Python numbers adapt to the dtypes of the other arguments.

    Parameters
    ----------
    *arrays_and_dtypes : Array, scalar or dtype_like
        The operands.

    Returns
    -------
    dtype
        The dtype of the result of an operation on them.

    Raises
    ------
    ValueError
        If all arguments are Python numbers, or if there are none.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.result_type("int8", "float32", 1)
    dtype('float32')
    """
    operands = [value if type(value) in _NUMBERS else _dtype_of(value) for value in arrays_and_dtypes]
    if all(type(value) in _NUMBERS for value in operands):
        raise ValueError("at least one array or dtype is needed; make an array of one of the numbers, with xp.asarray")
    return np.result_type(*operands)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which several shapes broadcast.

    Parameters
    ----------
    *shapes : tuple of int
        The shapes.

    Returns
    -------
    tuple of int
        The common shape.

    Raises
    ------
    ValueError
        If they do not broadcast.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    return np.broadcast_shapes(*shapes)
