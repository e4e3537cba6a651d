"""The types and numbers of a kernel as C++ text."""

import math
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import CapabilityError

__all__ = ["FLOATS16", "identifier", "is_float", "literal", "type_name", "wide"]

FLOATS16 = frozenset({"float16", "bfloat16"})
"""The floats that are computed as float32."""

_NAMES = {
    "bool": "bool",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
_SUFFIXES = {"int32": "", "int64": "ll", "uint32": "u", "uint64": "ull"}
_SPECIAL = {"inf": "infinity<{}>()", "-inf": "-infinity<{}>()", "nan": "not_a_number<{}>()"}


def type_name(dtype: DType) -> str:
    """Return the name of a type.

    Raises
    ------
    CapabilityError
        If kernels on GPUs have no such type.
    """
    try:
        return _NAMES[dtype.name]
    except KeyError:
        raise CapabilityError(
            f"kernels on GPUs do not compute with {dtype.name}; convert the memory to float16, or use device='cpu'"
        ) from None


def is_float(dtype: DType) -> bool:
    """Return whether a type is a real float."""
    return dtype.kind == "f" or dtype.name in FLOATS16


def wide(text: str, dtype: DType) -> str:
    """Return a number as it is computed with: a float of 16 bits as float32."""
    return f"f32({text})" if dtype.name in FLOATS16 else text


def identifier(name: str) -> str:
    """Return the C++ name of a variable; it ends with an underscore, and so differs from all other names."""
    return "".join([c if c.isascii() else f"u{ord(c):x}" for c in name]) + "_"


def literal(value: Any, dtype: DType) -> str:
    """Return a number as text."""
    name = type_name(dtype)
    if dtype.kind == "c":
        number = complex(value)
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return f"{name}{{{literal(number.real, part)}, {literal(number.imag, part)}}}"
    if is_float(dtype):
        return _float(value, dtype, name)
    if dtype.kind == "b":
        return "true" if value else "false"
    return _integer(int(value), dtype, name)


def _integer(value: int, dtype: DType, name: str) -> str:
    suffix = _SUFFIXES.get(dtype.name)
    if suffix is None:
        return f"{name}({value})"
    if value == -(1 << (8 * dtype.itemsize - 1)):  # the number after the minus sign would be too large
        return f"(-{-value - 1}{suffix} - 1)"
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def _float(value: Any, dtype: DType, name: str) -> str:
    if dtype.name in FLOATS16:
        return f"{name}({_float(dtype.type(value), np.dtype(np.float32), 'f32')})"
    number = dtype.type(value)
    if not math.isfinite(number):
        return _SPECIAL[str(float(number))].format(name)
    text = f"{number!s}f" if name == "f32" else repr(float(number))
    return f"({text})" if text.startswith("-") else text
