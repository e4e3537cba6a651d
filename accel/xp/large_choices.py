"""`where` of large arrays on the host, in memory of earlier arrays; threads share it.

NumPy branches at each element, and the processor mispredicts where the condition changes. Here bits are selected:
those of ``x2 ^ (x1 ^ x2) * condition`` are those of ``x1`` or ``x2``.
"""

from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.xp import large_masks, large_results, parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["chosen"]

_PART = 1 << 15
"""Elements of a part: they stay in the caches between the functions."""

_WIDE = 4
"""Bytes of the smallest elements of which NumPy selects faster where the condition changes seldom."""

_WIDEST = 8
"""Bytes of the largest integer."""


def chosen(function: Any, library: ArrayLibrary, condition: Any, x1: Any, x2: Any) -> Any:
    """Return the elements of one array where a condition is true, else those of the other; None if NumPy should.

    The function is NumPy's.
    """
    if type(condition) is not np.ndarray or condition.dtype != bool or not large_results.are_operands((x1, x2)):
        return None
    shared = parts.are_shared(1, (condition, x1, x2))
    dtype = _dtype(condition, x1, x2, shared) if shared or large_masks.is_large(library, condition) else None
    out = None if dtype is None else large_results.broadcast(library, dtype, (condition, x1, x2))
    if out is None:
        return None
    operands = out, condition, _operand(function, x1, out.dtype), _operand(function, x2, out.dtype)
    cut = parts.cut(operands, max(out.size // _PART, 1))
    if cut is None:
        _select(function, *operands)
    else:
        count, part = cut
        work = parts.SHARED if shared else 0
        parts.run_all(lambda number: _select(function, *part(number)), "where", library, work, count)
    return out


def _dtype(condition: Any, x1: Any, x2: Any, shared: bool) -> DType | None:
    """Return the dtype of the result; None if NumPy should select."""
    try:
        dtype = np.result_type(x1, x2)
    except TypeError:  # the function refuses them in its own words
        return None
    if shared or dtype.itemsize < _WIDE:
        return dtype
    return dtype if dtype.itemsize <= _WIDEST and large_masks.has_short_runs(condition) else None


def _operand(function: Any, value: Any, dtype: DType) -> Any:
    """Return an operand as an array; NumPy takes a number for an element of its usual dtypes, and casts that."""
    if isinstance(value, np.ndarray):
        return value
    function(True, value, np.zeros((), dtype))  # from NumPy 2.5 on it refuses an integer that the dtype cannot hold
    return np.asarray(value).astype(dtype)


def _select(function: Any, out: Any, condition: Any, x1: Any, x2: Any) -> None:
    if out.itemsize > _WIDEST or condition.view(np.uint8).max() > 1:  # in a view, other numbers are true too
        out[...] = function(condition, x1, x2)
        return
    bits, one, other = (each.astype(out.dtype, copy=False).view(f"u{out.itemsize}") for each in (out, x1, x2))
    np.bitwise_xor(one, other, bits)
    np.multiply(bits, condition, bits)
    np.bitwise_xor(bits, other, bits)
