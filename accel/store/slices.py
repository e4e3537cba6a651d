"""`Slice`: a range of a dimension with open ends (Legate's)."""

from typing import NamedTuple

__all__ = ["OPEN", "Slice"]

OPEN = None
"""An open end of a `Slice`."""


class Slice(NamedTuple):
    """A range of a dimension; an open end is that of the dimension, and negative bounds count from the end."""

    start: int | None = OPEN
    stop: int | None = OPEN
