"""Copies of strided arrays by NumPy, with or without a cast."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise, starmap
from typing import Any

import numpy as np

from accel.dtypes import DType

from .workers import WORKERS

__all__ = ["Array", "Bytes", "cast", "item_type", "shared"]

Array = np.ndarray[Any, np.dtype[Any]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

# NumPy copies void items more slowly than numbers of the same size.
_TYPES = {size: np.dtype(name) for size, name in ((1, "u1"), (2, "u2"), (4, "u4"), (8, "u8"), (16, "c16"))}


@lru_cache(64)
def item_type(itemsize: int) -> DType:
    """Return the dtype by which NumPy copies items of ``itemsize`` bytes fastest, without changing them."""
    return _TYPES.get(itemsize) or np.dtype(f"V{itemsize}")


def cast(into: Array, out_of: Array) -> None:
    """Copy between arrays of one shape, cast as by `numpy.ndarray.astype`, without warnings about lost values."""
    if into.dtype == out_of.dtype:
        np.copyto(into, out_of)
        return
    if out_of.dtype.kind == "c" and into.dtype.kind not in "cb":
        out_of = out_of.real
    with np.errstate(all="ignore"):
        np.copyto(into, out_of, casting="unsafe")


def shared(function: Callable[..., object], *arrays: Array) -> None:
    """Call a function on arrays of one shape, in parts along their longest axis, shared among the workers."""
    shape = arrays[0].shape
    axis = max(range(len(shape)), key=shape.__getitem__, default=None)
    if axis is None:
        function(*arrays)
        return
    first = [array.swapaxes(0, axis) for array in arrays]

    def cut(places: Sequence[int]) -> Iterable[tuple[Array, ...]]:
        return zip(*[map(array.__getitem__, starmap(slice, pairwise(places))) for array in first], strict=True)

    WORKERS.share(function, shape[axis], arrays[0].nbytes, cut=cut)
