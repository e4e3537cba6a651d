"""Refuses targets whose layout is not injective: an element that is named twice cannot keep two values."""

import numpy as np

from accel.copies.elements import OffsetTable
from accel.copies.offset_ranges import Leaves
from accel.copies.repeats import names_twice
from accel.errors import OverlapError

__all__ = ["names_twice", "refuse_repeated_bytes", "refuse_repeats", "refuse_repeats_in_table"]


def refuse_repeats(target: Leaves) -> None:
    """Raise `OverlapError` if two elements of a target are the same; strides are in elements."""
    if names_twice(target):
        extents, strides = zip(*target, strict=True)
        raise OverlapError(
            f"a target of extents {extents} and strides {strides} (the fastest first) names an element twice, and one "
            f"cannot keep two values; write to a layout without overlap, or copy the target first"
        )


def refuse_repeats_in_table(table: OffsetTable) -> None:
    """Raise `OverlapError` if an offset is in a target's table twice."""
    if not table.size:
        return
    low = int(table.min())
    named = np.zeros(int(table.max()) - low + 1, np.bool_)  # sorting the offsets would take longer than most copies
    named[table - low] = True
    if np.count_nonzero(named) < table.size:
        offsets, counts = np.unique(table, return_counts=True)
        repeated = int(offsets[counts > 1][0])
        raise OverlapError(f"the target's table names the element at offset {repeated} twice; write each element once")


def refuse_repeated_bytes(target: Leaves, itemsize: int) -> None:
    """Raise `OverlapError` if two elements of a target share a byte; strides are in bytes."""
    if all(stride % itemsize == 0 for _, stride in target):
        refuse_repeats(target)
    else:  # an element may begin inside another, so it counts as a row of bytes
        refuse_repeats(((itemsize, 1), *target))
