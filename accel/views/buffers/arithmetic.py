"""`BufferArithmetic`: elementwise arithmetic of buffers, computed on the host."""

from typing import Any, Self

from accel import copies
from accel.dtypes import exact_cast
from accel.errors import LayoutError
from accel.memory.host_storage import HostArray
from accel.views.buffers.strided import StridedView
from accel.views.operators import Operation, Operators, apply_operation, refuse_booleans, refuse_different_dtypes
from accel.views.rows import Rows, is_array, refuse_different_devices, rows_of

__all__ = ["BufferArithmetic"]


class BufferArithmetic(StridedView, Operators):
    """Mixin of buffers: the four operators. The result has the buffer's dtype and shape; integer division rounds down.

    The other operand is a number, or an object with memory of the same dtype on the same device. It has the same shape,
    or one axis with one value for each row of a buffer of two axes: ``r[i, j] = a[i, j] op b[i]``. The host computes,
    also if the memory is on another device.
    """

    __slots__ = ()

    def _computed(self, operation: Operation, other: Any, *, reflected: bool = False) -> Self:
        values = self._result(operation, other, reflected=reflected)
        made = self._new(self._shape, self.dtype, self.device)
        copies.write(made._source.elements, values)
        return made

    def _computed_in_place(self, operation: Operation, other: Any) -> Self:
        self._storage.refuse_read_only()
        copies.write(self._source.elements, self._result(operation, other))
        return self

    def _result(self, operation: Operation, other: Any, *, reflected: bool = False) -> HostArray:
        refuse_booleans(self.dtype)
        left, right = self.to_numpy(), self._right_operand(other)
        return apply_operation(operation, *((right, left) if reflected else (left, right)), dtype=self.dtype)

    def _right_operand(self, other: Any) -> HostArray:
        if not is_array(other):
            return self._as_number(other)
        rows = rows_of(other)
        refuse_different_devices(self, self.device, other, rows.device)
        return self._fitted(rows) if rows.shape else self._as_number(rows.values())

    def _as_number(self, value: Any) -> HostArray:
        number = exact_cast(value, self.dtype)
        if number.ndim:
            raise TypeError(
                f"an operand is a number, a buffer or an array; found {type(value).__name__} of shape {number.shape}: "
                f"write numpy.asarray(x, {self.dtype.name!r})"
            )
        return number

    def _fitted(self, right: Rows) -> HostArray:
        refuse_different_dtypes(self.dtype, right.dtype)
        if right.shape == self._shape:
            return right.values()
        rows, *columns = self._shape or (0,)
        if len(columns) != 1 or len(right.shape) != 1:
            raise LayoutError(f"shapes {self._shape} and {right.shape} do not fit: they must be equal")
        if right.shape[0] != rows:
            numpys = "; for one value for each column, as NumPy has it, write xp.asarray(a) and xp.asarray(b)"
            raise LayoutError(
                f"an operand of one axis has one value for each of the {rows} rows of shape {self._shape}; found "
                f"{right.shape[0]}{numpys if right.shape[0] == columns[0] else ''}"
            )
        return right.values()[:, None]
