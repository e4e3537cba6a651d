"""Functions that create arrays of a shape: with one value, or without values."""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.xp import large_results
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.arrays import Array
from accel.xp.natives import native
from accel.xp.operands import REFUSALS, array_of, new
from accel.xp.operators import Scalar
from accel.xp.placement import ArrayOrder, MemoryOrder, check_order, device_like, is_fortran
from accel.xp.refusals import failure, refuse_huge, refuse_lossy

__all__ = ["empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]

Shape = int | Sequence[int]

_DEFAULT_ITEMSIZE = 8


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array with uninitialised elements."""
    if order != "C" or like is not None:
        return _in_order(order, empty, shape, dtype=dtype, device=device, like=like)
    return _empty(library_on(device), shape, None if dtype is None else as_dtype(dtype))


def _empty(library: ArrayLibrary, shape: Shape, dtype: DType | None) -> Array:
    if library.empty_array is None:
        return _allocated(library, library.namespace.empty, shape, dtype)
    try:
        size = shape if type(shape) is int else prod(shape)  # type: ignore[arg-type]
        large = size * (_DEFAULT_ITEMSIZE if dtype is None else dtype.itemsize) >= library.large
    except TypeError:  # the library refuses it in its own words
        large = False
    try:
        result = large_results.empty(library, shape, dtype) if large else library.namespace.empty(shape, dtype=dtype)
    except REFUSALS as error:
        raise failure(error) from None
    array = Array()
    array._native, array._library, array._shared = result, library, None
    return array


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of zeros."""
    if order != "C" or like is not None:
        return _in_order(order, zeros, shape, dtype=dtype, device=device, like=like)
    library = library_on(device)
    return _allocated(library, library.namespace.zeros, shape, None if dtype is None else as_dtype(dtype))


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of ones."""
    if order != "C" or like is not None:
        return _in_order(order, ones, shape, dtype=dtype, device=device, like=like)
    library = library_on(device)
    return _allocated(library, library.namespace.ones, shape, None if dtype is None else as_dtype(dtype))


def _allocated(library: ArrayLibrary, function: Callable[..., Any], shape: Shape, dtype: DType | None) -> Array:
    """Call a function of the library that returns a new array of a shape."""
    try:
        result = function(shape, dtype=dtype)
    except REFUSALS as error:
        raise failure(error) from None
    array = Array()
    array._native, array._library, array._shared = result, library, None
    return array


def _in_order(order: str | None, function: Callable[..., Array], shape: Shape, *values: Any, **options: Any) -> Array:
    """Call a function that creates an array, for elements in an order, on a device or on that of ``like``."""
    options["device"] = device_like(options.pop("like"), options["device"])
    if is_fortran(order):
        extents = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        return function(extents[::-1], *values, **options).T
    return function(shape, *values, **options)


def full(
    shape: Shape,
    fill_value: Scalar,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of one value; its dtype is by default that of the value.

    Raises
    ------
    DTypeError
        If the value is of a higher kind than the dtype, such as 1.5 for integers.
    OverflowError
        If an integer is out of the range of the dtype.
    """
    if order != "C" or like is not None:
        return _in_order(order, full, shape, fill_value, dtype=dtype, device=device, like=like)
    library = library_on(device)
    value, target = fill_value, None if dtype is None else as_dtype(dtype)
    if target is not None or type(value) is not float:
        value = native(library, fill_value)
        if isinstance(fill_value, np.generic):
            value, target = fill_value.item(), fill_value.dtype if target is None else target
        if target is None:
            refuse_huge(value)
        elif target.kind != "b":
            refuse_lossy(library, target, value)
    try:
        return new(library, library.namespace.full(shape, value, dtype=target))
    except REFUSALS as error:
        raise failure(error) from None


def empty_like(
    x: Array,
    /,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return an array with the shape, dtype and device of another, and uninitialised elements."""
    library, extents, target = _like(x, dtype, device, order, shape)  # a call with * takes more time
    return _empty(library, extents, target)


def zeros_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return zeros with the shape, dtype and device of another array."""
    library, extents, target = _like(a, dtype, device, order, shape)
    return _allocated(library, library.namespace.zeros, extents, target)


def ones_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return ones with the shape, dtype and device of another array."""
    library, extents, target = _like(a, dtype, device, order, shape)
    return _allocated(library, library.namespace.ones, extents, target)


def full_like(
    a: Array,
    fill_value: Scalar,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return an array of one value, with the shape, dtype and device of another array."""
    library, extents, target = _like(a, dtype, device, order, shape)
    return full(extents, fill_value, target, device=library.device)


def _like(
    x: Any, dtype: DTypeLike | None, device: DeviceLike | None, order: str, shape: Shape | None
) -> tuple[ArrayLibrary, Shape, DType]:
    """Return library, shape and dtype of a new array: as requested, or as another array has them.

    The order in memory is that of the library.
    """
    if order != "K":
        check_order(order)
    x = x if type(x) is Array else array_of(x)
    library, like = x._library if device is None else library_on(device), x._native
    return library, like.shape if shape is None else shape, like.dtype if dtype is None else as_dtype(dtype)
