"""The race check, by vector clocks: which operations happen before which, and what others may not share.

Each stream counts its operations. A clock says, for each stream, how many of its operations are known to be over: those
before an operation in its stream, those before the events it waits for, and those the host had seen to be over when it
submitted the operation. Two operations are ordered if the clock of one has the other, whatever order they happened to
run in. Of events that are not of a simulated device it is not known what they order: they count as ordering all that
the host has seen by then, so some races with them go unseen.

Reuse of freed memory is no race: an allocator must itself wait for the uses of what it gives out again.
"""

import math
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.errors import RaceError

__all__ = ["AccessHistory", "Operation", "RaceDetector", "Region", "VectorClock", "joined"]

_Addresses = np.ndarray[Any, np.dtype[np.int64]]

VectorClock = Mapping[int, int]
"""By number of stream, how many of its operations are known to be over."""

# Whether two sets of strided bytes meet is hard in general, and easy for all that people write.
_EFFORT = 100_000


def joined(clocks: Iterable[VectorClock]) -> dict[int, int]:
    """Return the clock of who knows what several know."""
    found: dict[int, int] = {}
    for clock in clocks:
        for number, tick in clock.items():
            if tick > found.get(number, 0):
                found[number] = tick
    return found


class Operation:
    """A piece of work as the race check sees it.

    Attributes
    ----------
    device : Device
        The device of its stream.
    stream, number : str, int
        Name and number of its stream.
    tick : int
        Which of the stream's operations it is.
    what, site : str
        What it does, and where in the user's code it was submitted.
    clock : Mapping
        The operations that happen before it, itself included.
    moved : int
        Bytes read and written.
    """

    __slots__ = ("clock", "device", "moved", "number", "site", "stream", "tick", "what")

    def __init__(self, device: Device, stream: str, what: str, site: str) -> None:
        self.device = device
        self.stream = stream
        self.what = what
        self.site = site
        self.number = self.tick = self.moved = 0
        self.clock: VectorClock = {}

    def __str__(self) -> str:
        return f"{self.what} on {self.stream}, submitted at {self.site}"


class Region(NamedTuple):
    """Elements in an address space: the bytes from ``low`` to ``high``, or some of them.

    Where no strides say which, ``items`` has the address of each, rising, as the bytes of 64-bit integers: a region is
    known again by its value.
    """

    low: int
    high: int
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    items: bytes = b""

    @classmethod
    def at(cls, address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> "Region":
        """Return the region of elements by the address of the first."""
        if 0 in shape:
            return cls(address, address, address, shape, strides, itemsize)
        steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
        low = address + sum(step for step in steps if step < 0)
        high = address + sum(step for step in steps if step > 0) + itemsize
        return cls(low, high, address, shape, strides, itemsize)

    @classmethod
    def of_items(cls, addresses: _Addresses, itemsize: int) -> "Region":
        """Return the region of elements by the address of each, in any order."""
        if not addresses.size:
            return cls.at(0, (0,), (0,), itemsize)
        rising = np.sort(addresses)
        low, high = int(rising[0]), int(rising[-1]) + itemsize
        return cls(low, high, low, rising.shape, (0,), itemsize, rising.tobytes())

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return math.prod(self.shape) * self.itemsize

    def overlaps(self, other: "Region") -> bool:
        """Tell whether two regions share a byte."""
        if self.high <= other.low or other.high <= self.low:
            return False
        if self.items or other.items:
            return _meet(*_pieces(self), *_pieces(other))
        try:
            return bool(np.shares_memory(_outline(self), _outline(other), max_work=_EFFORT))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


def _pieces(region: Region) -> tuple[_Addresses, int]:
    """Return the addresses, rising, of pieces that make up a region, and the bytes of a piece."""
    if region.items:
        return np.frombuffer(region.items, np.int64), region.itemsize
    found, nbytes = np.full(1, region.address), region.itemsize
    for stride, extent in sorted(zip(region.strides, region.shape, strict=True), key=lambda loop: abs(loop[0])):
        if stride == nbytes and found.size == 1:
            nbytes *= extent
        else:
            found = (found[:, None] + np.arange(extent) * stride).reshape(-1)
    return np.sort(found), nbytes


def _meet(ours: _Addresses, length: int, theirs: _Addresses, other: int) -> bool:
    """Tell whether a piece shares a byte with one of theirs: with the first that ends after it begins."""
    first = np.searchsorted(theirs, ours - other, side="right")
    there = first < theirs.size
    return bool(np.any(theirs[first[there]] < ours[there] + length))


class _Outline:
    """What NumPy makes an array of that has a shape and no memory: its elements must never be looked at."""

    __slots__ = ("__array_interface__",)

    def __init__(self, region: Region) -> None:
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": region.shape,
            "strides": region.strides,
            "typestr": f"|V{region.itemsize}",
            "data": (region.address, True),
        }


def _outline(region: Region) -> "np.ndarray[Any, np.dtype[np.void]]":
    return np.asarray(_Outline(region))


