"""Why an array may not be read or written as asked."""

from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import BoundsError, DTypeError, ReadOnlyError
from accel.xp.home import Home

__all__ = ["bad_key", "bad_write", "refuse_lossy"]

_RANKS = {"b": 0, "u": 1, "i": 1, "c": 3}  # the rest are floating-point types, some with kinds of their own


def refuse_lossy(home: Home, dtype: DType, given: Any) -> None:
    """Refuse values that a dtype cannot hold at all: fractions in integers, imaginary parts in real numbers."""
    found = given.dtype if type(given) is home.array_type else np.result_type(given)
    if _RANKS.get(found.kind, 2) > _RANKS.get(dtype.kind, 2):
        raise DTypeError(
            f"{found.name} values do not fit an array of {dtype.name}; convert them first, with xp.astype or xp.real"
        )


def bad_key(array: Any, error: IndexError) -> BoundsError:
    """Explain why the library refused an index."""
    return BoundsError(f"{error}; the array's shape is {array.shape}")


def bad_write(home: Home, array: Any, error: Exception) -> Exception:
    """Explain why the library refused to write into an array."""
    if home.backend.is_readonly(array):
        return ReadOnlyError("this array is read-only; write to a copy of it: xp.asarray(x, copy=True)")
    if isinstance(error, TypeError):
        return DTypeError(
            f"the result does not fit {array.dtype.name} in place ({error}); write x = x + y, or xp.astype"
        )
    return error
