"""Constraints between the arguments of a task: which are cut alike, and which each point gets whole (Legate's)."""

from typing import NamedTuple

from accel.errors import StoreValueError

__all__ = ["Align", "Broadcast", "Constraint", "align", "broadcast"]


class Align(NamedTuple):
    """Stores of one shape that are cut alike."""

    names: tuple[str, ...]


class Broadcast(NamedTuple):
    """Stores that each point gets whole."""

    names: tuple[str, ...]


Constraint = Align | Broadcast


def align(*names: str) -> Align:
    """Require that these parameters get stores of one shape, cut alike.

    If all are plain stores, an engine may cut them itself: the task then must compute each element, or each row, of its
    results from the same elements or rows of its inputs.

    Examples
    --------
    >>> from accel.engines import align
    >>> align("x", "y")
    Align(names=('x', 'y'))
    """
    if len(names) < 2:
        raise StoreValueError(f"align needs two names or more, as in align('x', 'y'); found {len(names)}")
    return Align(names)


def broadcast(*names: str) -> Broadcast:
    """Require that each point of a launch gets these stores whole.

    Examples
    --------
    >>> from accel.engines import broadcast
    >>> broadcast("c")
    Broadcast(names=('c',))
    """
    if not names:
        raise StoreValueError("broadcast needs a name, as in broadcast('c')")
    return Broadcast(names)
