"""Copies within host memory, by NumPy, in the caller's thread."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.copies.elements import CACHED, Elements, Leaves, Table
from accel.copies.planner import plan_leaves
from accel.memory import HostStorage

__all__ = ["fill", "gathered", "may_share", "move", "on_host", "scatter"]

_Array = np.ndarray[Any, np.dtype[Any]]


class _Loops(NamedTuple):
    """A plan as NumPy takes it; strides are in elements."""

    extents: tuple[int, ...]
    into: tuple[int, ...]
    out_of: tuple[int, ...]
    contiguous: bool


def on_host(elements: Elements) -> bool:
    """Tell whether the host can read the elements."""
    return isinstance(elements.storage, HostStorage)


def move(target: Elements, source: Elements) -> None:
    """Copy elements that are in their storages, with a cast if the dtypes differ; they may overlap."""
    indexed = target.table is not None or source.table is not None
    loops = None if indexed else _loops(target.leaves, source.leaves)
    if loops is None:
        scatter(target, gathered(source))
        return
    into = _looked_at(target, loops.extents, loops.into)
    out_of = _looked_at(source, loops.extents, loops.out_of)
    # NumPy is right about bytes in one piece, but does not see every overlap of strided arrays.
    overlapping = not loops.contiguous and np.may_share_memory(into, out_of)
    _assign(into, out_of.copy() if overlapping else out_of)


def fill(target: Elements, value: Any) -> None:
    """Set elements that are in their storage to one value."""
    if target.table is not None:
        _all(target)[_places(target, target.table)] = value
        return
    loops = _loops(target.leaves, target.leaves)
    assert loops is not None, "every list of leaves is a refinement of itself"
    _looked_at(target, loops.extents, loops.into).fill(value)


@lru_cache(CACHED)
def _loops(target: Leaves, source: Leaves) -> _Loops | None:
    plan = plan_leaves(target, source, 1)
    if plan is None:
        return None
    return _Loops(plan.extents, plan.target_strides, plan.source_strides, plan.kind == "contiguous")


def gathered(source: Elements) -> _Array:
    """Return a copy of elements that are in their storage, one after another."""
    if source.table is not None:
        return _all(source)[_places(source, source.table)]
    return _as_nested(source).flatten()


def scatter(target: Elements, values: _Array) -> None:
    """Write elements that are in their storage from values in their order, which are not in it."""
    if target.table is not None:
        _all(target)[_places(target, target.table)] = _cast(values.reshape(-1), target)
    else:
        into = _as_nested(target)
        _assign(into, values.reshape(into.shape))


def _cast(values: _Array, target: Elements) -> _Array:
    if values.dtype == target.element_type:
        return values
    cast = np.empty(values.shape, target.element_type)
    _assign(cast, values)
    return cast


def may_share(target: Elements, values: _Array) -> bool:
    """Tell whether values may lie where elements are."""
    return np.may_share_memory(_all(target), values)


def _assign(into: _Array, out_of: _Array) -> None:
    """Copy between arrays of one shape, as `numpy.ndarray.astype` casts; what a cast loses is lost in silence."""
    if into.dtype == out_of.dtype:
        np.copyto(into, out_of)
        return
    if out_of.dtype.kind == "c" and into.dtype.kind not in "cb":
        out_of = out_of.real
    with np.errstate(all="ignore"):
        np.copyto(into, out_of, casting="unsafe")


def _all(elements: Elements) -> _Array:
    """Return the whole storage, as far as it can be read as these elements are."""
    return _looked_at(elements._replace(start=0), (elements.available,), (1,))


def _places(elements: Elements, table: Table) -> Table:
    return table + elements.start if elements.start else table


def _as_nested(elements: Elements) -> _Array:
    """Return the elements with an axis for each leaf, the fastest last."""
    extents = [extent for extent, _ in reversed(elements.leaves)]
    return _looked_at(elements, extents, [stride for _, stride in reversed(elements.leaves)])


def _looked_at(elements: Elements, extents: Sequence[int], strides: Sequence[int]) -> _Array:
    """Return host memory from the first element on as an array; strides are in elements."""
    storage, start, _, dtype, _ = elements
    assert isinstance(storage, HostStorage), "the host reads its own memory"
    flat = storage.array
    if strides == (1,) and dtype is None:
        return flat[start : start + extents[0]]
    dtype = elements.element_type
    itemsize = dtype.itemsize
    # A constructor and not as_strided: it refuses what would leave the storage.
    return np.ndarray(extents, dtype, flat.view(np.uint8), start * itemsize, [stride * itemsize for stride in strides])
