"""Model functions: they say which shapes and dtypes a function of a library returns, by NumPy's function on zeros."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from accel.dtypes import DType
from accel.errors import FuseError
from accel.support.call_sites import call_site

__all__ = ["model_function"]

_BY_VALUES = frozenset(
    {"argwhere", "bincount", "compress", "extract", "flatnonzero", "intersect1d", "ndarray.compress", "ndarray.nonzero"}
    | {"nonzero", "real_if_close", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique", "unique_all"}
    | {"unique_counts", "unique_inverse", "unique_values"}
)
"""Functions whose results have a shape or a dtype that depends on elements."""

_STACKED = frozenset(
    {"linalg.det", "linalg.eig", "linalg.eigh", "linalg.eigvals", "linalg.eigvalsh", "linalg.matrix_power"}
    | {"linalg.pinv", "linalg.qr", "linalg.slogdet", "linalg.svd", "linalg.svdvals"}
)
"""Functions of matrices that take stacks of them: they say what they return for one by a stack of none."""

_COUNTED = frozenset(
    {"array_split", "delete", "dsplit", "hsplit", "insert", "ndarray.repeat", "pad", "repeat", "resize", "split"}
    | {"tile", "vsplit"}
)
"""Functions whose second argument decides the shape, so that it must be of numbers."""

_OF_AXES = frozenset(
    {"all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"}
)
"""Functions of elements along axes, which NumPy itself has as the standard has them."""

_FEW = 4
"""Elements along an axis that say what such a function returns; so many have a variance."""

_SMALL = 64
"""Elements of an array that is not made smaller."""

_SPECIAL_OF_AXES = frozenset({"special.log_softmax", "special.logsumexp", "special.multigammaln", "special.softmax"})


def model_function(name: str) -> Callable[..., Any]:
    """Return a function that returns arrays of the shapes and dtypes of a function's results.

    Raises
    ------
    FuseError
        If these depend on elements.
    """
    if name in _BY_VALUES:
        raise _by_values(name)
    if name.endswith(".at"):
        return lambda x, *_: x
    special = _SPECIAL.get(name)
    if special is not None:
        return special
    bare = name.removeprefix("ndarray.")
    if bare in _OF_AXES:
        return partial(_over_few, getattr(np if bare == name else np.ndarray, bare))
    function = _of_numpy(name)
    if name.startswith("special.") and name not in _SPECIAL_OF_AXES:
        return partial(_of_elements, function)
    if name in _COUNTED:
        return partial(_counted, function)
    return partial(_of_one, function) if name in _STACKED else function


def _by_values(what: str) -> FuseError:
    return FuseError(
        f"the result of {what} has a shape that depends on elements, which a fused function does not have while it is "
        f"traced, at {call_site()}; call it outside, or write xp.where(condition, x, y)"
    )


def _of_numpy(name: str) -> Callable[..., Any]:
    if name.startswith("special."):
        from scipy import special

        found: Callable[..., Any] = getattr(special, name.partition(".")[2])
        return found
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


def _over_few(function: Callable[..., Any], x: Any, *options: Any, **named: Any) -> Any:
    """Return a model of what a function of elements along axes returns, without its work."""
    known = {"axis", "correction", "ddof", "dtype", "keepdims"}
    correction = named.get("correction", named.get("ddof", 0))
    is_small = not isinstance(x, np.ndarray) or x.size < _SMALL
    if is_small or len(options) > 1 or not named.keys() <= known or correction >= _FEW:
        return function(x, *options, **named)
    axis = options[0] if options else named.get("axis")
    axes = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
    return function(x[tuple([slice(_FEW if each in axes else None) for each in range(x.ndim)])], *options, **named)


def _solve(x1: Any, x2: Any, *_: Any) -> Any:
    dtype = np.result_type(_inexact(x1.dtype), _inexact(x2.dtype))
    if x2.ndim == 1:
        return np.broadcast_to(np.zeros((), dtype), x1.shape[:-1])
    return np.broadcast_to(np.zeros((), dtype), (*np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), *x2.shape[-2:]))


def _of_one(function: Callable[..., Any], x: Any, *options: Any, **named: Any) -> Any:
    """Return a model of what a function of stacks of matrices returns, without its work."""
    found = function(np.broadcast_to(x, (0, *x.shape)), *options, **named)
    if isinstance(found, tuple):
        return type(found)(*[_without_stack(each) for each in found])
    return _without_stack(found)


def _without_stack(result: Any) -> Any:
    return np.broadcast_to(np.zeros((), result.dtype), result.shape[1:])


def _matmul(x1: Any, x2: Any, **options: Any) -> Any:
    if x1.ndim and x2.ndim and x1.shape[-1] == x2.shape[-2 if x2.ndim > 1 else 0]:
        x1, x2 = x1[..., :0], x2[..., :0, :] if x2.ndim > 1 else x2[:0]
    return np.matmul(x1, x2, **options)


def _average(a: Any, axis: Any = None, weights: Any = None, *options: Any, **named: Any) -> Any:
    return np.average(a, axis, None if weights is None else np.ones_like(weights), *options, **named)


def _of_elements(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Return a model of what an elementwise function returns, which is called for one element."""
    shape = np.broadcast_shapes(*map(np.shape, operands))
    found = function(*[x.dtype.type(0) if isinstance(x, np.ndarray) else x for x in operands], **options)
    if isinstance(found, tuple):
        return tuple([np.broadcast_to(each, shape) for each in found])
    return np.broadcast_to(found, shape)


