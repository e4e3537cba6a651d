"""Functions that create arrays of a shape: with one value, or without values."""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.support.shared_sections import with_sections
from accel.xp import large_results
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.arrays import Array
from accel.xp.documentation.creation import OF_SHAPES
from accel.xp.natives import native
from accel.xp.operands import REFUSALS, new
from accel.xp.operators import Scalar
from accel.xp.placement import ArrayOrder, device_like, is_fortran
from accel.xp.refusals import failure, refuse_huge, refuse_lossy

__all__ = ["Shape", "allocated", "empty", "full", "ones", "uninitialized", "zeros"]

Shape: TypeAlias = int | Sequence[int]

_DEFAULT_ITEMSIZE = 8

_described = with_sections(OF_SHAPES)


@_described
def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array with uninitialised elements.

    Returns
    -------
    Array
        The array; read no element before it is written.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """
    if order != "C" or like is not None:
        return _in_order(order, empty, shape, dtype=dtype, device=device, like=like)
    return uninitialized(library_on(device), shape, None if dtype is None else as_dtype(dtype))


def uninitialized(library: ArrayLibrary, shape: Shape, dtype: DType | None) -> Array:
    """Return an array of a library with uninitialised elements."""
    if library.empty_array is None:
        return allocated(library, library.namespace.empty, shape, dtype)
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


@_described
def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of zeros.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.zeros((2, 2))
    Array([[0., 0.],
           [0., 0.]], dtype=float64, device=cpu)
    """
    if order != "C" or like is not None:
        return _in_order(order, zeros, shape, dtype=dtype, device=device, like=like)
    library = library_on(device)
    return allocated(library, library.namespace.zeros, shape, None if dtype is None else as_dtype(dtype))


@_described
def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return an array of ones.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.ones(3, dtype="int32")
    Array([1, 1, 1], dtype=int32, device=cpu)
    """
    if order != "C" or like is not None:
        return _in_order(order, ones, shape, dtype=dtype, device=device, like=like)
    library = library_on(device)
    return allocated(library, library.namespace.ones, shape, None if dtype is None else as_dtype(dtype))


def allocated(library: ArrayLibrary, function: Callable[..., Any], shape: Shape, dtype: DType | None) -> Array:
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


@_described
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

    Parameters
    ----------
    fill_value : scalar
        The value of all elements.
    dtype : dtype_like, optional
        The dtype of the elements; by default that of the value.

    Raises
    ------
    DTypeError
        If the value is of a higher kind than the dtype, such as 1.5 for integers.
    OverflowError
        If an integer is out of the range of the dtype.
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.full((2, 2), 7)
    Array([[7, 7],
           [7, 7]], dtype=int64, device=cpu)
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
