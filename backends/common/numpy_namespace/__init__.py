"""NumPy as a namespace of the array standard.

Nearly all functions are NumPy's own, which conform since NumPy 2.1 and are found at their first use. Only those that
differ from the standard are written here.
"""

from operator import index
from typing import Any

import numpy as np

from . import fft, linalg
from .new_arrays import eye, full, ones
from .sorting import argsort, sort
from .special_cases import expm1, floor_divide, pow, tanh

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "around",
    "clip",
    "cumprod",
    "cumsum",
    "diagonal",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "floor_divide",
    "full",
    "linalg",
    "matrix_transpose",
    "nonzero",
    "ones",
    "permute_dims",
    "pow",
    "ravel",
    "repeat",
    "round",
    "searchsorted",
    "sort",
    "squeeze",
    "std",
    "swapaxes",
    "take",
    "tanh",
    "trace",
    "transpose",
    "unique_values",
    "var",
]

_Array = np.ndarray[Any, np.dtype[Any]]

# The methods take half the time of NumPy's functions, or less.
argmax = np.ndarray.argmax
argmin = np.ndarray.argmin
cumprod = np.ndarray.cumprod
cumsum = np.ndarray.cumsum
diagonal = np.ndarray.diagonal
nonzero = np.ndarray.nonzero
permute_dims = np.ndarray.transpose
ravel = np.ndarray.ravel
repeat = np.ndarray.repeat
searchsorted = np.ndarray.searchsorted
squeeze = np.ndarray.squeeze
swapaxes = np.ndarray.swapaxes
take = np.ndarray.take
trace = np.ndarray.trace


def __getattr__(name: str) -> Any:
    value = globals()[name] = getattr(np, name)
    return value


def expand_dims(x: _Array, /, axis: int | tuple[int, ...]) -> Any:
    """Return a view with one axis more, or several, of one element each."""
    if type(axis) is int and -x.ndim <= axis + 1 and axis <= x.ndim:
        return x[(slice(None),) * (axis if axis >= 0 else axis + x.ndim + 1) + (None,)]
    return np.expand_dims(x, axis)


def matrix_transpose(x: _Array, /) -> Any:
    """Return a view with the last two axes exchanged."""
    return x.mT


def transpose(x: _Array, /, axes: Any = None) -> Any:
    """Return a view with the axes in another order, by default in reverse order."""
    return x.transpose(axes)


def std(x: _Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Return the standard deviation; the method takes half the time of NumPy's function."""
    return x.std(axis, ddof=_whole(correction), keepdims=keepdims)


def var(x: _Array, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Return the variance; the method takes half the time of NumPy's function."""
    return x.var(axis, ddof=_whole(correction), keepdims=keepdims)


def _whole(correction: float) -> float:
    """Return a whole number as an integer, with which NumPy computes faster."""
    return int(correction) if correction % 1 == 0 else correction


def round(a: _Array, decimals: int = 0) -> Any:
    """Round to a number of decimals. From 400 on the power of 10 is infinite, and NumPy would multiply each time."""
    many = 400 <= abs(index(decimals)) < 1 << 31
    return np.round(a, (400 if decimals > 0 else -400) if many else decimals)


around = round


def unique_values(x: _Array, /) -> Any:
    """Return the unique values in order; since NumPy 2.3 its own function returns them in no order."""
    return np.unique(x, equal_nan=False)


def clip(x: _Array, /, min: Any = None, max: Any = None, out: _Array | None = None) -> Any:
    """Limit elements to an interval; the result has the dtype of ``x`` whatever the dtypes of the limits are."""
    if (min is not None or max is not None) and _adapts(min, x.dtype) and _adapts(max, x.dtype):
        try:
            return x.clip(min, max, out)
        except OverflowError:  # a Python integer is out of the range of the dtype
            pass
    from array_api_compat.numpy import clip as clip_any  # type: ignore[attr-defined]

    result = clip_any(x, *[_in_range_of(limit, x.dtype) for limit in (min, max)])
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _in_range_of(limit: Any, dtype: np.dtype[Any]) -> Any:
    """Return a copy of a limit that is an array, because array-api-compat changes it; integers in the range of a dtype.

    It takes the bounds of that dtype for numbers of the limit's, which they may not be.
    """
    if isinstance(limit, complex):
        return np.asarray(limit, dtype)  # array-api-compat 1.14 takes a complex number for an array
    if not isinstance(limit, np.ndarray):
        return limit
    if dtype.kind not in "iu" or limit.dtype.kind not in "iu" or limit.dtype == dtype:
        return limit.copy()
    ours, theirs = np.iinfo(dtype), np.iinfo(limit.dtype)
    low, high = (ours if ours.min > theirs.min else theirs).min, (ours if ours.max < theirs.max else theirs).max
    return np.clip(limit, low, high).astype(dtype)


def _adapts(limit: Any, dtype: np.dtype[Any]) -> bool:
    """Tell whether a limit leaves a dtype as it is by NumPy's rules of promotion."""
    kind = type(limit)
    if kind is float:
        return dtype.kind == "f"
    if kind is int:
        return dtype.kind in "iuf"
    return limit is None or (kind is np.ndarray and limit.dtype == dtype)
