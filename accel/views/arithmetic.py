"""`Arithmetic`: element by element, into a new compact tensor or in place; computed on the host."""

from collections.abc import Callable
from typing import Any, Self, SupportsIndex

import numpy as np

from accel.dtypes import exact_cast
from accel.errors import DTypeError, LayoutError
from accel.memory import HostStorage, allocate
from accel.memory.host_storage import HostArray
from accel.views.cells import compact
from accel.views.checks import as_axis
from accel.views.geometry import Geometry, by_rows
from accel.views.moving import Moving

__all__ = ["Arithmetic"]

Operation = Callable[[Any, Any], Any]


class Arithmetic(Moving):
    """The four operations; to be mixed into a tensor.

    The other operand is a number or a tensor of the same dtype and elements. Shapes are equal, or a tensor of rank 2
    takes one of rank 1 that has a number for each ROW: ``r[i, j] = a[i, j] op b[i]``. A number may stand on the left,
    NumPy's too. With an array on the left NumPy computes, by its own rules, and the result is an array.
    """

    __slots__ = ()

    def add(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the sums.

        Parameters
        ----------
        other : number or LayoutTensor
            Of the same dtype.
        axis : int, optional
            Along which mode a tensor of rank 1 runs; by default along the rows of rank 2.

        Raises
        ------
        LayoutError
            If the shapes do not fit.
        DTypeError, OverflowError
            If the dtypes differ, or the dtype cannot hold the number.
        """
        return self._computed(np.add, other, axis)

    def sub(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the differences; as `add`."""
        return self._computed(np.subtract, other, axis)

    def mul(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the products of elements; as `add`."""
        return self._computed(np.multiply, other, axis)

    def truediv(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the quotients; as `add`. Those of integers are rounded down.

        Raises
        ------
        ZeroDivisionError
            If an integer would be divided by zero.
        """
        return self._computed(_divide, other, axis)

    def __add__(self, other: Any) -> Self:
        return self.add(other)

    def __sub__(self, other: Any) -> Self:
        return self.sub(other)

    def __mul__(self, other: Any) -> Self:
        return self.mul(other)

    def __truediv__(self, other: Any) -> Self:
        return self.truediv(other)

    def __radd__(self, other: Any) -> Self:
        return self._computed_after(other, np.add)

    def __rsub__(self, other: Any) -> Self:
        return self._computed_after(other, np.subtract)

    def __rmul__(self, other: Any) -> Self:
        return self._computed_after(other, np.multiply)

    def __rtruediv__(self, other: Any) -> Self:
        return self._computed_after(other, _divide)

    def __iadd__(self, other: Any) -> Self:
        return self._computed_in_place(np.add, other)

    def __isub__(self, other: Any) -> Self:
        return self._computed_in_place(np.subtract, other)

    def __imul__(self, other: Any) -> Self:
        return self._computed_in_place(np.multiply, other)

    def __itruediv__(self, other: Any) -> Self:
        return self._computed_in_place(_divide, other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute what NumPy is asked for: a number before a tensor as in Python, all else with arrays."""
        if any(isinstance(target, Arithmetic) for target in options.get("out", ())):
            return NotImplemented
        operation, left = _OPERATIONS.get(ufunc), inputs[0]
        if operation is not None and method == "__call__" and not options and _is_number(left):
            return self._computed_after(left, operation)
        arrays = [np.asarray(given) if isinstance(given, Arithmetic) else given for given in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def _computed_after(self, other: Any, operation: Operation) -> Self:
        """Return the result where the tensor is the right operand."""
        return self._computed(lambda left, right: operation(right, left), other, None)

    def _computed(self, operation: Operation, other: Any, axis: SupportsIndex | None) -> Self:
        values = self._result(operation, other, axis)
        found = self._geometry
        keeps = found.valid is None and compact(found) and not _descends(found)
        made = self._anew(allocate(self.device, values.size, self._dtype), found if keeps else by_rows(found))
        made._write_rows(values)
        return made

    def _computed_in_place(self, operation: Operation, other: Any) -> Self:
        self._refuse_read_only()
        self._write_rows(self._result(operation, other, None))
        return self

    def _result(self, operation: Operation, other: Any, axis: SupportsIndex | None) -> HostArray:
        if self._dtype.kind == "b":
            raise DTypeError("booleans have no arithmetic; copy_from(t, cast=True) into a tensor of integers first")
        right = self._right_operand(other, axis)
        with np.errstate(all="ignore"):
            return np.asarray(operation(self._values(), right), self._dtype)

    def _values(self) -> HostArray:
        """Return the elements by rows: those of the host in place where strides lead through them."""
        strided = isinstance(self._storage, HostStorage) and self._geometry.steps is not None
        return self.__array__() if strided else self.to_numpy()

    def _right_operand(self, other: Any, axis: SupportsIndex | None) -> HostArray:
        if not isinstance(other, Arithmetic):
            number = exact_cast(other, self._dtype)
            if number.ndim:
                raise TypeError(
                    f"an operand is a number or a tensor; found an array of shape {number.shape}: write "
                    f"numpy.asarray(t) or accel.xp.asarray(t) to compute with arrays"
                )
            return number
        if (other._dtype, other._geometry.element_shape) != (self._dtype, self._geometry.element_shape):
            raise DTypeError(
                f"operands have equal elements; found {self.element_size} of {self._dtype.name} and "
                f"{other.element_size} of {other._dtype.name}: convert with copy_from(t, cast=True), or vectorize alike"
            )
        if axis is None and other.shape == self.shape:
            return other._values()
        return self._along(other, self._axis_of(other, axis))

    def _axis_of(self, other: "Arithmetic", axis: SupportsIndex | None) -> int:
        """Return which mode a tensor of rank 1 runs along."""
        if other.rank != 1 or self.rank < 2 or (axis is None and self.rank != 2):
            raise LayoutError(
                f"operands have the same shape, or rank 2 and rank 1; found {self.shape} and {other.shape}: slice one"
            )
        found = 0 if axis is None else as_axis(axis, self.rank)
        if other.shape[0] == self.shape[found]:
            return found
        if axis is None and other.shape[0] == self.shape[1]:
            raise LayoutError(
                f"a tensor of rank 1 has a number for each ROW, r[i, j] = a[i, j] op b[i]; found {other.shape[0]} "
                f"numbers, one for each column of {self.shape}: write a.add(b, axis=1), or accel.xp, whose rule this is"
            )
        raise LayoutError(
            f"{other.shape[0]} numbers do not fit mode {found} of {self.shape}: there must be one for each"
        )

    def _along(self, other: "Arithmetic", axis: int) -> HostArray:
        values = other._values()
        after = (1,) * (self.rank - 1 - axis)
        return values.reshape(values.shape[0], *after, *values.shape[1:])


def _is_number(value: Any) -> bool:
    return not isinstance(value, Arithmetic) and np.ndim(value) == 0


def _divide(left: Any, right: Any) -> Any:
    if left.dtype.kind not in "iu":
        return left / right
    if not np.all(right):
        raise ZeroDivisionError("an integer is divided by zero; nothing was written")
    return left // right


_OPERATIONS: dict[np.ufunc, Operation] = {
    np.add: np.add,
    np.subtract: np.subtract,
    np.multiply: np.multiply,
    np.true_divide: _divide,
}


def _descends(found: Geometry) -> bool:
    return any(stride < 0 for layout in (found.layout, found.element) for _, stride in layout.leaves)
