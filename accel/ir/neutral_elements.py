"""`neutral`: what a reduction begins with."""

from typing import Any, Literal

import numpy as np

from accel.dtypes import DType

__all__ = ["neutral"]


def neutral(op: Literal["add", "mul", "min", "max"], dtype: DType) -> Any:
    """Return the scalar of a dtype that changes no number which it is combined with."""
    kind: Any = dtype.type
    if op in ("add", "mul"):
        return kind(op == "mul")
    if dtype.kind == "b":
        return np.bool_(op == "min")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return kind(limits.max if op == "min" else limits.min)
    infinity = kind(np.inf if op == "min" else -np.inf)
    if np.isinf(infinity):
        return infinity
    from ml_dtypes import finfo

    limit = finfo(dtype)  # type: ignore[no-untyped-call]
    return limit.max if op == "min" else limit.min