def _counted(function: Callable[..., Any], x: Any, *options: Any, **named: Any) -> Any:
    if any(map(_holds_arrays, (*options[:1], *named.values()))):
        raise _by_values(f"{function.__name__} with an array of counts or places")
    return function(x, *options, **named)


def _holds_arrays(value: Any) -> bool:
    return any(map(_holds_arrays, value)) if isinstance(value, tuple | list) else isinstance(value, np.ndarray)


def _open_mesh(*sequences: Any) -> Any:
    if any(x.dtype.kind == "b" for x in sequences if isinstance(x, np.ndarray)):
        raise _by_values("ix_ with a mask")
    return np.ix_(*sequences)


def _written(x: Any, key: Any, value: Any) -> Any:
    np.broadcast_to(value, x[key].shape)
    return x


def _clip(x: Any, *limits: Any, **named: Any) -> Any:
    numbers = [each if type(each) in (int, float, complex) else None for each in limits]
    if x.dtype.kind in "iu" and numbers.count(None) < len(numbers):
        # These refuse what the dtype cannot hold; array-api-compat 1.14 takes a complex number for an array.
        numbers = [np.asarray(each, x.dtype) if type(each) is complex else each for each in numbers]
        _of_numpy("clip")(np.zeros((), x.dtype), *numbers)
    shapes = [np.shape(each) for each in (x, *limits, *named.values()) if each is not None]
    return np.broadcast_to(np.zeros((), x.dtype), np.broadcast_shapes(*shapes))


def _counts(_: Any, weights: Any, minlength: int) -> Any:
    return np.zeros(minlength, np.intp if weights is None else np.float64)


_SPECIAL: dict[str, Callable[..., Any]] = {
    "average": _average,
    "bincount of bounded integers": _counts,
    "clip": _clip,
    "cumulative_prod": np.cumulative_prod,
    "cumulative_sum": np.cumulative_sum,
    "getitem": operator.getitem,
    "ix_": _open_mesh,
    "setitem": _written,
    "with_part": lambda x, *_: x,
    "linalg.cholesky": _like_first,
    "linalg.inv": _like_first,
    "linalg.solve": _solve,
    "linalg.matmul": _matmul,
    "matmul": _matmul,
}
