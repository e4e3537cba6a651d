"""Checks of dtypes, numbers and read-only memory, and the errors that say what is wrong."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.errors import AccelError, BoundsError, DTypeError, FuseError, LayoutError, OverlapError, ReadOnlyError
from accel.memory.shortage import out_of_memory
from accel.xp.array_library import ArrayLibrary

__all__ = [
    "LOSSLESS",
    "bad_assignment",
    "bad_key",
    "bad_selection",
    "bad_write",
    "failure",
    "guarded",
    "no_operand",
    "refuse_complex",
    "refuse_dtype",
    "refuse_extents",
    "refuse_fields",
    "refuse_huge",
    "refuse_lossy",
    "refuse_read_only",
    "refuse_values",
    "repeats",
]

# By the kind of a dtype. All other kinds are floating-point types, with rank 2: those of ml_dtypes have kinds of their
# own. "O" is the kind of a Python integer of more than 64 bits.
_RANKS = {"b": 0, "u": 1, "i": 1, "O": 1, "c": 3}

LOSSLESS = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}
"""The kinds of NumPy's dtypes that take a Python number without loss."""


def refuse_lossy(library: ArrayLibrary, dtype: DType, values: Any) -> None:
    """Refuse values of a higher kind than a dtype: fractions for integers, complex for real numbers."""
    if type(values) in LOSSLESS and dtype.kind in LOSSLESS[type(values)]:
        return
    source = values.dtype if type(values) in library.native_types else np.result_type(values)
    if _RANKS.get(source.kind, 2) > _RANKS.get(dtype.kind, 2):
        raise DTypeError(
            f"{source.name} values do not fit an array of {dtype.name}; convert them first, with xp.astype or xp.real"
        )


def refuse_complex(dtype: DType, target: DType) -> None:
    """Refuse a cast that would drop the imaginary parts of complex numbers."""
    if dtype.kind == "c" and target.kind not in "cb":
        raise DTypeError(f"{dtype.name} becomes {target.name} only without its imaginary part; write xp.real(x)")


def no_operand(library: ArrayLibrary, value: object) -> TypeError:
    """Return the error for an operand that is neither an array on the device nor a number."""
    where = "" if library.device is Device.CPU else f", device='{library.device}'"
    kind = type(value)
    type_name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return TypeError(
        f"an array on {library.device} or a number is needed; found {type_name}: write xp.asarray(values{where})"
    )


def bad_key(array: Any, error: IndexError) -> BoundsError:
    """Return the error for an index that the library refused."""
    return BoundsError(f"{error}; the array's shape is {array.shape}")


def bad_selection(array: Any, error: Exception) -> Exception:
    """Return the error for elements that the library refused to read."""
    return bad_key(array, error) if isinstance(error, IndexError) else failure(error)


def bad_assignment(library: ArrayLibrary, array: Any, error: Exception) -> Exception:
    """Return the error for elements that the library refused to write."""
    return bad_key(array, error) if isinstance(error, IndexError) else bad_write(library, array, error)


def failure(error: Exception) -> Exception:
    """Return the error to raise for a MemoryError, an OverflowError or an IndexError of the library."""
    if isinstance(error, MemoryError):
        return out_of_memory(error, "the result")
    if isinstance(error, OverflowError):
        return OverflowError(
            f"{error}; write xp.astype(x, dtype) with a dtype that holds the number, such as 'float64'"
        )
    # NumPy's AxisError is an IndexError and also a ValueError, which users of the standard expect.
    return (
        error
        if isinstance(error, AccelError | ValueError)
        else BoundsError(f"an axis or an index is out of range: {error}")
    )


