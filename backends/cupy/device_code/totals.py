"""What computes totals of loops: a type of ``reductions.cuh`` for each operation and dtype."""

from accel.dtypes import DType
from accel.ir import Reduction

from .types import is_float, type_name

__all__ = ["accumulator"]

_EXTREMES = {"min": "Smallest", "max": "Largest"}


def accumulator(reduction: Reduction) -> str:
    """Return the type of what computes a total."""
    kind = type_name(reduction.total.dtype)
    if reduction.op in _EXTREMES:
        return f"{_EXTREMES[reduction.op]}<{kind}>"
    if reduction.op == "mul":
        return f"{'FloatProduct' if is_float(reduction.total.dtype) else 'Product'}<{kind}>"
    return _sum(reduction.total.dtype, kind)


def _sum(dtype: DType, kind: str) -> str:
    if dtype.kind == "c":
        return f"ComplexSum<{kind}>"
    if dtype == "float64":
        return "DoubleSum"
    return f"{'FloatSum' if is_float(dtype) else 'Sum'}<{kind}>"
