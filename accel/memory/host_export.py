"""NumPy arrays on memory that is not NumPy's, kept alive by whatever they are told to hold."""

from typing import Any

import numpy as np

from accel.memory.operand import Operand

__all__ = ["export"]


class _Exported:
    """What the array holds on to; NumPy reads the interface once."""

    __slots__ = ("__array_interface__", "keep")

    def __init__(self, pointer: int, nbytes: int, readonly: bool, keep: object) -> None:
        self.keep = keep
        self.__array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, readonly),
        }


def export(operand: Operand, keep: object) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the elements of host memory as a NumPy array that keeps an object alive, as do all views of it."""
    span = operand.span
    if span.nbytes == 0:
        return np.empty(operand.extents, operand.dtype)
    held = _Exported(span.block.pointer + span.start, span.nbytes, not operand.writable, keep)
    return np.ndarray(operand.extents, operand.dtype, np.asarray(held), operand.start, operand.strides)
