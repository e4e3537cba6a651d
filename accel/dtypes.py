"""Element types: scalar classes under short names, and the conversion of dtypes and values.

The names are scalar *classes* (``f32`` is ``numpy.float32``), so they can be used in annotations such as
``BufferView[f32]``. Those of ml_dtypes are imported at first use.

As text, the names are dtypes too (``"f32"``, ``"bf16"``), except for three: NumPy counts bytes where these names count
bits, so ``"i8"`` and ``"u8"`` mean integers of 64 bits, and ``"f16"`` a float of 128 bits, which is not supported.
"""

import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from reprlib import repr as abbreviated
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy import bool_ as boolean
from numpy import complex64 as c64
from numpy import complex128 as c128
from numpy import float16 as f16
from numpy import float32 as f32
from numpy import float64 as f64
from numpy import int8 as i8
from numpy import int16 as i16
from numpy import int32 as i32
from numpy import int64 as i64
from numpy import uint8 as u8
from numpy import uint16 as u16
from numpy import uint32 as u32
from numpy import uint64 as u64

from accel.errors import DTypeError
from accel.support.lazy import listing

if TYPE_CHECKING:
    from typing import Generic as Typed

    from ml_dtypes import bfloat16 as bf16
    from ml_dtypes import float8_e4m3fn as f8e4m3fn
    from ml_dtypes import float8_e5m2 as f8e5m2
    from typing_extensions import TypeVar

    Scalar_co = TypeVar("Scalar_co", covariant=True, default=Any)
    Rank_co = TypeVar("Rank_co", covariant=True, default=Any)
else:  # Python 3.11 has no defaults, without which BufferView alone would be no annotation for type checkers
    from typing import TypeVar

    Scalar_co = TypeVar("Scalar_co", covariant=True)
    Rank_co = TypeVar("Rank_co", covariant=True)

    class _Typed:
        """What type checkers see as `typing.Generic`; at run time it is no base of a class."""

        def __getitem__(self, _: object) -> "_Typed":
            return self

        def __mro_entries__(self, _: object) -> tuple[type, ...]:
            return ()

    Typed = _Typed()

__all__ = [
    "KNOWN",
    "SUPPORTED",
    "DType",
    "DTypeLike",
    "Rank_co",
    "Scalar_co",
    "Typed",
    "as_dtype",
    "bf16",
    "boolean",
    "c64",
    "c128",
    "exact_cast",
    "f8e4m3fn",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "refuse_other_than_numbers",
    "supported",
    "u8",
    "u16",
    "u32",
    "u64",
]

__dir__ = listing(__name__, __all__)

DType: TypeAlias = np.dtype[Any]
DTypeLike: TypeAlias = str | type | DType
"""The type of every ``dtype=`` argument: a name, a scalar class, or a NumPy dtype."""

_NUMPY = (boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, c64, c128)
_ML_DTYPES: Mapping[str, str] = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def __getattr__(name: str) -> type:
    if name not in _ML_DTYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import ml_dtypes

    scalar: type = getattr(ml_dtypes, _ML_DTYPES[name])
    globals()[name] = scalar
    return scalar


def supported() -> tuple[DType, ...]:
    """Return all supported dtypes; a device may support fewer.

    Returns
    -------
    tuple of DType
        The dtypes, in the order of their kinds.
    """
    return (*map(np.dtype, _NUMPY), *(np.dtype(__getattr__(name)) for name in _ML_DTYPES))


class _Supported(AbstractSet[DType]):
    """`supported` as a set."""

    def __contains__(self, dtype: object) -> bool:
        return dtype in supported()

    def __iter__(self) -> Iterator[DType]:
        return iter(supported())

    def __len__(self) -> int:
        return len(supported())


SUPPORTED: AbstractSet[DType] = _Supported()
"""`supported` as a set, which imports ml_dtypes only when it is used, because memory may be too short to import it."""


_PYTHON: Mapping[object, type] = {bool: boolean, int: i64, float: f64, complex: c128}
# Without i8, u8 and f16, to which NumPy gives other meanings.
_SHORT: Mapping[object, type] = {
    "boolean": boolean,
    "c64": c64,
    "c128": c128,
    "f32": f32,
    "f64": f64,
    "i16": i16,
    "i32": i32,
    "i64": i64,
    "u16": u16,
    "u32": u32,
    "u64": u64,
}
_NATIVE = "write array.astype(array.dtype.newbyteorder('='))"
KNOWN: dict[object, DType] = {np.dtype(scalar): np.dtype(scalar) for scalar in _NUMPY}
"""Supported dtypes, by the dtype itself and by values that `as_dtype` has converted to it; a cache that grows."""

_MOST_KNOWN = 256


def as_dtype(dtype: DTypeLike) -> DType:
    """Return the NumPy dtype of a name, a scalar class or a dtype.

    Parameters
    ----------
    dtype : str, type or numpy.dtype
        ``"float32"``, ``"f32"``, ``accel.dtypes.f32``, ``numpy.dtype("float32")``, ``"bfloat16"`` ... or Python's
        ``bool``, ``int``, ``float``, ``complex``. NumPy's names (``"f4"``, ``"i8"``) mean what they mean in NumPy.

    Returns
    -------
    DType
        The dtype.

    Raises
    ------
    DTypeError
        If this is not a dtype, not a supported one, or not in this machine's byte order.
    """
    try:
        return KNOWN[dtype]
    except (KeyError, TypeError):
        pass
    result = _read(dtype)
    # Other values that NumPy accepts are unlimited.
    if dtype is result.type or dtype in _PYTHON or (isinstance(dtype, str) and len(KNOWN) < _MOST_KNOWN):
        KNOWN[dtype] = result
    return result


