"""Copies whose offsets are computed item by item: those with a swizzle, an offset table or a bound.

A copy allocates all its buffers before it writes: if the host runs out of memory, the target is unchanged.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from accel import config
from accel.abc import Fill, Operand, Plan
from accel.dtypes import DType

from . import thresholds
from .item_offsets import CHUNK, ItemOffsets, OffsetArray, OffsetLister, chunks, source_offsets, target_offsets
from .numpy_copy import Bytes, cast
from .workers import WORKERS

__all__ = ["Items", "copy_indexed"]

_Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Items:
    """Reads and writes the items at one end of a copy, chunk by chunk, without allocating.

    Values are passed as bytes, of shape (items, itemsize).

    Parameters
    ----------
    data : numpy.ndarray of uint8
        Bytes that contain all of the items.
    offsets : ItemOffsets
        The offsets of the items.
    count : int
        The most items of a chunk; at most `CHUNK`.
    """

    __slots__ = ("_index", "_lister", "_unit", "_units")

    def __init__(self, data: Bytes, offsets: ItemOffsets, count: int) -> None:
        self._unit = unit = offsets.unit
        self._units = data[: data.nbytes // unit * unit].view(f"V{unit}")
        self._lister = OffsetLister(offsets, count)
        # Indices of the units of a chunk's items, if an item has more than one.
        self._index = np.empty((count, offsets.itemsize // unit), np.int64) if unit != offsets.itemsize else None

    def raw_offsets(self, low: int, high: int) -> OffsetArray:
        """Return the raw offsets of the items ``low`` to ``high``, valid until the next call."""
        return self._lister.raw_offsets(low, high)

    def read(self, raw: OffsetArray, values: Bytes) -> None:
        """Read the items at some raw offsets; the array of offsets is overwritten."""
        # In any other mode NumPy copies `out` first. The offsets have been checked, so nothing is clipped.
        self._units.take(self._unit_indices(raw), out=values.reshape(-1).view(self._units.dtype), mode="clip")

    def write(self, raw: OffsetArray, values: Bytes) -> None:
        """Write the items at some raw offsets; the array of offsets is overwritten."""
        self._units[self._unit_indices(raw)] = values.reshape(-1).view(self._units.dtype)

    def _unit_indices(self, raw: OffsetArray) -> OffsetArray:
        """Return the indices of the units that make up the items."""
        first = self._lister.span_offsets(raw)
        first //= self._unit
        if self._index is None:
            return first
        index = self._index[: first.size]
        for step in range(index.shape[1]):
            np.add(first, step, out=index[:, step])
        return index.reshape(-1)


class _Read(NamedTuple):
    """Items that were read, as rows of bytes, and a mask of the items at or above the bound, which were not."""

    values: Bytes
    unread: _Mask

    def part(self, low: int, high: int) -> "_Read":
        """Return the rows ``low`` to ``high``."""
        return _Read(self.values[low:high], self.unread[low:high])


class _Mover:
    """Copies items chunk by chunk, in buffers that it allocates once."""

    def __init__(self, target: Items, source: Items, plan: Plan, dtypes: tuple[DType, DType], count: int) -> None:
        self._target, self._source = target, source
        self._bound, self._fill = plan.bound, plan.fill
        self._dtypes = dtypes
        self._casts = dtypes[0] != dtypes[1]
        self._converted = np.empty((count if self._casts else 0, dtypes[0].itemsize), np.uint8)
        self._room = self.room(count)

    def room(self, count: int) -> _Read:
        """Return an uninitialised buffer for ``count`` items."""
        return _Read(np.empty((count, self._dtypes[1].itemsize), np.uint8), np.empty(count, np.bool_))

    def move(self, low: int, high: int) -> None:
        """Copy the items ``low`` to ``high``."""
        room = self._room.part(0, high - low)
        self.read(low, high, room)
        self.write(low, high, room)

    def read(self, low: int, high: int, room: _Read) -> None:
        """Read the items ``low`` to ``high`` that are below the bound."""
        raw = self._source.raw_offsets(low, high)
        if self._bound is None:
            self._source.read(raw, room.values)
            return
        np.greater_equal(raw, self._bound, out=room.unread)
        if _replace_unread(raw, room.unread):
            self._source.read(raw, room.values)
        if self._fill is Fill.ZERO:
            np.copyto(room.values, 0, where=room.unread[:, np.newaxis])

    def write(self, low: int, high: int, room: _Read) -> None:
        """Write the items ``low`` to ``high`` that were read, or filled."""
        raw = self._target.raw_offsets(low, high)
        if self._bound is None or self._fill is Fill.ZERO or _replace_unread(raw, room.unread):
            self._target.write(raw, self._cast(room.values))

    def _cast(self, values: Bytes) -> Bytes:
        if not self._casts:
            return values
        converted = self._converted[: len(values)]
        cast(converted.view(self._dtypes[0]), values.view(self._dtypes[1]))
        return converted


def _replace_unread(raw: OffsetArray, unread: _Mask) -> bool:
    """Replace the offset of each unread item by that of the first read one; return whether any item is read.

    Both ends do the same, so that item is copied several times. To select the others NumPy would have to allocate.
    """
    first = unread.argmin()
    np.copyto(raw, raw[first], where=unread)
    return not unread[first]


def copy_indexed(
    target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan, dtypes: tuple[DType, DType]
) -> None:
    """Copy items between any offsets.

    If the plan is ``buffered``, the whole source is read before anything is written.

    Raises
    ------
    BoundsError
        If an item lies outside of the data; nothing is written.
    """
    to = target_offsets(target, plan, dtypes[0].itemsize)
    of = source_offsets(source, plan, dtypes[1].itemsize)
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
    """Copy with one mover for each thread, all of which are made before the copy begins."""
    threads = min(config.current().threads, plan.nbytes // thresholds.INDEXED_SHARE)
    idle = deque([mover() for _ in range(max(threads, 1))])

    def copy_range(low: int, high: int) -> None:
        try:
            own = idle.pop()
        except IndexError:  # the setting `threads` was raised meanwhile
            own = mover()
        try:
            for begin, end in chunks(low, high):
                own.move(begin, end)
        finally:
            idle.append(own)

    WORKERS.share(copy_range, plan.size, plan.nbytes)
