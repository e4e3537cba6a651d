"""Items on the host: how those that lie packed in a staging buffer get to where a plan wants them."""

from typing import Any

import numpy as np

from accel.memory import Fill

from .reach import End, bytes_of

__all__ = ["unpack"]

_Array = np.ndarray[Any, np.dtype[Any]]


def unpack(target: End, source: End, items: _Array) -> None:
    """Put packed items, given as bytes, into their places on the host; those that the plan's bound hides are not read.

    Parameters
    ----------
    target, source : End
        Both ends of the copy; the source tells which items are hidden.
    items : numpy.ndarray of uint8
        The items of the source, in the order of the loops.
    """
    plan, operand = target.plan, target.operand
    if plan.bound is None and operand.swizzle is None and operand.table is None:
        _strided(target)[...] = items.view(f"V{plan.itemsize}").reshape(plan.extents)
        return
    places, rows = target.places(), items.reshape(-1, plan.itemsize)
    if plan.bound is not None:
        hidden = source.distances() >= plan.bound
        rows[hidden] = 0
        if plan.fill is Fill.NONE:
            places, rows = places[~hidden], rows[~hidden]
    touched = places[:, None] + (operand.start + np.arange(plan.itemsize))
    bytes_of(operand.span)[touched] = rows


def _strided(end: End) -> _Array:
    operand, plan = end.operand, end.plan
    start = operand.start + end.start
    return np.ndarray(plan.extents, f"V{plan.itemsize}", bytes_of(operand.span), start, end.strides)
