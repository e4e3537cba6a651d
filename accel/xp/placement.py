"""``order=`` and ``like=`` of functions that create arrays: where elements are in memory, and on which device."""

from typing import Literal, TypeAlias, get_args

from accel.device import DeviceLike
from accel.xp.arrays import Array

__all__ = ["ArrayOrder", "MemoryOrder", "check_order", "device_like", "is_fortran", "ordered"]

ArrayOrder: TypeAlias = Literal["C", "F"] | None
MemoryOrder: TypeAlias = Literal["C", "F", "A", "K"]
_ORDERS = get_args(MemoryOrder)


def check_order(order: str | None) -> None:
    """Refuse what is no order of the elements of an array that exists."""
    if order not in (None, *_ORDERS):
        raise ValueError(f"order={order!r} is no order of elements; write one of {_ORDERS}")


def is_fortran(order: str | None) -> bool:
    """Tell whether new elements are in Fortran's order."""
    if order not in (None, "C", "F"):
        raise ValueError(f"order={order!r} is no order of new elements; write 'C' or 'F'")
    return order == "F"


def ordered(x: Array, order: MemoryOrder | None, copy: bool | None) -> Array:
    """Return an array itself if its elements are in an order, else a copy."""
    check_order(order)
    result = x.astype(x.dtype, order or "K", copy=False)
    if copy is False and result is not x:
        raise ValueError(f"the elements get order={order!r} only by a copy; write copy=None")
    return result


def device_like(like: Array | None, device: DeviceLike | None) -> DeviceLike | None:
    """Return the device of a new array: that of ``like=`` if no device is requested."""
    if like is None or device is not None:
        return device
    if not isinstance(like, Array):
        raise TypeError(
            f"like= is an array of accel.xp, on whose device the new one is; found {type(like).__name__}: write "
            f"device='cpu'"
        )
    return like.device
