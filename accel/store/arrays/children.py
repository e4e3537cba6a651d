"""What logical and physical arrays share: child arrays, and ranges of lists."""

from collections.abc import Sequence
from operator import index as as_index
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from accel.errors import DeviceMismatchError, FormatError, StoreIndexError, StoreValueError
from accel.memory.host_storage import HostArray
from accel.store.physical_store import PhysicalStore

__all__ = ["check_ranges", "child_at", "on_host"]

_Array = TypeVar("_Array")


def child_at(children: Sequence[_Array], index: SupportsIndex, kind: str) -> _Array:
    """Return a child of an array.

    Raises
    ------
    StoreValueError
        If there are none.
    StoreIndexError
        If there is no such child.
    """
    if not children:
        raise StoreValueError(f"Non-nested array has no child sub-array: this is a {kind}; take its data")
    at = as_index(index)
    if not 0 <= at < len(children):
        raise StoreIndexError(f"child {at} is out of range: this {kind} has children 0 to {len(children) - 1}")
    return children[at]


def on_host(store: PhysicalStore) -> Any:
    """Return the elements as a read-only NumPy array.

    Raises
    ------
    DeviceMismatchError
        If they are on a device.
    """
    array = store.span_read_accessor()
    if not isinstance(array, np.ndarray):
        raise DeviceMismatchError(
            f"the host cannot read memory of {store.device}; write array.get_physical_array('cpu') outside of a task"
        )
    return array


def check_ranges(ranges: HostArray, first: int, count: int) -> None:
    """Check that inclusive ranges of lists are inside of their values.

    Parameters
    ----------
    ranges : numpy.ndarray of int64
        The first and the last element of each list; the last is the first - 1 for an empty one.
    first, count : int
        The coordinate of the first value, and the number of values.

    Raises
    ------
    FormatError
        With the first list that is wrong.
    """
    low, high = ranges[:, 0], ranges[:, 1]
    # No difference is taken: it could overflow.
    wrong = (high < low) & ((high == np.iinfo(np.int64).max) | (high + 1 != low))
    wrong |= (high >= low) & ((low < first) | (high >= first + count))
    if wrong.any():
        i = int(wrong.argmax())
        raise FormatError(
            f"list {i} has the elements {low[i]} to {high[i]}, both included; the values there are {first} to "
            f"{first + count - 1}, and an empty list ends one before its start"
        )
