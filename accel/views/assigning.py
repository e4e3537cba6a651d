"""What is written to all elements of a view at once: one value, or as many as there are."""

from typing import Any

import numpy as np

from accel import copies
from accel.dtypes import exact_cast
from accel.memory import AnyStorage, Interchange
from accel.memory.host_storage import HostArray
from accel.views.sources import Source, source_of

__all__ = ["assign"]


def assign(target: Source, value: Any) -> None:
    """Write one value to all elements, or as many values as there are, in C order; all of them or none.

    Parameters
    ----------
    target : Source
        The elements, on whatever device.
    value : number, array_like, container, storage, view or array
        What shares memory with the target is read before it is written.

    Raises
    ------
    ValueError
        If there are more values than elements, or fewer.
    DTypeError, OverflowError
        If the dtype cannot hold a value.
    ReadOnlyError
        If the memory must not change.
    """
    if not _has_memory(value):
        _write(target, exact_cast(value, target.storage.dtype))
        return
    source = source_of(value)
    if source.shape and source.storage.dtype == target.storage.dtype:
        _refuse_unequal(target, source.size)
        copies.copy(target.elements, source.elements)
    else:
        values = copies.read(source.elements).reshape(source.shape)
        _write(target, exact_cast(values, target.storage.dtype))


def _has_memory(value: object) -> bool:
    """Tell whether elements can be copied from where they are; those of NumPy are written as they are."""
    return isinstance(value, AnyStorage | Interchange) or (
        hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray)
    )


def _write(target: Source, values: HostArray) -> None:
    if values.ndim:
        _refuse_unequal(target, values.size)
        copies.write(target.elements, values)
    else:
        copies.fill(target.elements, values[()])


def _refuse_unequal(target: Source, size: int) -> None:
    if size != target.size:
        raise ValueError(
            f"{size} values cannot be written to {target.size} elements: both must be equal, or the value one number"
        )
