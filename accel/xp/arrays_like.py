"""Functions that create arrays of the shape, dtype and device of another: with one value, or without values."""

from typing import Any

from accel.device import DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.support.shared_sections import with_sections
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.arrays import Array
from accel.xp.documentation.creation import LIKE_OTHERS
from accel.xp.filled_arrays import Shape, allocated, full, uninitialized
from accel.xp.operands import array_of
from accel.xp.operators import Scalar
from accel.xp.placement import MemoryOrder, check_order

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]

_described = with_sections(LIKE_OTHERS)


@_described
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
    """Return an array with the shape, dtype and device of another, and uninitialised elements.

    Parameters
    ----------
    x : Array
        The array whose shape, dtype and device are taken.

    Returns
    -------
    Array
        The new array; read no element before it is written.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.empty_like(xp.zeros((2, 3), dtype="int8")).dtype
    dtype('int8')
    """
    library, extents, target = _like(x, dtype, device, order, shape)  # a call with * takes more time
    return uninitialized(library, extents, target)


@_described
def zeros_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return zeros with the shape, dtype and device of another array.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.zeros_like(xp.asarray([1, 2]))
    Array([0, 0], dtype=int64, device=cpu)
    """
    library, extents, target = _like(a, dtype, device, order, shape)
    return allocated(library, library.namespace.zeros, extents, target)


@_described
def ones_like(
    a: Array,
    dtype: DTypeLike | None = None,
    order: MemoryOrder = "K",
    subok: bool = True,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    shape: Shape | None = None,
    *,
    device: DeviceLike | None = None,
) -> Array:
    """Return ones with the shape, dtype and device of another array.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.ones_like(xp.asarray([1.5, 2.5]))
    Array([1., 1.], dtype=float64, device=cpu)
    """
    library, extents, target = _like(a, dtype, device, order, shape)
    return allocated(library, library.namespace.ones, extents, target)


@_described
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
    """Return an array of one value, with the shape, dtype and device of another array.

    Parameters
    ----------
    fill_value : scalar
        The value of all elements.

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
    >>> xp.full_like(xp.asarray([1, 2]), 7)
    Array([7, 7], dtype=int64, device=cpu)
    """
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
