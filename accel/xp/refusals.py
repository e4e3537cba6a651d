"""Why an array may not be read or written as asked."""

from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import BoundsError, DTypeError, OverlapError, ReadOnlyError
from accel.xp.home import Home

__all__ = ["bad_key", "bad_write", "guarded", "refuse_lossy", "refuse_read_only", "repeats"]

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


def repeats(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Tell whether several elements are in the same memory, as in a broadcast array."""
    if 0 not in strides or 0 in shape:
        return False
    return any(extent > 1 for extent, step in zip(shape, strides, strict=True) if not step)


def guarded(array: np.ndarray[Any, DType]) -> np.ndarray[Any, DType]:
    """Return an array of NumPy; one that repeats as a view that refuses to be written."""
    if array.flags.writeable and repeats(array.shape, array.strides):
        array = array.view()
        array.flags.writeable = False
    return array


def refuse_read_only(home: Home, array: Any) -> None:
    """Refuse to write into an array that the library says is read-only."""
    if home.backend.is_readonly(array):
        raise _read_only(array)


def _read_only(array: Any) -> OverlapError | ReadOnlyError:
    if repeats(array.shape, array.strides):
        return OverlapError(
            f"elements share memory in this array of shape {array.shape} with strides {array.strides}, as they do in a "
            f"broadcast one; write to a copy of it: xp.asarray(x, copy=True)"
        )
    return ReadOnlyError("this array is read-only; write to a copy of it: xp.asarray(x, copy=True)")


def bad_write(home: Home, array: Any, error: Exception) -> Exception:
    """Explain why the library refused to write into an array."""
    if home.backend.is_readonly(array):
        return _read_only(array)
    if isinstance(error, TypeError):
        return DTypeError(
            f"the result does not fit {array.dtype.name} in place ({error}); write x = x + y, or xp.astype"
        )
    return error
