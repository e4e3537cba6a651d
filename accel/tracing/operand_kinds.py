"""What kind of operand a value is: of which dtype, or a number of Python, which adapts; and which dtypes hold it."""

from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.tracing.symbols import Symbol

__all__ = ["is_exact", "kind_of"]


def is_exact(operand: Any, dtype: DType) -> bool:
    """Tell whether a dtype holds all values that an operand can have."""
    if isinstance(operand, Symbol) and operand.weak is None:
        return np.can_cast(operand.dtype, dtype)
    if isinstance(operand, Symbol):
        return dtype.kind not in "iu" or operand.weak is bool
    if type(operand) is not int or dtype.kind not in "iu":
        return dtype.kind not in "iu" or type(operand) in (int, bool, type(None))
    limits = np.iinfo(dtype)
    return int(limits.min) <= operand <= int(limits.max)


def kind_of(operand: Any) -> Any:
    """Return the dtype of an operand; for numbers of Python, which adapt, their class."""
    if isinstance(operand, Symbol):
        return operand.weak or operand.dtype
    return np.dtype(np.bool_) if type(operand) is bool else type(operand)
