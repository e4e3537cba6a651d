"""Items on the host: how those that lie packed on a device get to where a plan wants them, as they come."""

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
    """Put packed items into their places on the host; those that the plan's bound hides are not read.

    Parameters
    ----------
    target, source : CopyEnd
        Both ends of the copy; the source tells which items are hidden.
    fetch : callable
        Told some numbers of bytes, yields so many at a time of the items of the source, in the order of the loops.
    most : int
        How many bytes are best fetched at a time.
    """
    plan, operand = target.plan, target.operand
    count = max(1, most // plan.itemsize)
    if plan.bound is None and operand.swizzle is None and operand.table is None:
        _unpack_strided(target, fetch, count)
    else:
        _unpack_scattered(target, source, fetch, count)


def _unpack_strided(target: CopyEnd, fetch: _Fetch, count: int) -> None:
    slabs = list(_slabs(_strided(target), count))
    with closing(fetch([slab.nbytes for slab in slabs])) as found:
        for slab, items in zip(slabs, found, strict=True):
            slab[...] = items.view(slab.dtype).reshape(slab.shape)


def _unpack_scattered(target: CopyEnd, source: CopyEnd, fetch: _Fetch, count: int) -> None:
    plan = target.plan
    places = target.places()
    # Of what is filled, the items that come are the filling.
    whole = plan.bound is None or plan.fill is not Fill.NONE
    written = np.ones(places.shape, bool) if whole else source.distances() < plan.bound
    parts = [slice(start, start + count) for start in range(0, places.size, count)]
    with closing(fetch([places[part].size * plan.itemsize for part in parts])) as found:
        for part, items in zip(parts, found, strict=True):
            _scatter(target, places[part], written[part], items.reshape(-1, plan.itemsize))


def _scatter(target: CopyEnd, places: _Array, written: _Array, rows: _Array) -> None:
    operand, size = target.operand, target.plan.itemsize
    touched = places[written, None] + (operand.start + np.arange(size))
    bytes_of(operand.span)[touched] = rows[written]


def _slabs(items: _Array, count: int) -> Iterator[_Array]:
    """Cut items into parts of at most so many, in order."""
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
