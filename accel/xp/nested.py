"""Nested lists of arrays on an accelerator, which become one array there."""

from typing import Any

from accel.device import Device
from accel.xp.array import Array, native_array, wrap
from accel.xp.array_library import ArrayLibrary

__all__ = ["stacked"]

_SEQUENCES = (list, tuple)
_MOST_AXES = 64


def stacked(values: Any) -> Array | None:
    """Return nested lists of arrays on an accelerator as one array there; None for other values.

    Only the first element is looked at, because a list of numbers may be long. Host arrays are left to NumPy.

    Raises
    ------
    ValueError
        If the arrays have different shapes.
    """
    first = values
    for _ in range(_MOST_AXES):
        if not (isinstance(first, _SEQUENCES) and first):
            break
        first = first[0]
    if first is values or type(first) is not Array or first.device is Device.CPU:
        return None
    return wrap(first._library, _native_stack(first._library, values))


def _native_stack(library: ArrayLibrary, values: Any) -> Any:
    if not isinstance(values, _SEQUENCES):
        return native_array(library, values)
    return library.namespace.stack([_native_stack(library, part) for part in values])
