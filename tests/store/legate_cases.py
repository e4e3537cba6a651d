"""What Legate did with stores, as recorded, and how to do the same with ours."""

import json
from pathlib import Path

from accel.store.slices import Slice

__all__ = ["CASES", "applied", "chained"]

CASES = json.loads((Path(__file__).parents[1] / "golden" / "legate_stores.json").read_text(encoding="utf-8"))["cases"]


def applied(store, operation):
    """Return what one recorded operation makes of a store or a partition."""
    name, *arguments = operation
    if name == "slice":
        dim, start, stop, step = arguments
        return store.slice(dim, Slice(start, stop) if step is None else slice(start, stop, step))
    if name == "tile":
        return store.partition_by_tiling(*arguments)
    if name == "child":
        return store.get_child_store(*arguments[0])
    return getattr(store, name)(*arguments)


def chained(store, operations):
    """Return what recorded operations make of a store, one after the other."""
    for each in operations:
        store = applied(store, each)
    return store
