"""The methods of CuPy's ufuncs, with NumPy's results or a `CapabilityError`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from accel.errors import CapabilityError

__all__ = ["methods"]

_IN_ANY_ORDER = frozenset(
    {
        *("bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor"),
        *("fmax", "fmin", "gcd", "lcm", "maximum", "minimum"),
    }
)
"""The ufuncs whose results are the same bits in whatever order neighbours are combined."""


def methods(ufunc: Any) -> dict[str, Callable[..., Any]]:
    """Return ``accumulate``, ``at`` and ``reduceat`` of a ufunc of CuPy."""
    name = ufunc.__name__.removeprefix("cupy_")

    def accumulate(array: Any, axis: int = 0, dtype: Any = None) -> Any:
        of_truths = name.startswith("logical_")
        if name not in _IN_ANY_ORDER or (of_truths and dtype is not None):
            return _or_refused(ufunc.accumulate, name, array, axis, dtype)
        return _accumulated(ufunc, array, axis, np.dtype(bool) if of_truths else dtype)

    def reduceat(array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
        if dtype is not None:
            raise CapabilityError(f"CuPy's {name}.reduceat takes dtype=, and computes with another one")
        if array.dtype.kind in "fc":
            raise CapabilityError(f"CuPy's {name}.reduceat subtracts cumulative sums, which NaN spoils")
        _refuse_outside(indices, array.shape[axis])
        return _or_refused(ufunc.reduceat, name, array, indices, axis)

    def at(a: Any, indices: Any, *operands: Any) -> None:
        if a.dtype.kind == "f" and name in {"maximum", "minimum"}:
            raise CapabilityError(f"CuPy's {name}.at passes NaN over, and rounds to float32")
        for each in operands:
            if np.result_type(a.dtype, getattr(each, "dtype", each)) != a.dtype:
                raise CapabilityError(f"CuPy's {name}.at computes with {a.dtype.name} alone; convert the values first")
        _or_refused(ufunc.at, name, a, indices, *operands)

    return {"accumulate": accumulate, "at": at, "reduceat": reduceat}


def _accumulated(ufunc: Any, array: Any, axis: int, dtype: Any) -> Any:
    """Return the results up to each element: of 2 elements each, then of 4, and so on."""
    result = array.astype(dtype or array.dtype)
    along, step = result.swapaxes(0, axis), 1
    while step < len(along):
        along[step:] = ufunc(along[:-step], along[step:])
        step *= 2
    return result


def _refuse_outside(indices: Any, extent: int) -> None:
    """Refuse indices out of bounds, which CuPy would wrap."""
    places = np.asarray(indices) if isinstance(indices, list | tuple) else indices
    if bool(((places < 0) | (places >= extent)).any()):
        raise IndexError(f"an index is out of bounds: all are in [0, {extent})")


def _or_refused(method: Callable[..., Any], name: str, *arguments: Any) -> Any:
    try:
        return method(*arguments)
    except (NotImplementedError, TypeError) as error:
        raise CapabilityError(f"CuPy has no such {name}.{method.__name__}: {error}") from None
