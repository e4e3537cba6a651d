"""Nested sequences of arrays, as `asarray` takes them."""

from collections.abc import Callable
from typing import Any

from accel.device import Device
from accel.xp.array_library import library_on
from accel.xp.arrays import Array, wrap
from accel.xp.natives import native

__all__ = ["device_of_first", "device_within", "first_element", "stacked"]

_MOST_AXES = 64
_SEQUENCES = (list, tuple)  # a union would be built anew at each call


def first_element(obj: Any) -> Any:
    """Return the first element of nested sequences; an object that is no sequence, or an empty one, is its own."""
    for _ in range(_MOST_AXES):  # a list may contain itself
        if not (isinstance(obj, _SEQUENCES) and obj):
            break
        obj = obj[0]
    return obj


def device_of_first(obj: Any) -> Device | None:
    """Return the device of the first element of nested sequences, if that is an array."""
    first = first_element(obj)
    return first.device if isinstance(first, Array) else None


def device_within(obj: Any, axes: int = _MOST_AXES) -> Device | None:
    """Return the device of the first array in nested sequences that is not on the host."""
    if isinstance(obj, list | tuple):
        return next(filter(None, (device_within(part, axes - 1) for part in obj)), None) if axes else None
    return obj.device if isinstance(obj, Array) and obj.device is not Device.CPU else None


def stacked(parts: Any, device: Device, convert: Callable[..., Array], axes: int = _MOST_AXES) -> Array:
    """Make one array of nested sequences of a device's arrays and of numbers.

    Parameters
    ----------
    parts : list, tuple, Array or number
        The elements.
    device : Device
        The device of the arrays.
    convert : callable
        Makes an array of what has no arrays in it, as `asarray` does.
    axes : int, default 64
        How deep the sequences may be nested.

    Raises
    ------
    ValueError
        If the shapes of the parts differ, or if the sequences are nested too deeply.
    DeviceMismatchError
        If an array is on another device.
    """
    if isinstance(parts, Array):
        return parts
    if not isinstance(parts, list | tuple):
        return convert(parts, device=device)
    if not axes:
        raise ValueError(
            f"nested sequences become an array of at most {_MOST_AXES} axes; these are deeper, or a list is "
            f"its own element; write xp.stack(arrays)"
        )
    arrays = [stacked(part, device, convert, axes - 1) for part in parts]
    if not arrays:
        return convert(parts, device=device)
    library = library_on(device)
    return wrap(library, library.namespace.stack([native(library, part) for part in arrays]))
