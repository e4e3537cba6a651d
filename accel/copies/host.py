"""A few elements of host memory, taken out and put in by NumPy, in the caller's thread."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.copies.elements import CACHED, Elements, Leaves, axes, reach
from accel.copies.injectivity import names_twice
from accel.copies.planner import walked_together
from accel.memory import HostStorage

__all__ = ["FEW", "at_once", "copied_at_once", "gathered", "may_share", "on_host", "scatter"]

FEW = 1 << 15
"""Bytes below which no copy gains from a plan."""

_Array = np.ndarray[Any, np.dtype[Any]]


def on_host(elements: Elements) -> bool:
    """Tell whether the host can read the elements."""
    return isinstance(elements.storage, HostStorage)


def at_once(elements: Elements) -> bool:
    """Tell whether NumPy reads or writes so few elements of the host that a plan would take longer than they do."""
    return on_host(elements) and elements.size * elements.element_type.itemsize < FEW


class _Loops(NamedTuple):
    """Loops over a few elements of two ends, in bytes, and where they begin; whether they are one piece at both."""

    extents: tuple[int, ...]
    into: tuple[int, ...]
    out_of: tuple[int, ...]
    target_start: int
    source_start: int
    in_one_piece: bool


def copied_at_once(target: Elements, source: Elements) -> bool:
    """Copy a few elements of the host, if nothing about them asks for more than NumPy; tell whether that is done."""
    to, of, dtype = target.storage, source.storage, target.element_type
    itemsize = dtype.itemsize
    loops = _few_loops(target.leaves, source.leaves, itemsize)
    if loops is None or dtype != source.element_type or not (target.plain and source.plain):
        return False
    if not (isinstance(to, HostStorage) and isinstance(of, HostStorage)):
        return False
    if to.readonly or to.owner.traffic.hazards is not None or of.owner.traffic.hazards is not None:
        return False
    try:
        # A constructor and not as_strided: it refuses what would leave the storage.
        into = np.ndarray(loops.extents, dtype, to.array, target.start * itemsize + loops.target_start, loops.into)
        out_of = np.ndarray(loops.extents, dtype, of.array, source.start * itemsize + loops.source_start, loops.out_of)
        if not loops.in_one_piece and np.may_share_memory(into, out_of):
            out_of = out_of.copy()  # NumPy does not see every overlap of strided arrays
        # From here on Python lets no other thread run; before, one may have released what is not pinned, or used it.
        mine, other = to._owner, of._owner
        if mine is None or other is None or mine.traffic.hazards is not None or other.traffic.hazards is not None:
            return False
        into[...] = out_of
    except (MemoryError, ValueError):  # whoever looks closer says which
        return False
    return True


_HELD = 500
"""How many elements NumPy copies without letting other threads run, which might release the memory."""


@lru_cache(CACHED)
def _few_loops(target: Leaves, source: Leaves, itemsize: int) -> _Loops | None:
    """Return the loops over both ends, if there are some elements but few, as many at both, and none twice."""
    if not 0 < reach(target).size == reach(source).size <= _HELD or names_twice(target):
        return None
    found = walked_together(axes(target, itemsize), axes(source, itemsize), itemsize, 1, False, False, 64)
    if found is None:
        return None
    strides, starts = (found.target_strides, found.source_strides), (found.target_start, found.source_start)
    return _Loops(found.extents, *strides, *starts, strides == ((itemsize,),) * 2)


def gathered(source: Elements) -> _Array:
    """Return a copy of elements that are in their storage, one after another."""
    if source.table is not None or source.swizzle is not None:
        return _all(source)[source.places() + source.start]
    return _as_nested(source).flatten()


def scatter(target: Elements, values: _Array) -> None:
    """Write elements that are in their storage from values in their order, which are not in it, or from one value."""
    if target.table is not None or target.swizzle is not None:
        _all(target)[target.places() + target.start] = values.reshape(-1)
    else:
        into = _as_nested(target)
        into[...] = values.reshape(into.shape) if values.size > 1 else values.reshape(())


def may_share(target: Elements, values: _Array) -> bool:
    """Tell whether values may lie where elements are."""
    return np.may_share_memory(_all(target), values)


def _all(elements: Elements) -> _Array:
    """Return the whole storage, as far as it can be read as these elements are."""
    return _looked_at(elements._replace(start=0), (elements.available,), (1,))


def _as_nested(elements: Elements) -> _Array:
    """Return the elements with an axis for each leaf of more than one, the fastest last."""
    leaves = [leaf for leaf in reversed(elements.leaves) if leaf[0] != 1]  # NumPy has no more than 64 axes
    return _looked_at(elements, [extent for extent, _ in leaves], [stride for _, stride in leaves])


def _looked_at(elements: Elements, extents: Sequence[int], strides: Sequence[int]) -> _Array:
    """Return host memory from the first element on as an array; strides are in elements."""
    storage, start, _, dtype, *_ = elements
    assert isinstance(storage, HostStorage), "the host reads its own memory"
    flat = storage.array
    if strides == (1,) and dtype is None:
        return flat[start : start + extents[0]]
    dtype = elements.element_type
    itemsize = dtype.itemsize
    # A constructor and not as_strided: it refuses what would leave the storage.
    return np.ndarray(extents, dtype, flat.view(np.uint8), start * itemsize, [stride * itemsize for stride in strides])
