"""Arithmetic of buffers: element by element, with a number, or with one value for each row."""

from collections.abc import Callable
from functools import partialmethod
from typing import Any, Self

import numpy as np

from accel.copies import write
from accel.dtypes import exact_cast
from accel.errors import DeviceMismatchError, DTypeError, LayoutError
from accel.memory.host_storage import HostArray
from accel.views.strided import StridedView

__all__ = ["Arithmetic"]

_Operation = Callable[[HostArray, HostArray], HostArray]


class Arithmetic(StridedView):
    """Operators of buffers; the result has the dtype and the shape of the left operand, and integers divide downwards.

    The right operand is a number, a buffer of the same dtype and shape, or for two axes a buffer of one axis with one
    value for each row: ``r[i, j] = a[i, j] op b[i]``. The host computes, wherever the memory is.
    """

    __slots__ = ()

    def _new_by(self, operation: _Operation, other: Any) -> Self:
        values = _computed(self, operation, other)
        made = self._new(self._shape, self.dtype, self.device)
        write(made._source.elements, values)
        return made

    def _in_place_by(self, operation: _Operation, other: Any) -> Self:
        self._storage.refuse_read_only()
        write(self._source.elements, _computed(self, operation, other))
        return self

    __add__ = partialmethod(_new_by, np.add)
    __sub__ = partialmethod(_new_by, np.subtract)
    __mul__ = partialmethod(_new_by, np.multiply)
    __truediv__ = partialmethod(_new_by, np.true_divide)
    __iadd__ = partialmethod(_in_place_by, np.add)
    __isub__ = partialmethod(_in_place_by, np.subtract)
    __imul__ = partialmethod(_in_place_by, np.multiply)
    __itruediv__ = partialmethod(_in_place_by, np.true_divide)


def _computed(left: StridedView, operation: _Operation, other: Any) -> HostArray:
    """Return the results in row-major order."""
    dtype = left.dtype
    if dtype.kind == "b":
        raise DTypeError("booleans have no arithmetic; write a buffer of integers, or xp.logical_and and its kin")
    right = _right_operand(left, other)
    if operation is np.true_divide and dtype.kind in "iu":
        if not right.all():
            raise ZeroDivisionError("an integer is divided by zero; nothing was written")
        operation = np.floor_divide
    with np.errstate(all="ignore"):
        return operation(left.to_numpy(), right).astype(dtype, copy=False).reshape(-1)


def _right_operand(left: StridedView, other: Any) -> HostArray:
    if isinstance(other, StridedView):
        return _along_rows(left, other)
    if np.ndim(other):
        raise TypeError(f"a buffer or a number is needed; found {type(other).__name__}: write NDBuffer(array)")
    return exact_cast(other, left.dtype)


def _along_rows(left: StridedView, right: StridedView) -> HostArray:
    if right.dtype != left.dtype:
        raise DTypeError(
            f"{left.dtype.name} and {right.dtype.name} do not mix; write xp.astype(x, xp.{left.dtype.name})"
        )
    if right.device is not left.device:
        raise DeviceMismatchError(f"operands are on {left.device} and {right.device}; copy one to the other's device")
    if right.shape == left.shape:
        return right.to_numpy()
    rows, *columns = left.shape or (0,)
    if len(columns) != 1 or len(right.shape) != 1:
        raise LayoutError(f"shapes {left.shape} and {right.shape} do not go together: they must be equal")
    if right.shape[0] != rows:
        numpys = "; for one value for each column, as NumPy has it, write xp.asarray(a) with xp.asarray(b)"
        raise LayoutError(
            f"an operand of one axis has one value for each of the {rows} rows of shape {left.shape}; found "
            f"{right.shape[0]}{numpys if right.shape[0] == columns[0] else ''}"
        )
    return right.to_numpy()[:, None]
