"""The methods of NumPy's arrays that return the same elements in another shape."""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from accel.xp import array_storage
from accel.xp.array_base import ArrayBase, live, new_array, shared_of, view_of
from accel.xp.calls import method
from accel.xp.refusals import refuse_extents

__all__ = [
    "Axis",
    "Order",
    "array_like",
    "flatten",
    "is_in_c_order",
    "is_in_fortran_order",
    "ravel",
    "reshape",
    "set_shape",
    "transpose",
]

_Array = TypeVar("_Array", bound=ArrayBase)

Axis: TypeAlias = int | tuple[int, ...] | None
Order: TypeAlias = Literal["C", "F", "A", "K"]


def flatten(x: _Array, order: Order = "C") -> _Array:
    """Return a copy of the elements as one axis."""
    array = live(x)
    if type(array) is np.ndarray and array.nbytes < x._library.large:
        return new_array(x, array.flatten(order))  # type: ignore[no-any-return]
    flat = ravel(x, order)
    return flat if flat._shared is None else flat.__copy__()  # a view shares its record


def ravel(x: _Array, order: Order = "C") -> _Array:
    """Return the elements as one axis: a view if possible."""
    if order == "K":
        return reshape(transpose(x, *_axes_in_memory(x)), -1)
    return reshape(x, -1, order=order)


def _axes_in_memory(x: ArrayBase) -> list[int]:
    """Return the axes in the order of their strides, the largest first."""
    return sorted(range(x.ndim), key=lambda axis: -abs(x._native.strides[axis]))


def reshape(
    x: _Array, *shape: SupportsIndex | Sequence[SupportsIndex], order: Order = "C", copy: bool | None = None
) -> _Array:
    """Return the elements in another shape: ``x.reshape(2, -1)`` or ``x.reshape((2, -1))``."""
    shared, array = x._shared, x._native
    if (
        shared is not None
        and (handle := shared.handle) is not None
        and ((owner := handle._owner) is None or owner.hazard_record.hazards is not None)
    ):
        live(x)
    extents: Any = shape[0] if len(shape) == 1 else shape
    # What most programs do is written out here, which saves calls.
    if order == "C" and copy is None and type(array) is x._library.based and array.flags.c_contiguous:
        result = array.reshape(extents)
        if extents not in (-1, result.shape):
            refuse_extents(extents)
        view = type(x)()
        view._native, view._library, view._shared = result, x._library, shared or shared_of(x)
        return view
    if order == "F" or (order == "A" and is_in_fortran_order(x)):
        reverse = extents[::-1] if isinstance(extents, Sequence) else extents
        return transpose(_reshaped(transpose(x), reverse, copy))
    return _reshaped(x, extents, copy)


def is_in_fortran_order(x: ArrayBase) -> bool:
    """Tell whether the elements are contiguous in Fortran's order, and not in C's."""
    return is_in_c_order(transpose(x)) and not is_in_c_order(x)


def _reshaped(x: _Array, shape: Any, copy: bool | None) -> _Array:
    """Return the elements, in C order, in another shape: a view if possible and ``copy`` allows it."""
    refuse_extents(shape)
    array = live(x)
    if type(array) is not np.ndarray:
        return array_like(x, x._library.namespace.reshape(array, shape, copy=copy))
    if copy is None:
        try:
            return array_like(x, array.reshape(shape, copy=False))
        except ValueError:  # a copy is needed, or the sizes differ, which `reshape` reports
            from accel import copies

            # The copy has its own memory: as a view it would share the storage of ``x``.
            return array_like(x, copies.in_c_order(array).reshape(shape))
    return array_like(x, array.reshape(shape, copy=copy))


def set_shape(x: ArrayBase, shape: Any) -> None:
    """Give an array another shape, as ``x.shape = 2, -1``; other arrays on its memory keep theirs.

    Raises
    ------
    AttributeError
        If only a copy can have the shape.
    """
    refuse_extents(shape)
    array = live(x)
    namespace = x._library.namespace
    view = namespace.reshape(array, shape)
    if x.size and not array_storage.same_memory(x._library, view, array):
        raise AttributeError(
            f"shape {shape} needs a copy: the elements, of shape {x.shape}, have strides {array.strides}; write "
            f"x = x.reshape({shape})",
            name="shape",
            obj=x,
        )
    x._native = view


def array_like(x: _Array, result: Any) -> _Array:
    """Return the library's result as an array of ours; a view shares the storage of ``x``."""
    return x._wrap(x._library, result, x)  # type: ignore[no-any-return]


def transpose(x: _Array, *axes: int | Sequence[int] | None) -> _Array:
    """Return a view with the axes in another order, by default in reverse order."""
    array = live(x)
    return view_of(x, array.transpose(*axes)) if type(array) is x._library.based else method(x, "transpose", *axes)  # type: ignore[no-any-return]


def is_in_c_order(x: ArrayBase) -> bool:
    """Tell whether elements are contiguous in C order."""
    step = x.dtype.itemsize
    for extent, stride in zip(reversed(x.shape), reversed(x._native.strides), strict=True):
        if extent != 1 and stride != step and x.size:
            return False
        step *= extent
    return True
