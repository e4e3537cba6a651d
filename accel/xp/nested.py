"""Nested sequences of arrays, as `asarray` takes them."""

from collections.abc import Callable
from typing import Any

from accel.device import Device
from accel.xp.array_library import library_on
from accel.xp.arrays import Array, native, wrap

__all__ = ["device_of_first", "device_within", "stacked"]


def device_of_first(obj: Any) -> Device | None:
    """Return the device of the first element of nested sequences, if that is an array."""
    while isinstance(obj, list | tuple) and obj:
        obj = obj[0]
    return obj.device if isinstance(obj, Array) else None


def device_within(obj: Any) -> Device | None:
    """Return the device of the first array in nested sequences that is not on the host."""
    if isinstance(obj, list | tuple):
        return next(filter(None, map(device_within, obj)), None)
    return obj.device if isinstance(obj, Array) and obj.device is not Device.CPU else None


def stacked(parts: Any, device: Device, convert: Callable[..., Array]) -> Array:
    """Make one array of nested sequences of a device's arrays and of numbers.

    Parameters
    ----------
    parts : list, tuple, Array or number
        The elements.
    device : Device
        The device of the arrays.
    convert : callable
        Makes an array of what has no arrays in it, as `asarray` does.

    Raises
    ------
    ValueError
        If the shapes of the parts differ.
    DeviceMismatchError
        If an array is on another device.
    """
    if isinstance(parts, Array):
        return parts
    if not isinstance(parts, list | tuple):
        return convert(parts, device=device)
    arrays = [stacked(part, device, convert) for part in parts]
    if not arrays:
        return convert(parts, device=device)
    library = library_on(device)
    return wrap(library, library.namespace.stack([native(library, part) for part in arrays]))
