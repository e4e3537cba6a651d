"""Large results on the host: their memory is that of earlier arrays, where NumPy would take new memory."""

import sys
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from accel.dtypes import KNOWN, DType
from accel.xp import parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["Form", "are_operands", "broadcast", "copied", "dtype_of", "empty", "form_of", "memory_for"]

_Order = Literal["C", "F"]
Form = tuple[tuple[int, ...], DType, _Order]
"""Shape, dtype and order in memory."""
_DEFAULT = np.dtype(np.float64)
_NUMBERS = frozenset({bool, int, float, complex})

_dtypes: dict[tuple[object, ...], DType | None] = {}
"""The dtypes of results, by function and operands; None where the function decides."""


def copied(library: ArrayLibrary, array: Any, dtype: DType) -> Any:
    """Return a copy of an array, in the order that NumPy's ``astype`` gives it; None if NumPy should allocate it."""
    if array.size * dtype.itemsize < library.large:
        return None
    # An axis that repeats its elements is the last one for `astype`, and for functions stays where it is.
    order = None if 0 in array.strides else _order((array,), array.shape)
    out = None if order is None else library.empty_array(array.shape, dtype, order)
    if out is not None and not parts.copy(library, out, array):
        np.copyto(out, array, casting="unsafe")
    return out


def empty(library: ArrayLibrary, shape: Any, dtype: DType | None) -> Any:
    """Return an array with uninitialised elements."""
    extents = (shape,) if type(shape) is int else tuple(shape)
    if all(type(extent) is int and extent >= 0 for extent in extents):
        array = library.empty_array(extents, dtype or _DEFAULT, "C")
        if array is not None:
            return array
    return library.namespace.empty(shape, dtype=dtype)  # refuses a bad shape in its own words


def memory_for(function: Any, library: ArrayLibrary, operands: Sequence[Any]) -> Any:
    """Return an array for the result of an elementwise function of NumPy; None if NumPy should allocate it."""
    form = form_of(function, operands)
    return None if form is None else library.empty_array(*form)


def form_of(function: Any, operands: Sequence[Any]) -> Form | None:
    """Return the form that NumPy gives the result of an elementwise function; None if it is not known before."""
    if type(function) is not np.ufunc:
        return None
    if len(operands) == 2 and type(operands[0]) is type(operands[1]) is np.ndarray:
        one, other = operands
        # The most usual operands take half of the time here.
        if one.shape == other.shape and one.flags.c_contiguous and other.flags.c_contiguous:
            dtype = _dtypes.get((function, one.dtype, other.dtype))
            if dtype is not None:
                return one.shape, dtype, "C"
    return _form_of(function, operands)


def _form_of(function: Any, operands: Sequence[Any]) -> Form | None:
    arrays: list[Any] = []
    key: list[object] = [function]
    shape: tuple[int, ...] = ()
    same_shape = in_c_order = True
    for operand in operands:
        kind = type(operand)
        if kind is np.ndarray:
            key.append(operand.dtype)
            extents = operand.shape
            if extents:
                arrays.append(operand)
                shape = shape or extents
                same_shape = same_shape and extents == shape
                in_c_order = in_c_order and operand.flags.c_contiguous
        elif kind in _NUMBERS:
            key.append(kind)
        elif isinstance(operand, np.generic):
            key.append(operand.dtype)
        else:
            return None
    case = tuple(key)
    dtype = _dtypes[case] if case in _dtypes else _dtypes.setdefault(case, _dtype(function, key[1:]))
    if dtype is None or not arrays:
        return None
    if same_shape and in_c_order:
        return shape, dtype, "C"
    return _broadcast_form(dtype, arrays)


def broadcast(library: ArrayLibrary, dtype: DType, operands: Sequence[Any]) -> Any:
    """Return an array for an elementwise result of a dtype; None if NumPy should allocate it."""
    form = _broadcast_form(dtype, [each for each in operands if type(each) is np.ndarray and each.ndim])
    return None if form is None else library.empty_array(*form)


def _broadcast_form(dtype: DType, arrays: Sequence[Any]) -> Form | None:
    if dtype not in KNOWN or not arrays:
        return None
    try:
        shape = np.broadcast(*arrays).shape
    except ValueError:  # the function refuses them in its own words
        return None
    order = _order(arrays, shape)
    return None if order is None else (shape, dtype, order)


def are_operands(values: Sequence[Any]) -> bool:
    """Tell whether values are arrays, numbers and scalars of NumPy."""
    return all(type(each) in _NUMBERS or isinstance(each, np.ndarray | np.generic) for each in values)


def dtype_of(function: Any, operands: Sequence[Any]) -> DType | None:
    """Return the dtype of an elementwise ufunc's result; None if it is not one of arrays, or not one result."""
    kinds = [type(each) if type(each) in _NUMBERS else getattr(each, "dtype", None) for each in operands]
    return None if any(kind is None for kind in kinds) else _dtype(function, kinds)


def _dtype(function: Any, kinds: list[Any]) -> DType | None:
    """Return the dtype of an elementwise function's result; None if it is not one of arrays, or not one result."""
    if function.nin != len(kinds) or function.nout != 1:
        return None
    if function.signature is not None:  # an element of a product of matrices depends on several
        return None
    try:
        dtypes = function.resolve_dtypes((*[np.dtype(bool) if kind is bool else kind for kind in kinds], None))
    except (TypeError, ValueError):  # the function refuses them in its own words
        return None
    return dtypes[-1] if dtypes[-1] in KNOWN and dtypes[-1].isnative else None


def _order(arrays: Sequence[Any], shape: tuple[int, ...]) -> _Order | None:
    """Return the order in memory that NumPy gives a result of operands; None if it may be another."""
    if len(shape) == 1:
        return "C"
    if all(map(_is_like_c, arrays)):
        return "C"
    if all(each.flags.f_contiguous and each.shape == shape for each in arrays):
        return "F"
    return None


def _is_like_c(array: Any) -> bool:
    """Tell whether an array's last axis has the smallest steps, and each axis before it larger ones."""
    if array.flags.c_contiguous:
        return True
    larger = sys.maxsize
    for extent, stride in zip(array.shape, array.strides, strict=True):
        if stride and extent != 1:
            if abs(stride) > larger:
                return False
            larger = abs(stride)
    return True
