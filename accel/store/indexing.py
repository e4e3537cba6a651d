"""``store[key]``: an index as NumPy has them, as transforms of an index map."""

from types import EllipsisType
from typing import Any, NoReturn, SupportsIndex

from accel.errors import StoreIndexError
from accel.store.index_maps import IndexMap

__all__ = ["Key", "indexed", "refuse_step"]

_Basic = SupportsIndex | slice | EllipsisType | None
Key = _Basic | tuple[_Basic, ...]
"""An index: integers, slices, an ellipsis, and None for a new dimension."""


def indexed(index_map: IndexMap, key: Key) -> IndexMap:
    """Return the map of the elements at an index; the same map if these are all."""
    dim = 0
    for each in _expanded(key, len(index_map.shape)):
        if each is None:
            index_map = index_map.promote(dim, 1)
        elif isinstance(each, slice):
            start, stop, step = each.indices(index_map.shape[dim])
            if step != 1:
                refuse_step(each)
            index_map = index_map.slice(dim, start, max(start, stop))
        else:
            at = each.__index__()
            index_map = index_map.project(dim, at + index_map.shape[dim] if at < 0 else at)
            continue
        dim += 1
    return index_map


def _expanded(key: Key, ndim: int) -> list[Any]:
    """Return one entry for each dimension of the key, and None for new ones."""
    entries: list[Any] = list(key) if isinstance(key, tuple) else [key]
    for each in entries:
        basic = each is None or each is Ellipsis or isinstance(each, slice)
        if isinstance(each, bool) or not (basic or hasattr(each, "__index__")):
            raise TypeError(f"an index is an integer, a slice, ... or None; found {each!r}: a task can take elements")
    gaps = [at for at, each in enumerate(entries) if each is Ellipsis]
    used = sum([each is not None for each in entries]) - len(gaps)
    if used > ndim or len(gaps) > 1:
        raise StoreIndexError(f"too many indices in {key!r} for a store of {ndim} dimensions")
    for at in gaps:
        entries[at : at + 1] = [slice(None)] * (ndim - used)
    return entries


def refuse_step(bounds: object) -> NoReturn:
    """Raise the error for a slice with a step; Legate raises the same."""
    raise NotImplementedError(f"Unsupported slice: {bounds}; a store has no steps: take the elements in a task")
