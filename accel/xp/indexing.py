"""Indices and assigned values of all kinds; `accel.xp.elements` has the shortest way for basic indices on the host."""

from operator import getitem, setitem
from typing import Any, TypeVar

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.xp import array_storage, large_masks, large_selections, refusals
from accel.xp.array_base import ArrayBase, in_memory, new_array
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.natives import native
from accel.xp.refusals import LOSSLESS

__all__ = ["apart", "assign", "assigned", "native_key", "selected", "without_overlap"]

_Array = TypeVar("_Array", bound=ArrayBase)

_NDARRAY = np.ndarray  # one look-up less
_SEQUENCES = frozenset({list, tuple, range})
_PLAIN = frozenset({bool, int, slice, type(None), type(...)})
"""The types of parts of an index that have no arrays in them."""


def selected(x: _Array, key: Any) -> _Array:
    """Return the elements at any index."""
    library, array = x._library, x._native
    if type(array) is not library.array_type:
        array = in_memory(x)
    try:
        if type(key) is not type(x) or key._library is not library or key._shared is not None or not key._native.ndim:
            key = native_key(x, key)
        else:
            key = key._native
        if library.within is not None:
            return x._wrap(library, library.compute(getitem, array, key), x)  # type: ignore[no-any-return]
        if array.nbytes >= library.large or (type(key) is _NDARRAY and key.nbytes >= library.large):
            result = large_selections.selected(library, array, key)
            if result is not None:
                return new_array(x, result)  # type: ignore[no-any-return]
        result = array[key]
    except (IndexError, MemoryError) as error:
        raise refusals.bad_selection(array, error) from None
    if type(result) is _NDARRAY and result.base is None:
        selection = type(x)()
        selection._native, selection._library, selection._shared = result, library, None
        return selection
    return x._wrap(library, result, x)  # type: ignore[no-any-return]


def assign(x: ArrayBase, key: Any, value: Any, *, basic: bool = False) -> None:
    """Set the elements at any index; a ``basic`` one has no arrays in it."""
    library, array = x._library, x._native
    if type(array) is not library.array_type:
        array = in_memory(x)
    kind = type(value)
    if kind in LOSSLESS and array.dtype.kind in LOSSLESS[kind]:
        values = value
    elif (
        kind is type(x)
        and value._library is library
        and value._native.dtype is array.dtype
        and (value._shared is None or value._shared.handle is None)
    ):
        values = without_overlap(library, value._native, array)
    else:
        values = without_overlap(library, assigned(library, array.dtype, value), array)
    try:
        if not basic:
            key = native_key(x, key)
        if library.within is None:
            target = array
            if type(key) is _NDARRAY and array.nbytes >= library.large and key.dtype == bool:
                target, key = large_masks.assigned_at(library, array, key, values)
            target[key] = values
        else:
            if library.backend.is_readonly(array):  # CuPy writes to all arrays
                refusals.refuse_read_only(library, array)
            library.compute(setitem, array, key, values)
    except (IndexError, MemoryError, OverflowError, ValueError) as error:
        raise refusals.bad_assignment(library, array, error) from None


def assigned(library: ArrayLibrary, dtype: DType, value: Any) -> Any:
    """Return a value for elements of a dtype as the library takes it: a sequence of numbers becomes an array."""
    if type(value) not in _SEQUENCES:
        values = native(library, value)
        if type(values) is library.array_type and values.dtype is dtype:
            return values
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
    if type(values) is not np.ndarray or not values.ndim:
        return values
    try:
        target = array[key]
    except IndexError:  # the assignment reports it
        return values
    if type(target) is not np.ndarray or target.ndim != 1:
        return values
    if values.strides == target.strides and values.dtype == target.dtype:
        return values
    return values.copy() if np.may_share_memory(values, target) else values


def without_overlap(library: ArrayLibrary, values: Any, target: Any) -> Any:
    """Return values, copied if they may overlap a target: NumPy may write some of them before it reads them."""
    if type(values) is library.array_type and values.ndim and array_storage.may_overlap(library, values, target):
        return library.namespace.asarray(values, copy=True)
    return values


def native_key(x: ArrayBase, key: Any) -> Any:
    """Replace each array by the library's array in an index of an array; arrays of NumPy are copied to its device."""
    kind = type(key)
    if kind is type(x):
        index = key._native if key._shared is None and key._library is x._library else native(x._library, key)
        return index if index.ndim or type(index) is not np.ndarray else index[()]  # NumPy's own results are scalars
    if kind is tuple:
        return tuple([part if type(part) in _PLAIN else native_key(x, part) for part in key])
    if kind is list:
        return key if _PLAIN.issuperset(map(type, key)) else [native_key(x, part) for part in key]
    if isinstance(key, np.ndarray) and x._library.device is not Device.CPU and x._library.capture is None:
        return x._wrap(library_on(Device.CPU), key).to_device(x._library.device)._native
    return key
