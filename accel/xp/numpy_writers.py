"""NumPy's functions that write to their first argument, for arrays of a device.

All that may fail comes before the write. Values that would lose something are refused, as by an assignment;
`numpy.copyto` casts as its ``casting`` says.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from accel.errors import BoundsError, DTypeError, LayoutError
from accel.xp.array_base import ArrayBase, is_number, live
from accel.xp.flat_elements import FlatElements, put
from accel.xp.refusals import refuse_read_only

__all__ = ["WRITERS"]

_NUMBERS = (bool, int, float, complex, np.generic)


def _target(x: Any) -> Any:
    """Return what is written to, if that is an array that can be."""
    if not isinstance(x, ArrayBase):
        raise TypeError(f"the first argument is written to, and is an array; found {type(x).__name__}")
    refuse_read_only(x._library, live(x, writing=True))
    return x


def _there(x: Any, values: Any) -> Any:
    """Return values as an array on the device of another one: copied there if they are of Python, or a number."""
    if isinstance(values, ArrayBase) and not is_number(values):
        if values._library is not x._library:
            x._library.refuse(values._library)
        return values
    return x.__array_namespace__().asarray(values, device=x.device)


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    target = _target(dst)
    values = _cast(src if isinstance(src, _NUMBERS) else _there(target, src), target, casting)
    if where is not True:
        mask = _there(target, bool(where) if isinstance(where, _NUMBERS) else where)
        if mask.dtype.kind != "b":
            raise DTypeError(f"where= is an array of truth values; found {mask.dtype.name}: write where=mask != 0")
        if np.broadcast_shapes(mask.shape, target.shape) != target.shape:
            raise LayoutError(f"where= has shape {mask.shape}, and elements of shape {target.shape} are written")
        values = target.__array_namespace__().where(mask, values, target)
    target[...] = values


def _cast(values: Any, target: Any, casting: Any) -> Any:
    """Return values with the dtype of an array; NumPy tells with one element whether it casts them."""
    element = np.empty((), target.dtype)
    if isinstance(values, _NUMBERS):
        np.copyto(element, values, casting)
        return element
    np.copyto(element, np.zeros((), values.dtype), casting)
    return values.astype(target.dtype, copy=False)


def _place(arr: Any, mask: Any, vals: Any) -> None:
    target = _target(arr)
    places, values = _places(target, mask, "place"), _there(target, vals)
    if not places.size:
        return
    if not values.size:
        raise ValueError("there are no values to place; write numpy.place(x, mask, values) with one or more")
    put(target, places, values)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    target = _target(a)
    places, numbers = _places(target, mask, "putmask"), _there(target, values).reshape(-1)
    if places.size and numbers.size:
        put(target, places, numbers[places % numbers.size])


def _places(x: Any, mask: Any, what: str) -> Any:
    """Return the places in the flat array where a mask is true."""
    chosen = _there(x, mask)
    if chosen.size != x.size:
        raise LayoutError(f"{what}: the mask has shape {chosen.shape}, and the array {x.shape}; write mask of its size")
    return chosen.reshape(-1).nonzero()[0]


def _fill_diagonal(a: Any, val: Any, wrap: Any = False) -> None:
    target = _target(a)
    shape = target.shape
    if len(shape) < 2:
        raise LayoutError(f"a diagonal is of two axes or more, and this array has shape {shape}")
    end = None
    if len(shape) == 2:
        step = shape[1] + 1
        if not wrap:  # tall matrices have no second diagonal
            end = shape[1] * shape[1]
    else:
        if len(set(shape)) != 1:
            raise LayoutError(f"a diagonal of more than two axes has axes of one length, and this array has {shape}")
        step = 1 + sum(shape[0] ** axis for axis in range(1, len(shape)))
    FlatElements(target)[:end:step] = val


def _put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    target = _target(a)
    put(target, _there(target, ind), v, mode)


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    target, places = _target(arr), _there(arr, indices)
    if places.dtype.kind not in "iu":
        raise BoundsError(f"indices are integers; found {places.dtype.name}: write xp.astype(indices, 'int64')")
    axes = 1 if axis is None else target.ndim
    if places.ndim != axes:
        raise LayoutError(f"indices of {axes} axes are needed along axis={axis}; found shape {places.shape}")
    if axis is None:
        FlatElements(target)[places] = values
        return
    key = [_numbered(target, each) for each in range(target.ndim)]
    key[range(target.ndim)[axis]] = places
    target[tuple(key)] = values


def _numbered(x: Any, axis: int) -> Any:
    """Return the indices along an axis, in a shape that broadcasts with the array."""
    shape = [1] * x.ndim
    shape[axis] = -1
    return x.__array_namespace__().arange(x.shape[axis], device=x.device).reshape(shape)


WRITERS: Mapping[object, Callable[..., None]] = MappingProxyType(
    {
        np.copyto: _copyto,
        np.fill_diagonal: _fill_diagonal,
        np.place: _place,
        np.put: _put,
        np.put_along_axis: _put_along_axis,
        np.putmask: _putmask,
    }
)
"""The functions by those of NumPy."""