def _read(dtype: object) -> DType:
    if not isinstance(dtype, str | type | np.dtype):  # NumPy reads None as float64, and 3 as int16
        raise _refused(dtype, "it names no dtype")
    try:
        result: DType = np.dtype(_scalar_class(dtype) or dtype)
    # NumPy evaluates text such as "i4,(" as Python; the warning, about "a", is raised where warnings are errors.
    except (TypeError, ValueError, SyntaxError, DeprecationWarning):
        raise _refused(dtype, "it names no dtype") from None
    if not result.isnative:
        raise _refused(dtype, f"its byte order is not this machine's: {_NATIVE}")
    if not _is_supported(result):
        raise _refused(dtype, "it is not a supported dtype")
    return KNOWN.setdefault(result, result)


def _scalar_class(dtype: object) -> type | None:
    """Return the scalar class of a Python type or a short name; None if NumPy has to read the value.

    NumPy knows the names of ml_dtypes only after ml_dtypes was imported.
    """
    if not isinstance(dtype, str):
        return _PYTHON.get(dtype)
    if dtype in _SHORT:
        return _SHORT[dtype]
    names = {name: short for short, long in _ML_DTYPES.items() for name in (short, long)}
    return __getattr__(names[dtype]) if dtype in names else None


def _is_supported(dtype: DType) -> bool:
    if dtype in KNOWN:
        return True
    # A dtype of ml_dtypes can only exist if ml_dtypes was imported.
    return "ml_dtypes" in sys.modules and dtype in supported()


def _refused(dtype: object, reason: str) -> DTypeError:
    names = ", ".join([*(np.dtype(scalar).name for scalar in _NUMPY), *_ML_DTYPES.values()])
    return DTypeError(f"{dtype!r} cannot be the dtype of memory: {reason}. Supported dtypes: {names}")


_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _kind(dtype: DType) -> int:
    """Rank a dtype: boolean, integer, real, complex. The supported dtypes of ml_dtypes are all real."""
    return _KINDS.get(dtype.kind, 2)


def exact_cast(values: object, dtype: DType) -> "np.ndarray[Any, DType]":
    """Convert values to a dtype to store them; raise if more than floating-point rounding would be lost.

    Parameters
    ----------
    values : number or array_like
        Any shape.
    dtype : numpy.dtype
        The dtype to store.

    Returns
    -------
    numpy.ndarray
        The same shape; the argument itself where it already has that dtype.

    Raises
    ------
    DTypeError
        If the values are of a higher kind (real for an integer, complex for a real) or not numbers.
    OverflowError
        If an integer is out of range, or a finite number would become infinite.
    """
    array: np.ndarray[Any, DType] = np.asarray(values)
    if array.dtype == dtype:
        return array
    if not array.size and not hasattr(values, "dtype"):  # an empty list, which NumPy converts to float64
        return array.astype(dtype)
    if array.dtype.kind == "O" and array.size and all(type(value) is int for value in array.flat):
        array = _rounded(array, dtype)
    if not array.dtype.isnative:
        raise DTypeError(f"the byte order of the values is not this machine's: {_NATIVE}")
    if array.dtype.kind in _OTHER_KINDS:
        refuse_other_than_numbers(array, f"as {dtype.name}")
    if not _is_supported(array.dtype) or _kind(array.dtype) > _kind(dtype):
        raise DTypeError(
            f"values of dtype {array.dtype.name} cannot be stored as {dtype.name} without loss; "
            f"convert them first, as in numpy.asarray(values).astype({dtype.name!r})"
        )
    with np.errstate(all="ignore"):
        stored = array.astype(dtype)
    lost = stored != array if _kind(dtype) == 1 else ~np.isfinite(stored) & np.isfinite(array)
    if lost.any():
        raise OverflowError(f"{array[lost].flat[0]} is out of range for {dtype.name}")
    return stored


_OTHER_KINDS = "OSU"
"""NumPy's kinds of arrays of objects, bytes and text."""


def refuse_other_than_numbers(values: "np.ndarray[Any, Any]", place: str) -> None:
    """Raise `DTypeError` if something in an array is not a number, nor text of one, which NumPy would convert.

    Parameters
    ----------
    values : numpy.ndarray
        The array.
    place : str
        What holds the array, for the message.

    Raises
    ------
    DTypeError
        If an element is not a number.
    """
    for value in values.flat:
        try:
            complex(value)
        except (TypeError, ValueError):
            found = abbreviated(value.item() if isinstance(value, np.generic) else value)
            raise DTypeError(f"{found} is not a number, and cannot be stored {place}") from None


def _rounded(integers: "np.ndarray[Any, DType]", dtype: DType) -> "np.ndarray[Any, DType]":
    """Convert integers of more than 64 bits, which NumPy holds as objects, to float64; raise for an integer dtype."""
    try:
        if _kind(dtype) > 1:
            return integers.astype(f64)
    except OverflowError:
        pass
    bits = max(value.bit_length() for value in integers.flat)
    raise OverflowError(f"an integer of {bits} bits is out of range for {dtype.name}")
