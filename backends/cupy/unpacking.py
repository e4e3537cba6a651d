"""Unpacks items that a device has packed into the elements of host memory that a plan writes."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from accel.abc import Fill

from .copy_ends import CopyEnd, bytes_of

__all__ = ["unpack"]

_Array = np.ndarray[Any, np.dtype[Any]]
_Fetch = Callable[[list[int]], Generator[_Array, None, None]]


def unpack(target: CopyEnd, source: CopyEnd, fetch: _Fetch, most: int) -> None:
    """Write packed items to host memory, without those at or above the plan's bound.

    Parameters
    ----------
    target, source : CopyEnd
        Both ends of the copy; the source's offsets are compared with the bound.
    fetch : callable
        Given a list of sizes in bytes, yields arrays of these sizes: the packed items in the order of the loops.
    most : int
        The number of bytes that is best fetched at a time.
    """
    plan, operand = target.plan, target.operand
    count = max(1, most // plan.itemsize)
    if plan.bound is None and operand.swizzle is None and operand.table is None:
        _unpack_strided(target, fetch, count)
    else:
        _unpack_scattered(target, source, fetch, count)


def _unpack_strided(target: CopyEnd, fetch: _Fetch, count: int) -> None:
    slabs = list(_slabs(_strided(target), count))
    with closing(fetch([slab.nbytes for slab in slabs])) as fetched:
        for slab, items in zip(slabs, fetched, strict=True):
            slab[...] = items.view(slab.dtype).reshape(slab.shape)


def _unpack_scattered(target: CopyEnd, source: CopyEnd, fetch: _Fetch, count: int) -> None:
    plan = target.plan
    offsets = target.offsets()
    # If the plan fills, the packed items above the bound are zeros already.
    whole = plan.bound is None or plan.fill is not Fill.NONE
    written = np.ones(offsets.shape, bool) if whole else source.raw_offsets() < plan.bound
    parts = [slice(start, start + count) for start in range(0, offsets.size, count)]
    with closing(fetch([offsets[part].size * plan.itemsize for part in parts])) as fetched:
        for part, items in zip(parts, fetched, strict=True):
            _scatter(target, offsets[part], written[part], items.reshape(-1, plan.itemsize))


def _scatter(target: CopyEnd, offsets: _Array, written: _Array, rows: _Array) -> None:
    operand, size = target.operand, target.plan.itemsize
    touched = offsets[written, None] + (operand.start + np.arange(size))
    bytes_of(operand.span)[touched] = rows[written]


def _slabs(items: _Array, count: int) -> Iterator[_Array]:
    """Cut an array into parts of at most ``count`` items, in order."""
    if items.size <= count:
        yield items
        return
    inner = items.size // len(items)
    step = max(1, count // inner)
    for start in range(0, len(items), step):
        yield from _slabs(items[start : start + step] if inner <= count else items[start], count)


def _strided(end: CopyEnd) -> _Array:
    operand, plan = end.operand, end.plan
    start = operand.start + end.start
    return np.ndarray(plan.extents, f"V{plan.itemsize}", bytes_of(operand.span), start, end.strides)
