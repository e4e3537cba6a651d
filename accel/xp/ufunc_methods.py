"""The methods ``accumulate``, ``reduce``, ``reduceat`` and ``at`` of NumPy's ufuncs, with arrays of a device.

The ufunc of that name in the library of the device computes; NotImplemented if it cannot.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from accel.errors import CapabilityError
from accel.xp.array_base import ArrayBase, live
from accel.xp.calls import assign_out, call, member
from accel.xp.indexing import native_key, without_overlap
from accel.xp.natives import native
from accel.xp.refusals import bad_selection, refuse_read_only

__all__ = ["along_axis", "has_host_arrays", "update_at"]


def along_axis(function: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Compute the ``accumulate``, ``reduce`` or ``reduceat`` of a ufunc on the device of its first operand."""
    options = {name: value for name, value in keywords.items() if value is not None or name == "axis"}
    (target,) = options.pop("out", (None,))
    operands = (*inputs, *options.values())
    if not _is_there(inputs[0]) or not isinstance(target, ArrayBase | None) or has_host_arrays(operands):
        return NotImplemented
    try:
        result = call(inputs[0]._library, f"{function.__name__}.{method}", inputs, options)
    except CapabilityError:
        return NotImplemented
    except TypeError:
        if target is None:
            raise
        return NotImplemented  # NumPy would compute in the dtype of ``out=``
    if target is None:
        return result
    return assign_out(target, result) if result.dtype == target.dtype else NotImplemented


def update_at(function: np.ufunc, inputs: tuple[Any, ...]) -> Any:
    """Compute the ``at`` of a ufunc, which changes its first operand, on the device of that."""
    target, key, *others = inputs
    if not _is_there(target) or has_host_arrays(others):
        return NotImplemented
    library = target._library
    array = live(target, writing=True)
    refuse_read_only(library, array)
    operands = [without_overlap(library, _operand(target, each), array) for each in others]
    try:
        places = native_key(target, key)
        if type(places) is not tuple:
            places = (places,)
        places = tuple([without_overlap(library, each, array) for each in places])
        member(library, f"{function.__name__}.at")(array, places, *operands)
    except CapabilityError:
        return NotImplemented
    except (IndexError, MemoryError) as error:
        raise bad_selection(array, error) from None
    return None


def _is_there(x: Any) -> bool:
    return isinstance(x, ArrayBase) and x._library.of_numpy is None


def _operand(x: ArrayBase, value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = x.__array_namespace__().asarray(value, device=x.device)
    return native(x._library, value)


def has_host_arrays(values: Iterable[Any]) -> bool:
    """Tell whether arrays of NumPy are among values, or inside of lists and tuples."""
    return any(
        isinstance(each, np.ndarray) or (isinstance(each, list | tuple) and has_host_arrays(each)) for each in values
    )
