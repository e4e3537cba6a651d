"""The methods of NumPy's arrays that return the elements, or their bytes, in another dtype."""

from typing import Any, TypeVar

import numpy as np

from accel.dtypes import KNOWN, DTypeLike, as_dtype
from accel.xp import large_results
from accel.xp.array_base import ArrayBase, live, new_array
from accel.xp.calls import call_with, method
from accel.xp.host_access import on_host
from accel.xp.refusals import failure, refuse_complex
from accel.xp.shape_methods import Order, is_in_fortran_order

__all__ = ["astype", "view"]

_Array = TypeVar("_Array", bound=ArrayBase)


def astype(
    x: _Array,
    dtype: DTypeLike,
    order: Order = "K",
    casting: str = "unsafe",
    subok: bool = True,  # noqa: ARG001 - NumPy's
    copy: bool = True,
) -> _Array:
    """Cast the elements to a dtype.

    Parameters
    ----------
    dtype : dtype_like
        Type of the result's elements.
    order : {"K", "C", "F", "A"}
        The order of the result in memory: that of the library, C's, Fortran's, or Fortran's if the array is in it and
        else C's.
    casting : str
        The conversions that are allowed, as in `numpy.can_cast`.
    subok
        Of no effect.
    copy : bool
        True: always copy. False: return this array itself if it has the dtype and the order.
    """
    target, array, library = as_dtype(dtype), live(x), x._library
    if array.dtype.kind == "c":
        refuse_complex(array.dtype, target)
    if casting != "unsafe" and not np.can_cast(x.dtype, target, casting=casting):  # type: ignore[arg-type]
        raise TypeError(f"{x.dtype.name} is not cast to {target.name} with casting={casting!r}; write casting='unsafe'")
    if order == "A":
        order = "F" if is_in_fortran_order(x) else "C"
    if not copy and target == x.dtype and _is_in(x, order):
        return x
    if type(array) is not np.ndarray:
        if type(array) is library.based:
            try:
                result: Any = new_array(x, library.namespace.astype(array, target))
            except MemoryError as error:
                raise failure(error) from None
        else:
            result = call_with(x, "astype", target, copy=True)
        return result if _is_in(result, order) else result.copy(order)  # type: ignore[no-any-return]
    try:
        if order == "K" and array.size * target.itemsize < library.large:
            elements: Any = array.astype(target)
        else:
            elements = large_results.copied(library, array, target) if order == "K" else None
            elements = array.astype(target, order) if elements is None else elements
    except MemoryError as error:
        raise failure(error) from None
    return new_array(x, elements)  # type: ignore[no-any-return]


def _is_in(x: ArrayBase, order: Order) -> bool:
    return order == "K" or bool(x.flags.c_contiguous if order == "C" else x.flags.f_contiguous)


def view(x: _Array, dtype: DTypeLike | None = None) -> Any:
    """Return a view of the same memory, with another dtype or the same.

    Bytes without a meaning (void) and records have no place in an array: for these the view is an array of NumPy's.
    """
    if dtype is None:
        return x[...]
    return on_host(x, "NumPy").view(dtype) if _is_void(dtype) else method(x, "view", as_dtype(dtype))


def _is_void(dtype: Any) -> bool:
    try:
        named = np.dtype(dtype)
    except (TypeError, ValueError):
        return False
    return named.kind == "V" and named not in KNOWN
