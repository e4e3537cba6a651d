"""`Rows`: the elements of any object with memory in row-major order, as the source of copies and arithmetic."""

from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from accel.copies import Elements, read
from accel.device import Device
from accel.dtypes import DType, exact_cast
from accel.errors import DeviceMismatchError, LayoutError
from accel.memory.host_storage import HostArray
from accel.views.sources import has_memory, source_of

__all__ = ["HasRows", "Rows", "as_assignable", "is_array", "refuse_different_devices", "rows_of"]


class Rows(NamedTuple):
    """Elements in row-major order, on any device.

    Attributes
    ----------
    shape : tuple of int
        Extent of each axis.
    dtype : numpy.dtype
        Type of the elements.
    device : Device
        Device of the memory.
    elements : Elements
        The elements as `accel.copies` takes them.
    """

    shape: tuple[int, ...]
    dtype: DType
    device: Device
    elements: Elements

    def values(self) -> HostArray:
        """Return the elements as a new NumPy array."""
        return read(self.elements).reshape(self.shape)


class HasRows(Protocol):
    """A view that gives its elements in row-major order, also if it has no strides."""

    def __accel_rows__(self) -> Rows:
        """Return the elements in row-major order."""
        ...


def rows_of(x: Any) -> Rows:
    """Return the elements of a view, a container, a storage, or an array of any library, without a copy.

    Raises
    ------
    TypeError, LayoutError, InterchangeError, DTypeError
        As `source_of`.
    """
    if hasattr(x, "__accel_rows__"):
        return cast("HasRows", x).__accel_rows__()
    source = source_of(x)
    return Rows(source.shape, source.storage.dtype, source.storage.device, source.elements)


def is_array(x: Any) -> bool:
    """Tell whether an operand has memory and is not a NumPy array of no axes, which counts as a number."""
    return has_memory(x) and not (isinstance(x, np.ndarray) and x.ndim == 0)


def as_assignable(value: Any, shape: tuple[int, ...], dtype: DType) -> Rows | HostArray:
    """Return a value as it is written to elements of a shape and a dtype.

    Parameters
    ----------
    value : number, sequence, view, container, storage or array
        The value to assign.
    shape : tuple of int
        Shape of the elements written to.
    dtype : numpy.dtype
        Their type.

    Returns
    -------
    Rows or numpy.ndarray
        `Rows` if the value has memory, with this shape and dtype. Else an array of this shape and dtype, or an array of
        no axes to fill all elements with.

    Raises
    ------
    LayoutError
        If the value has another shape.
    DTypeError, OverflowError
        If the dtype cannot hold a value.
    """
    rows = rows_of(value) if has_memory(value) and not isinstance(value, np.ndarray) else None
    if rows is not None and rows.dtype == dtype and rows.shape == shape != ():
        return rows
    if rows is not None:
        _refuse_other_shape(rows.shape, shape)
        value = rows.values()
    values = exact_cast(value, dtype)
    _refuse_other_shape(values.shape, shape)
    return values


def _refuse_other_shape(shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if shape not in ((), expected):
        raise LayoutError(
            f"elements of shape {shape} cannot be written to shape {expected}: give as many, or one number for all"
        )


def refuse_different_devices(one: Any, here: Device, other: Any, there: Device) -> None:
    """Raise `DeviceMismatchError` if two operands are on different devices."""
    if here is not there:
        raise DeviceMismatchError(
            f"operands are on {here} and {there}: {type(one).__name__} on {here}, {type(other).__name__} on {there}; "
            f"write xp.asarray(x, device='{here}') for one of them"
        )
