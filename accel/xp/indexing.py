"""Indices and assigned values of all kinds; `accel.xp.arrays` has the shortest way for basic indices on the host."""

from operator import getitem, setitem
from typing import Any, TypeVar

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.xp import array_storage, refusals
from accel.xp.array_base import ArrayBase, in_memory, live, new_array
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.natives import native

__all__ = ["apart", "assign", "assigned", "selected"]

_Array = TypeVar("_Array", bound=ArrayBase)

_SEQUENCES = frozenset({list, tuple, range})


def selected(x: _Array, key: Any) -> _Array:
    """Return the elements at any index."""
    library, array = x._library, in_memory(x)
    try:
        if type(key) is type(x) and key._library is library and library.within is None:
            index = live(key)
            if index.ndim:
                return new_array(x, array[index])  # type: ignore[no-any-return]
        key = _unwrapped(x, key)
        result = array[key] if library.within is None else library.compute(getitem, array, key)
    except (IndexError, MemoryError) as error:
        raise refusals.bad_selection(array, error) from None
    return x._wrap(library, result, x)  # type: ignore[no-any-return]


def assign(x: ArrayBase, key: Any, value: Any) -> None:
    """Set the elements at any index."""
    library, array = x._library, in_memory(x)
    values = _without_overlap(library, assigned(library, array.dtype, value), array)
    try:
        key = _unwrapped(x, key)
        if library.within is None:
            array[key] = values
        else:
            library.compute(setitem, array, key, values)
    except (IndexError, MemoryError, OverflowError, ValueError) as error:
        raise refusals.bad_assignment(library, array, error) from None


def assigned(library: ArrayLibrary, dtype: DType, value: Any) -> Any:
    """Return a value for elements of a dtype as the library takes it: a sequence of numbers becomes an array."""
    if type(value) not in _SEQUENCES:
        values = native(library, value)
    else:
        numbers = np.asarray(value)
        refusals.refuse_values(value, numbers.dtype)
        values = numbers if library.device is Device.CPU else library.as_array(numbers.tolist())
    refusals.refuse_lossy(library, dtype, values)
    return values


def apart(values: Any, array: Any, key: Any) -> Any:
    """Return values for a basic index of an array of NumPy, copied if NumPy may write some before it reads them.

    NumPy copies them itself, unless the target has one axis. Then it takes them from the first to the last or from the
    last to the first, which is right if they are as far apart as the elements of the target.
    """
    target = array[key]
    if type(target) is not np.ndarray or target.ndim != 1 or not values.ndim:
        return values
    if values.strides == target.strides and values.dtype == target.dtype:
        return values
    return values.copy() if np.may_share_memory(values, target) else values


def _without_overlap(library: ArrayLibrary, values: Any, target: Any) -> Any:
    """Return values, copied if they may overlap a target: NumPy may write some of them before it reads them."""
    if type(values) is library.array_type and values.ndim and array_storage.may_overlap(library, values, target):
        return library.namespace.asarray(values, copy=True)
    return values


def _unwrapped(x: ArrayBase, key: Any) -> Any:
    """Replace each array by the library's array in an index of an array; arrays of NumPy are copied to its device."""
    library = x._library
    if isinstance(key, ArrayBase):
        array = native(library, key)
        return array if array.ndim or type(array) is not np.ndarray else array[()]  # NumPy's own results are scalars
    if type(key) is tuple or type(key) is list:
        return type(key)([_unwrapped(x, part) for part in key])
    if isinstance(key, np.ndarray) and library.device is not Device.CPU:
        return x._wrap(library_on(Device.CPU), key).to_device(library.device)._native
    return key
