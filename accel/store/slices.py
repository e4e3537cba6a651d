"""`Slice`: an interval along a dimension of a store (Legate's)."""

from typing import NamedTuple

__all__ = ["OPEN", "Slice"]

OPEN = None
"""An end of a `Slice` that is the end of the dimension."""


class Slice(NamedTuple):
    """The elements from ``start`` to before ``stop`` along a dimension (Legate's ``Slice``).

    A negative end counts from the end of the dimension. If ``start`` is not before ``stop`` there are no elements.

    Attributes
    ----------
    start, stop : int or None
        The first index, and the index after the last one; ``Slice.OPEN``, which is None, for the end of the dimension.

    Examples
    --------
    >>> from accel.store import Slice, create_store
    >>> store = create_store("float32", (6,))
    >>> store.slice(0, Slice(1, -1)).shape, store.slice(0, Slice(4)).shape, store.slice(0, Slice(4, 2)).shape
    ((4,), (2,), (0,))
    """

    OPEN = OPEN  # type: ignore[misc]  # an attribute of the class, not a field

    start: int | None = OPEN
    stop: int | None = OPEN
