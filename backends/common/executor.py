"""The executor of plans on bytes that NumPy can see: any layout to any layout."""

from typing import Any

import numpy as np

from accel.abc import Operand, Plan
from accel.errors import ReadOnlyError
from accel.memory.shortage import out_of_memory

from . import thresholds
from .loops import columns, copy_loops
from .places import CHUNK, Places, chunks, places_of
from .scattered import Items, copy_scattered
from .strided import Array, Bytes, item_type, shared

__all__ = ["copy", "copy_bytes", "fill"]


def copy(target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan) -> None:
    """Copy elements as planned, with a cast if the dtypes differ.

    A plan with a cast counts elements: nothing is folded into its items.

    Parameters
    ----------
    target, source : Operand
        The ends.
    into, out_of : numpy.ndarray of uint8
        The bytes of their spans, and no others.
    plan : Plan
        Any, made by a planner or by hand.

    Raises
    ------
    ReadOnlyError
        If the target's bytes must not be written.
    BoundsError
        If an item is not inside of its span; nothing is written.
    OutOfMemoryError
        If the host has no room for what the copy needs in between; nothing is written.
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
    scattered = swizzled or target.table is not None or source.table is not None or plan.bound is not None
    try:
        if scattered:
            copy_scattered(target, into, source, out_of, plan, dtypes)
        else:
            copy_loops(target, into, source, out_of, plan, loops, dtypes)
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
        The elements.
    into : numpy.ndarray of uint8
        The bytes of its span, and no others.
    value : scalar
        The value.

    Raises
    ------
    ReadOnlyError
        If the bytes must not be written.
    BoundsError
        If an element is not inside of the span; nothing is written.
    OutOfMemoryError
        If the host has no room for what this needs in between; nothing is written.
    """
    if not (target.writable and into.flags.writeable):
        raise _read_only()
    places = places_of(target)
    if not places.size:
        return
    places.refuse_outside(into.nbytes)
    try:
        if places.plain:
            _fill_plain(target, into, value)
        else:
            _fill_places(places, into, np.asarray(value, target.dtype))
    except MemoryError as error:
        raise out_of_memory(error, f"filling {places.size} elements") from None


def _fill_plain(target: Operand, into: Bytes, value: Any) -> None:
    elements = np.ndarray(target.extents, target.dtype, into, target.start, target.strides)
    shared(lambda part: part.fill(value), elements)


def _fill_places(places: Places, into: Bytes, value: Array) -> None:
    count = min(CHUNK, places.size)
    items, values = Items(into, places, count), np.full((count, 1), value).view(np.uint8)
    for low, high in chunks(0, places.size):
        items.write(items.distances(low, high), values[: high - low])


def _read_only() -> ReadOnlyError:
    return ReadOnlyError("the target's bytes must not be written; copy to memory that is not read-only")
