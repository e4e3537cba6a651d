"""Copies of items that have to be found one by one: where a swizzle, a table or a bound has a say.

All memory that one needs is had before anything is written: running out of it leaves every byte as it was.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from accel import config
from accel.abc import Fill, Operand, Plan
from accel.dtypes import DType

from . import thresholds
from .places import CHUNK, Lister, Places, Positions, chunks, source_places, target_places
from .strided import Bytes, cast
from .workers import WORKERS

__all__ = ["Items", "copy_scattered"]

_Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Items:
    """The items of one end, of which some are read or written at a time; nothing is allocated for that.

    Values are given as bytes: a row for each item.

    Parameters
    ----------
    data : numpy.ndarray of uint8
        Bytes in which all of the items are.
    places : Places
        Where they are.
    count : int
        How many are read or written at a time, at most; no more than `CHUNK`.
    """

    __slots__ = ("_index", "_lister", "_unit", "_units")

    def __init__(self, data: Bytes, places: Places, count: int) -> None:
        self._unit = unit = places.unit
        self._units = data[: data.nbytes // unit * unit].view(f"V{unit}")
        self._lister = Lister(places, count)
        # Where the units are of which items consist, if that is more than one.
        self._index = np.empty((count, places.itemsize // unit), np.int64) if unit != places.itemsize else None

    def distances(self, low: int, high: int) -> Positions:
        """Return the distances of the items from one number to another, for the next call."""
        return self._lister.distances(low, high)

    def read(self, distances: Positions, values: Bytes) -> None:
        """Read the items of some distances, which are used up."""
        # With another mode NumPy would make a copy of the values first; all places are known to be inside.
        self._units.take(self._places(distances), out=values.reshape(-1).view(self._units.dtype), mode="clip")

    def write(self, distances: Positions, values: Bytes) -> None:
        """Write the items of some distances, which are used up."""
        self._units[self._places(distances)] = values.reshape(-1).view(self._units.dtype)

    def _places(self, distances: Positions) -> Positions:
        """Return where the units are of which the items consist."""
        first = self._lister.positions(distances)
        first //= self._unit
        if self._index is None:
            return first
        index = self._index[: first.size]
        for step in range(index.shape[1]):
            np.add(first, step, out=index[:, step])
        return index.reshape(-1)


class _Read(NamedTuple):
    """Items that were read: a row of bytes for each, and which of them were not, if a bound has a say."""

    values: Bytes
    unread: _Mask

    def part(self, low: int, high: int) -> "_Read":
        """Return those from one number to another."""
        return _Read(self.values[low:high], self.unread[low:high])


class _Mover:
    """Copies some items at a time, in memory that it has from the beginning."""

    def __init__(self, target: Items, source: Items, plan: Plan, dtypes: tuple[DType, DType], count: int) -> None:
        self._target, self._source = target, source
        self._bound, self._fill = plan.bound, plan.fill
        self._dtypes = dtypes
        self._casts = dtypes[0] != dtypes[1]
        self._converted = np.empty((count if self._casts else 0, dtypes[0].itemsize), np.uint8)
        self._room = self.room(count)

    def room(self, count: int) -> _Read:
        """Return memory for so many items that are read."""
        return _Read(np.empty((count, self._dtypes[1].itemsize), np.uint8), np.empty(count, np.bool_))

    def move(self, low: int, high: int) -> None:
        """Read and write the items from one number to another."""
        room = self._room.part(0, high - low)
        self.read(low, high, room)
        self.write(low, high, room)

    def read(self, low: int, high: int, room: _Read) -> None:
        """Read items, as far as they are below the bound."""
        distances = self._source.distances(low, high)
        if self._bound is None:
            self._source.read(distances, room.values)
            return
        np.greater_equal(distances, self._bound, out=room.unread)
        if _instead(distances, room.unread):
            self._source.read(distances, room.values)
        if self._fill is Fill.ZERO:
            np.copyto(room.values, 0, where=room.unread[:, np.newaxis])

    def write(self, low: int, high: int, room: _Read) -> None:
        """Write items that were read, as far as they go anywhere."""
        distances = self._target.distances(low, high)
        if self._bound is None or self._fill is Fill.ZERO or _instead(distances, room.unread):
            self._target.write(distances, self._cast(room.values))

    def _cast(self, values: Bytes) -> Bytes:
        if not self._casts:
            return values
        converted = self._converted[: len(values)]
        cast(converted.view(self._dtypes[0]), values.view(self._dtypes[1]))
        return converted


def _instead(distances: Positions, unread: _Mask) -> bool:
    """Let each item that is not read be the first one that is, at both ends alike; tell whether there is one.

    To leave them out, NumPy would need memory for the others.
    """
    first = unread.argmin()
    np.copyto(distances, distances[first], where=unread)
    return not unread[first]


def copy_scattered(
    target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan, dtypes: tuple[DType, DType]
) -> None:
    """Copy items between any places; those of the source are all read first if the plan says so.

    Raises
    ------
    BoundsError
        If one is not inside of the data; nothing is written.
    """
    to = target_places(target, plan, dtypes[0].itemsize)
    of = source_places(source, plan, dtypes[1].itemsize)
    to.refuse_outside(into.nbytes)
    of.refuse_outside(out_of.nbytes, plan.bound)
    count = min(CHUNK, plan.size)

    def mover() -> _Mover:
        return _Mover(Items(into, to, count), Items(out_of, of, count), plan, dtypes, count)

    if plan.buffered:
        _all_read_first(mover(), plan.size)
    else:
        _shared(mover, plan)


def _all_read_first(mover: _Mover, size: int) -> None:
    room = mover.room(size)
    for low, high in chunks(0, size):
        mover.read(low, high, room.part(low, high))
    for low, high in chunks(0, size):
        mover.write(low, high, room.part(low, high))


def _shared(mover: Callable[[], _Mover], plan: Plan) -> None:
    """Let each thread have a mover, all of which are made before any begins."""
    threads = min(config.current().threads, plan.nbytes // thresholds.SCATTERED_SHARE)
    idle = deque([mover() for _ in range(max(threads, 1))])

    def work(low: int, high: int) -> None:
        try:
            mine = idle.pop()
        except IndexError:  # the setting was raised meanwhile
            mine = mover()
        try:
            for begin, end in chunks(low, high):
                mine.move(begin, end)
        finally:
            idle.append(mine)

    WORKERS.share(work, plan.size, plan.nbytes)
