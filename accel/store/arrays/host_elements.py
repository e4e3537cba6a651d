"""Elements on the host: the ranges of lists, and the bytes of strings."""

from itertools import pairwise
from typing import Any

import numpy as np

from accel.errors import DeviceMismatchError, FormatError
from accel.memory.host_storage import HostArray
from accel.store.physical_store import PhysicalStore

__all__ = ["check_ranges", "cut", "image_of", "on_host", "strings_of", "with_nulls"]


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


def image_of(ranges: HostArray, first: int, count: int) -> tuple[int, int]:
    """Return the coordinates from the first value that ranges refer to, to past the last one.

    Raises
    ------
    FormatError
        If a range is outside of the values, which begin at ``first``.
    """
    check_ranges(ranges, first, count)
    used = ranges[ranges[:, 1] >= ranges[:, 0]]
    return (int(used[:, 0].min()), int(used[:, 1].max()) + 1) if len(used) else (first, first)


def cut(elements: Any, ranges: HostArray) -> list[Any]:
    """Return the elements in each inclusive range."""
    if not isinstance(elements, dict):
        return [elements[low : high + 1] for low, high in ranges.tolist()]
    columns = [cut(each, ranges) for each in elements.values()]
    return [dict(zip(elements, row, strict=True)) for row in zip(*columns, strict=True)]


def strings_of(chars: HostArray, starts: HostArray, valid: HostArray | None) -> list[str | None]:
    """Return strings from their bytes in UTF-8 and the places where they start; None for each null.

    Raises
    ------
    FormatError
        If a string that is not null is no UTF-8.
    """
    try:
        strings: list[str | None] = _decoded(chars, starts)
    except UnicodeDecodeError:
        return _one_by_one(chars, starts, valid)
    return with_nulls(strings, valid)


def with_nulls(elements: list[Any], valid: HostArray | None) -> list[Any]:
    """Return elements, with None for those that are not valid."""
    return elements if valid is None else [each if flag else None for each, flag in zip(elements, valid, strict=True)]


def _decoded(chars: Any, starts: HostArray) -> list[str | None]:
    """Return strings that have all bytes; the text is decoded once, and cut.

    Separators are put between the strings, as Python splits faster than a loop can slice. They also end a character
    that is cut in two.
    """
    if not (chars == 0).any():
        separated: Any = np.insert(chars, starts[1:-1], 0)
        return [*str(memoryview(separated), "utf-8").split("\0")]
    text = memoryview(chars)
    return [str(text[low:high], "utf-8") for low, high in pairwise(starts.tolist())]


def _one_by_one(chars: Any, starts: HostArray, valid: HostArray | None) -> list[str | None]:
    """Return strings of which some that are null are no UTF-8."""
    strings: list[str | None] = []
    for i, (low, high) in enumerate(pairwise(starts.tolist())):
        try:
            strings.append(str(memoryview(chars)[low:high], "utf-8") if valid is None or valid[i] else None)
        except UnicodeDecodeError as error:
            raise FormatError(f"string {i} is no UTF-8: {error.reason} at its byte {error.start}") from None
    return strings
