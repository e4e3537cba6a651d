"""NumPy's copies of what strides describe, with or without a cast."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from accel.dtypes import DType

from .workers import WORKERS

__all__ = ["Array", "Bytes", "cast", "item_type", "shared"]

Array = np.ndarray[Any, np.dtype[Any]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

# NumPy is slow to copy what it does not know to be numbers.
_TYPES = {size: np.dtype(name) for size, name in ((1, "u1"), (2, "u2"), (4, "u4"), (8, "u8"), (16, "c16"))}


@lru_cache(64)
def item_type(itemsize: int) -> DType:
    """Return a dtype whose elements NumPy copies as so many bytes."""
    return _TYPES.get(itemsize) or np.dtype(f"V{itemsize}")


def cast(into: Array, out_of: Array) -> None:
    """Copy between arrays of one shape, as `numpy.ndarray.astype` casts; what a cast loses is lost in silence."""
    if into.dtype == out_of.dtype:
        np.copyto(into, out_of)
        return
    if out_of.dtype.kind == "c" and into.dtype.kind not in "cb":
        out_of = out_of.real
    with np.errstate(all="ignore"):
        np.copyto(into, out_of, casting="unsafe")


def shared(function: Callable[..., object], *arrays: Array) -> None:
    """Call a function on arrays of one shape, part by part along their longest axis, by all workers."""
    shape = arrays[0].shape
    axis = max(range(len(shape)), key=shape.__getitem__, default=None)
    if axis is None:
        function(*arrays)
        return
    ahead = (slice(None),) * axis
    WORKERS.share(
        lambda low, high: function(*[array[(*ahead, slice(low, high))] for array in arrays]),
        shape[axis],
        arrays[0].nbytes,
    )
