"""`ones`, `full` and `eye`: for few elements in half of the time of NumPy's functions, which run in Python."""

from typing import Any

import numpy as np

__all__ = ["eye", "full", "ones"]

_Array = np.ndarray[Any, np.dtype[Any]]
_NUMBERS = frozenset({bool, int, float, complex})


def ones(shape: Any, *, dtype: Any = None) -> _Array:
    """Return an array of ones."""
    array: _Array = np.empty(shape, dtype)
    array.fill(1)
    return array


def full(shape: Any, fill_value: Any, *, dtype: Any = None) -> _Array:
    """Return an array of one value."""
    if type(fill_value) not in _NUMBERS:
        return np.full(shape, fill_value, dtype)
    array: _Array = np.empty(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array.fill(fill_value)
    return array


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None) -> _Array:
    """Return a matrix with ones on its ``k``-th diagonal and zeros elsewhere."""
    columns = n_rows if n_cols is None else n_cols
    array: _Array = np.zeros((n_rows, columns), dtype)
    if k < columns:
        first = k if k >= 0 else -k * columns
        array.reshape(-1)[first : (columns - k) * columns : columns + 1] = 1
    return array