def refuse_huge(value: object) -> None:
    """Refuse an integer that no integer dtype can hold; NumPy would make an array of objects."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        # Python refuses to write very long integers as decimals.
        shown = value if value.bit_length() < 1000 else f"an integer of {value.bit_length()} bits"
        raise OverflowError(f"{shown} is out of range for every integer dtype; write float(value)")


def refuse_values(values: object, dtype: DType) -> None:
    """Refuse values of which NumPy makes an array of a dtype that arrays cannot have."""
    try:
        as_dtype(dtype)
    except DTypeError as error:
        if isinstance(values, np.ndarray | np.generic):
            raise error from None
        raise DTypeError(
            f"an array has numbers or booleans as elements; of this {type(values).__name__} NumPy makes elements of "
            f"dtype {dtype.name}{_as_numbers(values)}"
        ) from None


def _as_numbers(values: Any) -> str:
    """Return what makes an array of values that are no numbers, as the end of an error."""
    if isinstance(values, str):
        return ": for its bytes write xp.asarray(list(values.encode()), dtype='uint8')"
    if isinstance(values, bytes):
        return ": write xp.asarray(list(values), dtype='uint8')"
    parts = list(values) if isinstance(values, Iterable) else [values]
    if all(map(_is_number, parts)):
        return ": write xp.asarray([float(value) for value in values])"
    if all(part is None or _is_number(part) for part in parts):
        return ": write xp.asarray([numpy.nan if value is None else float(value) for value in values])"
    if all(part is None or isinstance(part, str) for part in parts):
        return ": for strings write accel.store.from_strings(values)"
    return ", which have no place in an array"


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def refuse_dtype(dtype: DType) -> None:
    """Refuse the dtype of a result if arrays cannot have it."""
    try:
        as_dtype(dtype)
    except DTypeError:
        raise DTypeError(
            f"the result has dtype {dtype.name}, which no array can have; give other numbers, as in float(number)"
        ) from None


def refuse_fields(order: object) -> None:
    """Refuse to sort by fields."""
    if order is not None:
        raise TypeError(f"arrays have no fields to sort by; found order={order!r}: write xp.lexsort(keys)")


def refuse_extents(shape: Any) -> None:
    """Refuse extents below -1, which NumPy takes as -1."""
    if type(shape) is int and shape >= -1:
        return
    extents = shape if isinstance(shape, (tuple, list)) else (shape,)
    for extent in extents:
        if extent < -1:
            raise LayoutError(
                f"the shape {shape} has the extent {extent}; write -1 for one that follows from the others"
            )


def repeats(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Tell whether several elements share memory, as in a broadcast array."""
    if 0 not in strides or 0 in shape:
        return False
    return any(extent > 1 for extent, step in zip(shape, strides, strict=True) if not step)


def guarded(array: np.ndarray[Any, DType]) -> np.ndarray[Any, DType]:
    """Return a NumPy array, as a read-only view if several elements share memory."""
    if 0 in array.strides and array.flags.writeable and repeats(array.shape, array.strides):
        array = array.view()
        array.flags.writeable = False
    return array


def refuse_read_only(library: ArrayLibrary, array: Any) -> None:
    """Refuse to write to an array that is read-only for the library."""
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
    """Return the error for a write that the library refused."""
    if isinstance(error, MemoryError):
        return out_of_memory(error, "an operation in place")
    if isinstance(error, FuseError | OverflowError):
        return failure(error)
    if library.backend.is_readonly(array):
        return _read_only(array)
    if isinstance(error, TypeError):
        return DTypeError(
            f"the result does not fit {array.dtype.name} in place ({error}); write x = x + y, or xp.astype"
        )
    return error if isinstance(error, AccelError) else _bad_shape(array, error)


def _bad_shape(array: Any, error: Exception) -> Exception:
    """Return the error for a write of a shape that does not fit; any other one as it is."""
    if "broadcast" in str(error):
        return LayoutError(
            f"{error}; an array keeps its shape {array.shape} in place: write x = x + y, or give its shape"
        )
    if "with a sequence" in str(error):
        return LayoutError("an array with axes is no element; write x[i] = y[j], or x[i, ...] = y for one of no axes")
    return error
