"""What stores print: type, shape, place and state, and a few values. It waits for no task, and moves nothing."""

from itertools import chain
from typing import Any

import numpy as np

from accel.dtypes import DType
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.boxes import everything
from accel.store.index_maps import IndexMap
from accel.store.root import HOST, Root

__all__ = ["html_of", "idle_values", "state_of", "values_text"]

_FEW, _MOST_AXES = 12, 6
_LONGEST = 100


def state_of(root: Root, index_map: IndexMap | None) -> list[str]:
    """Return words for a store: its shape, where its values are, and why they cannot be read now."""
    shape = root.shape if index_map is None else index_map.shape
    box = everything(root.ndim) if index_map is None else index_map.box
    failure, pending = root.regions.failure_of(box), root.regions.pending(box, writing=False)
    words = ["scalar"] * root.scalar
    if root.detached:
        words.append("detached")
    elif root.place != HOST:
        words.append(f"{root.place.kind.name} of {root.place.device}")
    if root.home is not None:
        words.append("attached")
    if root.readonly:
        words.append("read-only")
    if pending:
        words.append("a task that writes it is in flight")
    elif failure is not None:
        words.append(f"not written: {type(failure).__name__}: {failure}".partition("\n")[0][:_LONGEST])
    if shape is not None:
        return [f"shape {shape}", *words]
    return [f"{root.ndim} dimension{'s' * (root.ndim != 1)} of unknown extents" if pending else "unbound", *words]


def idle_values(root: Root, index_map: IndexMap | None, dtype: DType) -> HostArray | None:
    """Return the values in memory of the host; None if they are elsewhere, never written, or used by pending work."""
    storage = root.contents
    if index_map is None or type(storage) is not HostStorage or root.detached or len(index_map.shape) > _MOST_AXES:
        return None
    regions, box = root.regions, index_map.box
    if regions.pending(box, writing=False) or regions.failure_of(box) is not None or _in_use(storage):
        return None
    strides = [stride * dtype.itemsize for stride in index_map.strides]
    if index_map.empty:
        return np.empty(index_map.shape, dtype)
    return np.ndarray(index_map.shape, dtype, storage.lend(), index_map.offset * dtype.itemsize, strides)


def _in_use(storage: HostStorage) -> bool:
    """Tell whether work on bytes of a storage is in flight or failed; all memory of the user shares one record."""
    low, high = storage.pointer, storage.pointer + storage.nbytes
    return any(each[0] < high and low < each[1] for each in chain(*(storage.owner.hazards or ())))


def html_of(name: str, about: str, values: str) -> str:
    """Return a store for notebooks: what `values_text` returns below what is known of it."""
    from accel.pictures.html import card, preformatted

    shown = values.removeprefix(": ")
    return card(name, about, *([preformatted(shown)] if shown else []))


def values_text(values: Any) -> str:
    """Return values on one line, after a colon; "" for None."""
    if values is None:
        return ""
    if isinstance(values, np.ndarray):
        ends = 3 if values.ndim < 3 else 1
        text = np.array2string(values, separator=", ", threshold=_FEW, edgeitems=ends)
    else:
        text = repr(values)
    line = " ".join(text.split())
    return f": {line}" if len(line) <= 2 * _LONGEST else f": {line[: 2 * _LONGEST]}..."
