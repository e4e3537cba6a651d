"""The functions with which NumPy reduces arrays, called without its methods, which are functions of Python."""

from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["REDUCTIONS", "UFUNCS"]

UFUNCS: dict[str, Any] = {
    "sum": np.add,
    "mean": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "any": np.logical_or,
    "all": np.logical_and,
}
"""By method, what it reduces with."""

_FLOAT64 = np.dtype(np.float64)


def _mean(array: Any, *, axis: Any, dtype: Any, keepdims: bool) -> Any:
    """Return the mean; of all elements with NumPy's steps, in half of its time if they are few."""
    if axis is not None or dtype is not None or array.dtype is not _FLOAT64 or not array.size:
        return array.mean(axis=axis, dtype=dtype, keepdims=keepdims)
    return UFUNCS["mean"].reduce(array, axis=None, keepdims=keepdims) / array.size


REDUCTIONS = SimpleNamespace(**{name: ufunc.reduce for name, ufunc in UFUNCS.items()} | {"mean": _mean})
"""The functions by name; they take ``axis``, ``keepdims`` and, where the method does, ``dtype``."""
