"""`Array` as the chunks of a Dask array: the functions that Dask looks up by the type of a chunk."""

from collections.abc import Callable, Sequence
from importlib import import_module
from math import prod
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np

from accel.device import Device
from accel.xp.arrays import Array

__all__ = ["register"]

_Axes: TypeAlias = "int | Sequence[int]"


def register(dispatch: ModuleType) -> None:
    """Register the type of a chunk, and its functions."""
    import_module("dask.array.chunk_types").register_chunk_type(Array)
    for name, function in _LOOKUPS.items():
        getattr(dispatch, name).register(Array, function)
    import_module("dask.tokenize").normalize_token.register(Array, _token)


def _xp() -> Any:
    return import_module("accel.xp")


def _token(x: Array) -> tuple[object, ...]:
    """Return a name for the values of an array: made of the values on the host, and of a random number elsewhere.

    So nothing is copied to the host, and two Dask arrays of one array on a device have two names.
    """
    normalize = import_module("dask.tokenize").normalize_token
    if x.device is Device.CPU:
        return "accel.xp", normalize(np.asarray(x))
    return "accel.xp", str(x.device), uuid4().hex


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Array:
    return _xp().concat(list(arrays), axis=axis)  # type: ignore[no-any-return]


def _take(x: Array, indices: Any, axis: int | None = None) -> Array:
    if type(indices) is not Array:
        indices = _xp().asarray(indices, device=x.device)
    return _xp().take(x, indices, axis=axis)  # type: ignore[no-any-return]


def _tensordot(a: Array, b: Array, axes: "int | tuple[_Axes, _Axes]" = 2) -> Array:
    if not isinstance(axes, int):
        first, second = (tuple(np.atleast_1d(each).tolist()) for each in axes)
        axes = first, second
    return _xp().tensordot(a, b, axes=axes)  # type: ignore[no-any-return]


def _einsum(subscripts: str, *operands: Array, dtype: Any = None, **options: Any) -> Array:
    # `order` and `casting` say nothing about the values, and not every library has them.
    optimize = {"optimize": options["optimize"]} if options.get("optimize") else {}
    result: Array = _xp().einsum(subscripts, *operands, **optimize)
    return result if dtype is None else _xp().astype(result, dtype, copy=False)


def _divide(a: Any, b: Any, dtype: Any = None) -> Array:
    quotient: Array = _xp().divide(a, b)
    return quotient if dtype is None else _xp().astype(quotient, dtype, copy=False)


def _percentile(x: Array, q: Any, method: str = "linear") -> tuple[Array | None, int]:
    return (_xp().percentile(x, q, method=method) if len(x) else None), len(x)


def _numel(x: Array, axis: "_Axes | None" = None, keepdims: bool = False, dtype: Any = np.float64) -> Array:
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    reduced = {each % x.ndim for each in axes}
    count = prod(x.shape[each] for each in reduced)
    extents = (1 if at in reduced else extent for at, extent in enumerate(x.shape) if keepdims or at not in reduced)
    return _xp().full(tuple(extents), count, dtype=dtype, device=x.device)  # type: ignore[no-any-return]


def _nannumel(x: Array, **keywords: Any) -> Array:
    return _xp().sum(~_xp().isnan(x), **keywords)  # type: ignore[no-any-return]


def _to_numpy(x: Array, **_: Any) -> np.ndarray[Any, Any]:
    return np.asarray(x.to_device(Device.CPU))


def _empty(shape: tuple[int, ...], dtype: Any = None, **_: Any) -> Array:
    return _xp().empty(shape, dtype=dtype)  # type: ignore[no-any-return]


_LOOKUPS: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "concatenate_lookup": _concatenate,
        "divide_lookup": _divide,
        "einsum_lookup": _einsum,
        "empty_lookup": _empty,
        "nannumel_lookup": _nannumel,
        "numel_lookup": _numel,
        "percentile_lookup": _percentile,
        "take_lookup": _take,
        "tensordot_lookup": _tensordot,
        "to_numpy_dispatch": _to_numpy,
    }
)