class _Track:
    """What one stream did to one block: for each region its last read and write there."""

    __slots__ = ("accesses", "full", "latest")

    def __init__(self) -> None:
        self.latest = 0
        self.full = 32
        self.accesses: dict[tuple[Region, bool], tuple[int, Operation]] = {}

    def enter(self, operation: Operation, region: Region, *, writing: bool, floor: int) -> None:
        """Remember an access, and forget those that all to come are ordered after."""
        self.latest = operation.tick
        self.accesses[region, writing] = operation.tick, operation
        if len(self.accesses) > self.full:
            self.accesses = {key: (tick, by) for key, (tick, by) in self.accesses.items() if tick > floor}
            self.full = 32 + 2 * len(self.accesses)


class AccessHistory:
    """Who used one block, as far as anything yet to come may be unordered with it.

    Parameters
    ----------
    block : str
        What it is called.
    pointer : int
        Address of its first byte.
    """

    __slots__ = ("block", "pointer", "tracks")

    def __init__(self, block: str, pointer: int) -> None:
        self.block = block
        self.pointer = pointer
        self.tracks: dict[int, _Track] = {}

    def conflict(
        self, operation: Operation, region: Region, active: Container[int], *, writing: bool
    ) -> Operation | None:
        """Return an operation without an order to this that touched the same bytes, where one of the two writes."""
        for number, track in list(self.tracks.items()):
            if number not in active:
                del self.tracks[number]
                continue
            known = operation.clock.get(number, 0)
            if number == operation.number or known >= track.latest:
                continue
            for (other, wrote), (tick, by) in track.accesses.items():
                if tick > known and (writing or wrote) and region.overlaps(other):
                    return by
        return None


class RaceDetector:
    """Knows what is ordered, and reports what is not.

    Attributes
    ----------
    reports : deque of str
        The races seen, the last thousand of them; to be read and cleared by whoever asks.
    host : Mapping
        What the host has seen to be over. Its threads count as one: their order is Python's business.
    """

    def __init__(self) -> None:
        self.reports: deque[str] = deque(maxlen=1000)
        self.host: VectorClock = {}
        self._of_host = AccessHistory("the host's memory", 0)
        self._numbers = count(1)
        # The last operation of each stream that something to come may be unordered with.
        self._active: dict[int, Operation] = {}
        self._floor: VectorClock = {}
        self._seen = self._left = 0

    def begin(self, operation: Operation, number: int, before: Iterable[VectorClock]) -> int:
        """Let an operation's turn come after those in some clocks; return the number of its stream from now on."""
        known = joined(before)
        clock = {other: tick for other, tick in known.items() if other in self._active}
        if number not in self._active:  # what it did under that number is history
            number = next(self._numbers)
        operation.number, operation.tick = number, clock.get(number, 0) + 1
        clock[number] = operation.tick
        operation.clock = clock
        self._active[number] = operation
        return number

    def see(self, clocks: Iterable[VectorClock], pending: Iterable[VectorClock]) -> None:
        """Let the host know what some clocks say is over; ``pending`` is what was known when waiting work came."""
        found = [*clocks]
        self._know(lambda seen: joined((seen, *found)))
        self._seen += 1
        # Once for as many as were left the last time; if new streams counted too, they could put it off for ever.
        if self._seen > self._left:
            self._seen = 0
            self._forget([self.host, *pending])
            self._left = len(self._active)

    def see_all(self, concerns: Callable[[Operation], bool], pending: Iterable[VectorClock]) -> None:
        """Let the host know that all operations that have run and concern it are over."""
        self.see([operation.clock for operation in [*self._active.values()] if concerns(operation)], pending)

    def _forget(self, clocks: list[VectorClock]) -> None:
        """Forget the streams of which all to come knows everything: clocks would only grow."""
        active = self._active.copy()
        floor = {number: min(clock.get(number, 0) for clock in clocks) for number in active}
        for number, last in active.items():
            # No call in this condition: meanwhile a finaliser or a signal handler may let a stream go on.
            if floor[number] >= last.tick and number in self._active and self._active[number] is last:
                del self._active[number]
        self._floor = {number: tick for number, tick in floor.items() if number in self._active}
        self._know(lambda seen: {number: tick for number, tick in seen.items() if number in self._active})

    def _know(self, change: Callable[[VectorClock], VectorClock]) -> None:
        """Change what the host has seen to be over; a finaliser or a signal handler may do so meanwhile."""
        while True:
            seen = self.host
            known = change(seen)
            if self.host is seen:  # no call from here on
                self.host = known
                return

    def touch(self, operation: Operation, history: AccessHistory | None, region: Region, *, writing: bool) -> None:
        """Enter an access, of the host's memory where there is no history of a block.

        Raises
        ------
        RaceError
            If an operation without an order to this one touched the same bytes.
        """
        if region.low == region.high:
            return
        operation.moved += region.nbytes
        history = self._of_host if history is None else history
        other = history.conflict(operation, region, self._active, writing=writing)
        track = history.tracks.setdefault(operation.number, _Track())
        track.enter(operation, region, writing=writing, floor=self._floor.get(operation.number, 0))
        if other is not None:
            report = _reported(operation, other, history, region, writing=writing)
            self.reports.append(report)
            raise RaceError(report)


def _reported(operation: Operation, other: Operation, history: AccessHistory, region: Region, *, writing: bool) -> str:
    verb = "writes" if writing else "reads"
    low, high = region.low - history.pointer, region.high - history.pointer
    return (
        f"a race: {operation} {verb} bytes [{low}, {high}) of {history.block}, which are used without an order to that "
        f"by {other}; let one wait for the other, as in stream.wait_for(other_stream.record())"
    )
