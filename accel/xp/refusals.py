"""Why an array may not be read or written as asked."""

from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import AccelError, BoundsError, DTypeError, OverlapError, ReadOnlyError
from accel.memory.shortage import out_of_memory
from accel.xp.array_library import ArrayLibrary

__all__ = [
    "bad_key",
    "bad_write",
    "failure",
    "guarded",
    "refuse_dtype",
    "refuse_huge",
    "refuse_lossy",
    "refuse_read_only",
    "repeats",
]

# The rest are floating-point types, some with kinds of their own. An object is a Python integer of more than 64 bits.
_RANKS = {"b": 0, "u": 1, "i": 1, "O": 1, "c": 3}


def refuse_lossy(library: ArrayLibrary, dtype: DType, given: Any) -> None:
    """Refuse values that a dtype cannot hold at all: fractions in integers, imaginary parts in real numbers."""
    found = given.dtype if type(given) is library.array_type else np.result_type(given)
    if _RANKS.get(found.kind, 2) > _RANKS.get(dtype.kind, 2):
        raise DTypeError(
            f"{found.name} values do not fit an array of {dtype.name}; convert them first, with xp.astype or xp.real"
        )


def bad_key(array: Any, error: IndexError) -> BoundsError:
    """Explain why the library refused an index."""
    return BoundsError(f"{error}; the array's shape is {array.shape}")


def failure(error: Exception) -> Exception:
    """Return what to raise where the library found no memory, or nothing at an index."""
    if isinstance(error, MemoryError):
        return out_of_memory(error, "the result")
    # An error about an axis is an IndexError, and the ValueError that the standard's users expect.
    return error if isinstance(error, AccelError | ValueError) else BoundsError(str(error))


def refuse_huge(value: object) -> None:
    """Refuse an integer that no integer dtype holds, of which NumPy would make an object."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        shown = value if value.bit_length() < 1000 else f"an integer of {value.bit_length()} bits"
        raise OverflowError(f"{shown} is out of range for every integer dtype; write float(value)")


def refuse_dtype(dtype: DType) -> None:
    """Refuse a dtype of the library's that no array can have."""
    try:
        as_dtype(dtype)
    except DTypeError:
        raise DTypeError(
            f"the result has dtype {dtype.name}, which no array can have; give other numbers, as in float(number)"
        ) from None


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


def refuse_read_only(library: ArrayLibrary, array: Any) -> None:
    """Refuse to write into an array that the library says is read-only."""
    if library.backend.is_readonly(array):
        raise _read_only(array)


def _read_only(array: Any) -> OverlapError | ReadOnlyError:
    if repeats(array.shape, array.strides):
        return OverlapError(
            f"elements share memory in this array of shape {array.shape} with strides {array.strides}, as they do in a "
            f"broadcast one; write to a copy of it: xp.asarray(x, copy=True)"
        )
    return ReadOnlyError("this array is read-only; write to a copy of it: xp.asarray(x, copy=True)")


def bad_write(library: ArrayLibrary, array: Any, error: Exception) -> Exception:
    """Explain why the library refused to write into an array."""
    if isinstance(error, MemoryError):
        return out_of_memory(error, "an operation in place")
    if library.backend.is_readonly(array):
        return _read_only(array)
    if isinstance(error, TypeError):
        return DTypeError(
            f"the result does not fit {array.dtype.name} in place ({error}); write x = x + y, or xp.astype"
        )
    return error
