"""`Operators`: the arithmetic operators of views, for Python and NumPy."""

from abc import abstractmethod
from collections.abc import Callable
from operator import add, floordiv, mul, sub, truediv
from typing import Any, Self

import numpy as np

from accel.dtypes import DType
from accel.errors import DTypeError
from accel.memory.host_storage import HostArray
from accel.views.rows import is_array

__all__ = ["Operation", "Operators", "apply_operation", "refuse_booleans", "refuse_different_dtypes"]

Operation = Callable[[Any, Any], Any]


class Operators:
    """Mixin of views: the four operators, with the view as left or right operand.

    The left operand may be a number, also of NumPy. If it is a NumPy array, NumPy computes by its own rules, and the
    result is an array. A container or a storage on the left is converted to a view.
    """

    __slots__ = ()

    @abstractmethod
    def _computed(self, operation: Operation, other: Any, *, reflected: bool = False) -> Self:
        """Return the results in new memory; ``reflected`` if ``other`` is the left operand."""

    @abstractmethod
    def _computed_in_place(self, operation: Operation, other: Any) -> Self:
        """Write the results to the elements of this view."""

    @classmethod
    @abstractmethod
    def _view_of(cls, source: Any) -> Self:
        """Return a view of all elements of an object with memory."""

    def __add__(self, other: Any) -> Self:
        return self._computed(add, other)

    def __sub__(self, other: Any) -> Self:
        return self._computed(sub, other)

    def __mul__(self, other: Any) -> Self:
        return self._computed(mul, other)

    def __truediv__(self, other: Any) -> Self:
        return self._computed(truediv, other)

    def __radd__(self, other: Any) -> Any:
        return self._reflected(add, other)

    def __rsub__(self, other: Any) -> Any:
        return self._reflected(sub, other)

    def __rmul__(self, other: Any) -> Any:
        return self._reflected(mul, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._reflected(truediv, other)

    def __iadd__(self, other: Any) -> Self:
        return self._computed_in_place(add, other)

    def __isub__(self, other: Any) -> Self:
        return self._computed_in_place(sub, other)

    def __imul__(self, other: Any) -> Self:
        return self._computed_in_place(mul, other)

    def __itruediv__(self, other: Any) -> Self:
        return self._computed_in_place(truediv, other)

    def _reflected(self, operation: Operation, other: Any) -> Any:
        if not is_array(other):
            return self._computed(operation, other, reflected=True)
        if hasattr(other, "__array_namespace__"):  # for `x += view`, a view as the result would replace the array x
            raise TypeError(
                f"an array on the left computes with arrays of its own library; write xp.from_dlpack(x) for this "
                f"{type(self).__name__}"
            )
        return operation(self._view_of(other), self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a ufunc: a NumPy number on the left as a Python number, everything else on arrays of the views."""
        if any(isinstance(target, Operators) for target in options.get("out", ())):
            return NotImplemented
        operation, left = _OPERATIONS.get(ufunc), inputs[0]
        number = not isinstance(left, Operators) and np.ndim(left) == 0
        if operation is not None and method == "__call__" and not options and number:
            return self._computed(operation, left, reflected=True)
        arrays = [np.asarray(given) if isinstance(given, Operators) else given for given in inputs]
        return getattr(ufunc, method)(*arrays, **options)


_OPERATIONS: dict[np.ufunc, Operation] = {np.add: add, np.subtract: sub, np.multiply: mul, np.true_divide: truediv}


def apply_operation(operation: Operation, left: Any, right: Any, dtype: DType) -> HostArray:
    """Return the result of an operation on arrays or numbers of a dtype, in this dtype; integer division rounds down.

    Raises
    ------
    ZeroDivisionError
        If an integer is divided by zero.
    """
    if operation is truediv and dtype.kind in "iu":
        if not np.all(right):
            raise ZeroDivisionError("an integer is divided by zero; nothing was written")
        operation = floordiv
    with np.errstate(all="ignore"):
        return np.asarray(operation(left, right), dtype)


def refuse_booleans(dtype: DType) -> None:
    """Raise `DTypeError` if a dtype is boolean."""
    if dtype.kind == "b":
        raise DTypeError(
            "booleans have no arithmetic; write xp.astype(xp.asarray(x), xp.int8) for numbers, or "
            "xp.logical_not(xp.asarray(x)) for logic"
        )


def refuse_different_dtypes(one: DType, other: DType) -> None:
    """Raise `DTypeError` if operands have different dtypes."""
    if one != other:
        raise DTypeError(f"{one.name} and {other.name} do not mix; write xp.astype(xp.asarray(x), {one.name!r})")
