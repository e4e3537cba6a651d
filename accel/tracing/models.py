"""Model functions: they say which shapes and dtypes a function of a library returns, by NumPy's function on zeros."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.errors import FuseError

__all__ = ["model_function"]

_BY_VALUES = frozenset(
    {"argwhere", "bincount", "extract", "flatnonzero", "nonzero", "ndarray.nonzero", "unique", "unique_all"}
    | {"unique_counts", "unique_inverse", "unique_values", "compress", "ndarray.compress"}
)


def model_function(name: str) -> Callable[..., Any]:
    """Return a function that returns arrays of the shapes and dtypes of a function's results.

    Raises
    ------
    FuseError
        If these depend on elements.
    """
    if name in _BY_VALUES:
        raise FuseError(
            f"the shape of the result of {name} depends on elements, which a fused function does not have while it is "
            f"traced; call it outside, or write xp.where(condition, x, y)"
        )
    special = _SPECIAL.get(name)
    return special if special is not None else _of_numpy(name)


def _of_numpy(name: str) -> Callable[..., Any]:
    from array_api_compat import numpy as compatible

    if name.startswith("ndarray."):
        method: Callable[..., Any] = getattr(np.ndarray, name.partition(".")[2])
        return method
    value: Any = compatible
    for part in name.split("."):
        value = getattr(value, part)
    return value  # type: ignore[no-any-return]


def _like_first(x: Any, *_: Any, **__: Any) -> Any:
    """Return a model of a result with the shape and the dtype of inexact numbers of the first operand."""
    return np.broadcast_to(
        np.zeros((), np.result_type(x.dtype, np.float32 if x.dtype.kind in "fc" else float)), x.shape
    )


def _inexact(dtype: DType) -> DType:
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _solve(x1: Any, x2: Any, *_: Any) -> Any:
    dtype = np.result_type(_inexact(x1.dtype), _inexact(x2.dtype))
    if x2.ndim == 1:
        return np.broadcast_to(np.zeros((), dtype), x1.shape[:-1])
    return np.broadcast_to(np.zeros((), dtype), (*np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), *x2.shape[-2:]))


def _written(x: Any, key: Any, value: Any) -> Any:
    np.broadcast_to(value, x[key].shape)
    return x


def _clip(x: Any, *limits: Any, **named: Any) -> Any:
    shapes = [np.shape(each) for each in (x, *limits, *named.values()) if each is not None]
    return np.broadcast_to(np.zeros((), x.dtype), np.broadcast_shapes(*shapes))


_SPECIAL: dict[str, Callable[..., Any]] = {
    "clip": _clip,
    "getitem": operator.getitem,
    "setitem": _written,
    "with_part": lambda x, *_: x,
    "linalg.cholesky": _like_first,
    "linalg.inv": _like_first,
    "linalg.solve": _solve,
}
