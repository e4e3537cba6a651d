"""The four arithmetic operators of views, for Python and NumPy."""

from collections.abc import Callable
from operator import add, floordiv, mul, sub, truediv
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from accel.dtypes import DType
from accel.errors import DTypeError
from accel.memory.host_storage import HostArray
from accel.views.rows import is_array

__all__ = [
    "Operation",
    "apply_operation",
    "array_ufunc",
    "methods",
    "refuse_booleans",
    "refuse_different_dtypes",
]

Operation: TypeAlias = Callable[[Any, Any], Any]


class Computing(Protocol):
    """The methods of a view that its operators call."""

    def _computed(self, operation: Operation, other: Any, *, reflected: bool = False) -> Self:
        """Return the results in new memory; ``reflected`` if ``other`` is the left operand."""
        ...

    def _computed_in_place(self, operation: Operation, other: Any) -> Self:
        """Write the results to the elements of this view."""
        ...

    @classmethod
    def _view_of(cls, source: Any) -> Any:
        """Return a view of all elements of an object with memory."""
        ...


_View = TypeVar("_View", bound=Computing)


def methods(
    operation: Operation,
) -> tuple[Callable[[_View, Any], _View], Callable[[_View, Any], Any], Callable[[_View, Any], _View]]:
    """Return the three methods of an operator: with the view on the left, on the right, and in place.

    The left operand may be a number, also of NumPy. If it is a NumPy array, NumPy computes by its own rules, and the
    result is an array. A container or a storage on the left is converted to a view.
    """

    def left(view: _View, other: Any) -> _View:
        return view._computed(operation, other)

    def right(view: _View, other: Any) -> Any:
        return _reflected(view, operation, other)

    def in_place(view: _View, other: Any) -> _View:
        return view._computed_in_place(operation, other)

    for prefix, method in (("", left), ("r", right), ("i", in_place)):
        method.__name__ = f"__{prefix}{operation.__name__}__"
    return left, right, in_place


def _reflected(view: Computing, operation: Operation, other: Any) -> Any:
    if not is_array(other):
        return view._computed(operation, other, reflected=True)
    if hasattr(other, "__array_namespace__"):  # for `x += view`, a view as the result would replace the array x
        raise TypeError(
            f"an array on the left computes with arrays of its own library; write xp.from_dlpack(x) for this "
            f"{type(view).__name__}"
        )
    return operation(view._view_of(other), view)


_OPERATIONS: dict[np.ufunc, Operation] = {np.add: add, np.subtract: sub, np.multiply: mul, np.true_divide: truediv}


def array_ufunc(view: Computing, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Apply a ufunc: a NumPy number on the left as a Python number, everything else on arrays of the views."""
    if any(map(_is_view, options.get("out", ()))):
        return NotImplemented
    operation, left = _OPERATIONS.get(ufunc), inputs[0]
    number = not _is_view(left) and np.ndim(left) == 0
    if operation is not None and method == "__call__" and not options and number:
        return view._computed(operation, left, reflected=True)
    arrays = [np.asarray(value) if _is_view(value) else value for value in inputs]
    return getattr(ufunc, method)(*arrays, **options)


def _is_view(value: object) -> bool:
    """Tell whether a value is a view that has these operators."""
    return getattr(type(value), "__array_ufunc__", None) is array_ufunc


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
