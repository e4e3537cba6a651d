"""`Item`: the value of a fill, converted to the dtype of the elements, and its bytes."""

from math import copysign
from typing import Any, NamedTuple

import numpy as np

from accel.dtypes import DType, exact_cast

__all__ = ["Item", "item_of"]

_MOST_KNOWN = 1024


class Item(NamedTuple):
    """A value of some dtype.

    Attributes
    ----------
    value : numpy scalar
        The value.
    byte : int
        Each of its bytes, if they are equal; else -1.
    low, high : int
        The 16 bytes of the value, once or repeated, as two integers; the least byte is the first one.
    """

    value: Any
    byte: int
    low: int
    high: int


_items: dict[Any, Item] = {}


def item_of(value: Any, dtype: DType, remedy: str = "") -> Item:
    """Return the value of a fill; ``remedy`` says what to write for several values.

    Parameters
    ----------
    value : number
        The value.
    dtype : numpy.dtype
        The dtype of the elements.
    remedy : str, default ""
        What to write for several values.

    Returns
    -------
    Item
        The value, of the dtype.

    Raises
    ------
    ValueError
        If there are several values.
    DTypeError, OverflowError
        If the dtype cannot hold it.
    """
    kind = type(value)
    # Others may have no hash, or be equal to values with other bytes, as -0.0 is to 0.0.
    if not (kind is int or (kind is float and (value or copysign(1.0, value) > 0))):
        return _converted(value, dtype, remedy)
    key = dtype, kind, value
    item = _items.get(key)
    if item is None:
        item = _converted(value, dtype, remedy)
        if len(_items) >= _MOST_KNOWN:
            _items.clear()
        _items[key] = item
    return item


def _converted(value: Any, dtype: DType, remedy: str) -> Item:
    scalar = exact_cast(value, dtype)
    if scalar.ndim:
        raise ValueError(f"fill takes one value; found {scalar.size}: {remedy}")
    number = scalar[()]
    content = scalar.tobytes()
    byte = content[0] if content.count(content[0]) == len(content) else -1
    low, high = np.frombuffer(content * (16 // len(content)), np.uint64).tolist()
    return Item(number, byte, low, high)
