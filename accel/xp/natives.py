"""Operands as the library of a device takes them."""

from typing import Any

import numpy as np

from accel.xp import refusals
from accel.xp.array_base import ArrayBase, live, moved
from accel.xp.array_library import ArrayLibrary

__all__ = ["native", "native_array"]

_SCALARS = frozenset({bool, int, float, complex})


def native(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library's array, or as a Python number.

    Raises
    ------
    TypeError
        If it is neither an array nor a number.
    DeviceMismatchError
        If it is an array on another device.
    ReleasedError
        If its memory was released.
    """
    if isinstance(value, ArrayBase):
        if value._library is not library:
            value = moved(library, value)
        return value._native if value._shared is None else live(value)
    if type(value) in _SCALARS:
        return value
    accepted = library.accept(value)
    if accepted is NotImplemented:
        raise refusals.no_operand(library, value)
    return accepted


def native_array(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library's array; a number becomes an array of no axes.

    Raises
    ------
    OverflowError
        If no dtype can hold the number. Other errors are those of `native`.
    """
    if isinstance(value, ArrayBase) and value._library is library:
        return live(value)
    operand = native(library, value)
    if type(operand) not in _SCALARS:
        return np.asarray(operand) if isinstance(operand, np.generic) else operand
    refusals.refuse_huge(operand)
    return library.as_array(operand)
