"""Executes copy plans and fills in host memory, from any layout to any layout."""

import math
from typing import Any

import numpy as np

from accel.abc import Operand, Plan
from accel.errors import ReadOnlyError
from accel.memory.shortage import out_of_memory

from . import thresholds
from .indexed_copy import Items, copy_indexed
from .item_offsets import CHUNK, chunks, offsets_of
from .numpy_copy import Array, Bytes, item_type, shared
from .strided_copy import columns, copy_strided

__all__ = ["copy", "copy_bytes", "fill"]


def copy(target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan) -> None:
    """Copy elements as planned, with a cast if the dtypes differ.

    If there is a cast, each item of the plan must be a single element.

    Parameters
    ----------
    target, source : Operand
        The elements to write and the elements to read.
    into, out_of : numpy.ndarray of uint8
        The bytes of the target's span and of the source's span, exactly.
    plan : Plan
        Any plan, whether `accel.copies` made it or not.

    Raises
    ------
    ReadOnlyError
        If the target's bytes are read-only.
    BoundsError
        If an item lies outside of its span; nothing is written.
    OutOfMemoryError
        If the host has no memory for the temporary buffers of the copy; nothing is written.
    """
    if not (target.writable and into.flags.writeable):
        raise _read_only()
    loops = columns(plan)
    if not loops.size:
        return
    dtypes = (target.dtype, source.dtype)
    if target.dtype == source.dtype:
        item = item_type(plan.itemsize)
        dtypes = (item, item)
    swizzled = target.swizzle is not None or source.swizzle is not None
    indexed = swizzled or target.table is not None or source.table is not None or plan.bound is not None
    try:
        if indexed:
            copy_indexed(target, into, source, out_of, plan, dtypes)
        else:
            copy_strided(target, into, source, out_of, plan, loops, dtypes)
    except MemoryError as error:
        raise out_of_memory(error, f"a copy of {plan.nbytes} bytes") from None


def copy_bytes(into: Bytes, out_of: Bytes) -> None:
    """Copy all bytes of one array to another of equal size; they may overlap."""
    if into.nbytes >= thresholds.SHARED and not np.may_share_memory(into, out_of):
        shared(np.copyto, into, out_of)
    else:
        np.copyto(into, out_of)


def fill(target: Operand, into: Bytes, value: Any) -> None:
    """Set every element to a scalar of the dtype.

    Parameters
    ----------
    target : Operand
        The elements to write.
    into : numpy.ndarray of uint8
        The bytes of the target's span, exactly.
    value : scalar
        The value.

    Raises
    ------
    ReadOnlyError
        If the target's bytes are read-only.
    BoundsError
        If an element lies outside of the span; nothing is written.
    OutOfMemoryError
        If the host has no memory for temporary buffers; nothing is written.
    """
    if not (target.writable and into.flags.writeable):
        raise _read_only()
    if 0 in target.extents:
        return
    try:
        if target.table is None and target.swizzle is None:
            _fill_strided(target, into, value)
        else:
            _fill_places(target, into, np.asarray(value, target.dtype))
    except MemoryError as error:
        raise out_of_memory(error, f"filling {math.prod(target.extents)} elements") from None


def _fill_strided(target: Operand, into: Bytes, value: Any) -> None:
    try:
        elements = np.ndarray(target.extents, target.dtype, into, target.start, target.strides)
    except ValueError:
        offsets_of(target).refuse_outside(into.nbytes)
        raise
    shared(lambda part: part.fill(value), elements)


def _fill_places(target: Operand, into: Bytes, value: Array) -> None:
    offsets = offsets_of(target)
    offsets.refuse_outside(into.nbytes)
    count = min(CHUNK, offsets.size)
    items, values = Items(into, offsets, count), np.full((count, 1), value).view(np.uint8)
    for low, high in chunks(0, offsets.size):
        items.write(items.raw_offsets(low, high), values[: high - low])


def _read_only() -> ReadOnlyError:
    return ReadOnlyError("the target's bytes are read-only; copy to memory that can be written")
