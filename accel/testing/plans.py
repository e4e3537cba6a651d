"""Reference implementation of plans: computes the place of each item from the definition of `accel.abc.Plan`."""

from typing import Any

import numpy as np

from accel.abc import Fill, OffsetTable, Operand, Plan
from accel.testing.blocks import Bytes

__all__ = ["carry_out", "set_all"]


def carry_out(plan: Plan, target: Operand, into: Bytes, source: Operand, out_of: Bytes) -> None:
    """Copy as planned between the bytes of two spans; everything is read before anything is written."""
    first = _distances(target, plan.target_start, plan.extents, plan.target_strides)
    second = _distances(source, plan.source_start, plan.extents, plan.source_strides)
    read = np.ones(second.size, np.bool_) if plan.bound is None else second < plan.bound
    values = out_of[_bytes_of_items(source, second[read], plan.itemsize)]
    if plan.fill is Fill.ZERO:
        into[_bytes_of_items(target, first[~read], plan.itemsize)] = 0
    into[_bytes_of_items(target, first[read], plan.itemsize)] = values


def set_all(target: Operand, into: Bytes, value: Any) -> None:
    """Set each element of an operand, in the bytes of its span, to a value."""
    distances = _distances(target, 0, target.extents, target.strides)
    places = _bytes_of_items(target, distances, target.dtype.itemsize)
    into[places] = np.array([value], target.dtype).view(np.uint8)


def _distances(operand: Operand, start: int, extents: tuple[int, ...], strides: tuple[int, ...]) -> OffsetTable:
    if operand.table is not None:
        return operand.table * operand.dtype.itemsize
    distances: OffsetTable = np.full(1, start, np.int64)
    for extent, stride in zip(extents, strides, strict=True):
        distances = (distances[:, None] + np.arange(extent, dtype=np.int64) * stride).reshape(-1)
    return distances


def _bytes_of_items(operand: Operand, distances: OffsetTable, itemsize: int) -> OffsetTable:
    swizzled: OffsetTable = distances if operand.swizzle is None else operand.swizzle(distances)
    return (swizzled + operand.start)[:, None] + np.arange(itemsize)
