"""Small copies on the host: NumPy reads and writes the elements in the caller's thread, without a plan.

Those within a device that have been done before need no new plan either: see `copied_within_device`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.copies import thresholds
from accel.copies.elements import CACHED, Elements, Leaves, axes, offset_range
from accel.copies.injectivity import names_twice
from accel.copies.over_link import copied_over_link
from accel.copies.planner import walked_together
from accel.copies.within_device import copied_within_device
from accel.memory import DeviceStorage, HostStorage
from accel.memory.captures import ACTIVE

__all__ = ["at_once", "copied_at_once", "gathered", "may_share", "on_host", "scatter"]

_Array = np.ndarray[Any, np.dtype[Any]]


def on_host(elements: Elements) -> bool:
    """Tell whether the host can read the elements."""
    return isinstance(elements.storage, HostStorage)


def at_once(elements: Elements) -> bool:
    """Tell whether NumPy reads or writes the elements faster than a plan is made: they are few, and on the host."""
    return not ACTIVE and on_host(elements) and elements.size * elements.element_type.itemsize < thresholds.FEW_BYTES


class _Loops(NamedTuple):
    """Loops over a few elements of both ends, with strides and starts in bytes; whether both ends are contiguous."""

    extents: tuple[int, ...]
    target_strides: tuple[int, ...]
    source_strides: tuple[int, ...]
    target_start: int
    source_start: int
    contiguous: bool


def copied_at_once(target: Elements, source: Elements) -> bool:
    """Copy a few elements on the host, or any of a device, and return True; else write nothing, and return False.

    The other cases are those that need a plan, must wait for work in flight, or are to be refused: `copy_by_plan`
    handles all of them.

    Parameters
    ----------
    target : Elements
        The elements that are written.
    source : Elements
        The elements that are read.

    Returns
    -------
    bool
        Whether they were copied.
    """
    to, of = target.storage, source.storage
    if type(to) is DeviceStorage or type(of) is DeviceStorage:
        return copied_within_device(target, source) or copied_over_link(target, source)
    dtype = to.dtype if target.dtype is None else target.dtype
    itemsize = dtype.itemsize
    loops = _few_loops(target.leaves, source.leaves, itemsize)
    if loops is None or ACTIVE or not (isinstance(to, HostStorage) and isinstance(of, HostStorage)):
        return False
    strided = target.table is None and source.table is None and not (target.swizzle or source.swizzle)
    if dtype != (of.dtype if source.dtype is None else source.dtype) or to.readonly or not strided:
        return False
    extents, target_strides, source_strides, target_start, source_start, contiguous = loops
    try:
        # A constructor and not as_strided: it refuses what would leave the storage.
        into = np.ndarray(extents, dtype, to.array, target.start * itemsize + target_start, target_strides)
        out_of = np.ndarray(extents, dtype, of.array, source.start * itemsize + source_start, source_strides)
        if not contiguous and np.may_share_memory(into, out_of):
            out_of = out_of.copy()  # NumPy does not see every overlap of strided arrays
        # From here on no other thread runs. Before, one may have released the memory, or submitted work that uses it.
        mine, other = to._owner, of._owner
        if (
            mine is None
            or other is None
            or mine.hazard_record.hazards is not None
            or other.hazard_record.hazards is not None
        ):
            return False
        into[...] = out_of
    except (MemoryError, ValueError):  # the checks of the other path say what is wrong
        return False
    return True


@lru_cache(CACHED)
def _few_loops(target: Leaves, source: Leaves, itemsize: int) -> _Loops | None:
    """Return loops over both ends; None unless the elements are few, equally many, and the target's distinct."""
    size = offset_range(target).size
    if not 0 < size <= thresholds.FEW_ELEMENTS or size != offset_range(source).size or names_twice(target):
        return None
    plan = walked_together(axes(target, itemsize), axes(source, itemsize), itemsize, 1, False, False, 64)
    if plan is None:
        return None
    strides, starts = (plan.target_strides, plan.source_strides), (plan.target_start, plan.source_start)
    return _Loops(plan.extents, *strides, *starts, strides == ((itemsize,),) * 2)


def gathered(source: Elements) -> _Array:
    """Return a contiguous copy of elements that were checked to be in their storage."""
    if source.table is not None or source.swizzle is not None:
        return _all(source)[source.places() + source.start]
    return _as_nested(source).flatten()


def scatter(target: Elements, values: _Array) -> None:
    """Write values in order, or one value, to elements that were checked to be in their storage.

    The values must not share memory with the elements.
    """
    if target.table is not None or target.swizzle is not None:
        _all(target)[target.places() + target.start] = values.reshape(-1)
    else:
        into = _as_nested(target)
        into[...] = values.reshape(into.shape if values.size != 1 else ())


def may_share(target: Elements, values: _Array) -> bool:
    """Tell whether values may share memory with elements."""
    return np.may_share_memory(_all(target), values)


def _all(elements: Elements) -> _Array:
    """Return the whole storage as an array of the elements' dtype."""
    return _array_on(elements._replace(start=0), (elements.available,), (1,))


def _as_nested(elements: Elements) -> _Array:
    """Return the elements as an array with an axis for each leaf of more than one step, the fastest last."""
    leaves = [leaf for leaf in reversed(elements.leaves) if leaf[0] != 1]  # NumPy has no more than 64 axes
    return _array_on(elements, [extent for extent, _ in leaves], [stride for _, stride in leaves])


def _array_on(elements: Elements, extents: Sequence[int], strides: Sequence[int]) -> _Array:
    """Return an array on host memory from the first element on; strides are in elements."""
    storage, start, _, dtype, *_ = elements
    assert isinstance(storage, HostStorage), "the host reads its own memory"
    flat = storage.array
    if strides == (1,) and dtype is None:
        return flat[start : start + extents[0]]
    dtype = elements.element_type
    itemsize = dtype.itemsize
    # A constructor and not as_strided: it refuses what would leave the storage.
    return np.ndarray(extents, dtype, flat.view(np.uint8), start * itemsize, [stride * itemsize for stride in strides])
