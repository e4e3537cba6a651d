"""The elementwise arithmetic of buffers, computed on the host, also if the memory is on another device.

The result has the buffer's dtype and shape; integer division rounds down. The other operand is a number, or an object
with memory of the same dtype on the same device. It has the same shape, or one axis with one value for each row of a
buffer of two axes: ``r[i, j] = a[i, j] op b[i]``.
"""

from typing import Any, TypeVar

from accel import copies
from accel.dtypes import exact_cast
from accel.errors import LayoutError
from accel.memory.host_storage import HostArray
from accel.views.buffers.strided import StridedView
from accel.views.operators import Operation, apply_operation, refuse_booleans, refuse_different_dtypes
from accel.views.rows import Rows, is_array, refuse_different_devices, rows_of

__all__ = ["computed", "computed_in_place"]

_Buffer = TypeVar("_Buffer", bound=StridedView)


def computed(buffer: _Buffer, operation: Operation, other: Any, *, reflected: bool = False) -> _Buffer:
    """Return the results in a new buffer; ``reflected`` if ``other`` is the left operand."""
    values = _result(buffer, operation, other, reflected=reflected)
    result = buffer._new(buffer._shape, buffer.dtype, buffer.device)
    copies.write(result._source.elements, values)
    return result


def computed_in_place(buffer: _Buffer, operation: Operation, other: Any) -> _Buffer:
    """Write the results to the elements of a buffer, and return it."""
    buffer._storage.refuse_read_only()
    copies.write(buffer._source.elements, _result(buffer, operation, other))
    return buffer


def _result(buffer: StridedView, operation: Operation, other: Any, *, reflected: bool = False) -> HostArray:
    refuse_booleans(buffer.dtype)
    left, right = buffer.to_numpy(), _right_operand(buffer, other)
    return apply_operation(operation, *((right, left) if reflected else (left, right)), dtype=buffer.dtype)


def _right_operand(buffer: StridedView, other: Any) -> HostArray:
    if not is_array(other):
        return _as_number(buffer, other)
    rows = rows_of(other)
    refuse_different_devices(buffer, buffer.device, other, rows.device)
    return _fitted(buffer, rows) if rows.shape else _as_number(buffer, rows.values())


def _as_number(buffer: StridedView, value: Any) -> HostArray:
    number = exact_cast(value, buffer.dtype)
    if number.ndim:
        raise TypeError(
            f"an operand is a number, a buffer or an array; found {type(value).__name__} of shape {number.shape}: "
            f"write numpy.asarray(x, {buffer.dtype.name!r})"
        )
    return number


def _fitted(buffer: StridedView, right: Rows) -> HostArray:
    refuse_different_dtypes(buffer.dtype, right.dtype)
    if right.shape == buffer._shape:
        return right.values()
    rows, *columns = buffer._shape or (0,)
    if len(columns) != 1 or len(right.shape) != 1:
        raise LayoutError(f"shapes {buffer._shape} and {right.shape} do not fit: they must be equal")
    if right.shape[0] != rows:
        numpys = "; for one value for each column, as NumPy has it, write xp.asarray(a) and xp.asarray(b)"
        raise LayoutError(
            f"an operand of one axis has one value for each of the {rows} rows of shape {buffer._shape}; found "
            f"{right.shape[0]}{numpys if right.shape[0] == columns[0] else ''}"
        )
    return right.values()[:, None]
