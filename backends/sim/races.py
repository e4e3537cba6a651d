"""The race check, by vector clocks: it reports accesses to the same bytes that no stream or event orders.

Each stream counts its operations. The vector clock of an operation says, for each stream, how many of its operations
happen before this one: those before it in its own stream, those before the events it waits for, and those the host
knew to be done when it submitted the operation. Two operations are ordered if the clock of one includes the other,
whatever order they happened to run in. What an event of another device orders is not known: it is taken to order
everything that the host has seen by then, so some races with such events are missed.

Reuse of freed memory is not reported: the allocator itself must wait for the last uses of memory that it reuses.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any
from weakref import ref

from accel.device import Device
from accel.errors import RaceError

from .regions import Region

__all__ = ["AccessHistory", "Operation", "RaceDetector", "VectorClock", "union"]

VectorClock = Mapping[int, int]
"""Maps the number of a stream to how many of its operations are known to be done."""


def union(clocks: Iterable[VectorClock]) -> dict[int, int]:
    """Return the elementwise maximum of some clocks."""
    latest: dict[int, int] = {}
    for clock in clocks:
        for number, tick in clock.items():
            if tick > latest.get(number, 0):
                latest[number] = tick
    return latest


class Operation:
    """One operation of a stream, as the race check sees it.

    Attributes
    ----------
    device : Device
        The device of its stream.
    stream, number : str, int
        Name and number of its stream.
    tick : int
        Which of the stream's operations it is.
    what, site : str
        What it does, and the call site in the user's code that submitted it.
    clock : Mapping
        The operations that happen before it, and itself.
    nbytes : int
        Bytes read and written.
    of_host : tuple of weakref.ref
        The arrays that own the memory of the host that it uses, as far as that is known.
    """

    __slots__ = ("clock", "device", "nbytes", "number", "of_host", "site", "stream", "tick", "what")

    def __init__(self, device: Device, stream: str, what: str, site: str) -> None:
        self.device = device
        self.stream = stream
        self.what = what
        self.site = site
        self.number = self.tick = self.nbytes = 0
        self.clock: VectorClock = {}
        self.of_host: tuple[ref[object], ...] = ()

    @property
    def freed(self) -> bool:
        """Whether the host's memory that it used is gone, so that other memory may have its address."""
        return bool(self.of_host) and all(array() is None for array in self.of_host)

    def use_host(self, native: Any) -> None:
        """Note an array of bytes of the host that it uses."""
        while getattr(native, "base", None) is not None:
            native = native.base
        with suppress(TypeError):  # the object that owns the memory has no weak references
            self.of_host = (*self.of_host, ref(native))

    def __str__(self) -> str:
        return f"{self.what} on {self.stream}, submitted at {self.site}"


class _Track:
    """The accesses of one stream to one block: the last read and the last write of each region."""

    __slots__ = ("accesses", "full", "latest")

    def __init__(self) -> None:
        self.latest = 0
        self.full = 32
        self.accesses: dict[tuple[Region, bool], tuple[int, Operation]] = {}

    def enter(self, operation: Operation, region: Region, *, writing: bool, floor: int) -> None:
        """Add an access; drop those up to ``floor``, as every later operation comes after them."""
        self.latest = operation.tick
        self.accesses[region, writing] = operation.tick, operation
        if len(self.accesses) > self.full:
            self.accesses = {key: (tick, by) for key, (tick, by) in self.accesses.items() if tick > floor}
            self.full = 32 + 2 * len(self.accesses)


class AccessHistory:
    """The accesses to one block that a later operation may be unordered with.

    Parameters
    ----------
    block : str
        How reports call the block.
    pointer : int
        Address of its first byte.
    of_host : bool
        Whether it is all memory of the host, of which some may be freed and its address used again.
    """

    __slots__ = ("block", "of_host", "pointer", "tracks")

    def __init__(self, block: str, pointer: int, *, of_host: bool = False) -> None:
        self.of_host = of_host
        self.block = block
        self.pointer = pointer
        self.tracks: dict[int, _Track] = {}

    def conflict(
        self, operation: Operation, region: Region, active: Container[int], *, writing: bool
    ) -> Operation | None:
        """Return an unordered operation that accessed the same bytes, if it or this access writes; None if none did."""
        for number, track in list(self.tracks.items()):
            if number not in active:
                del self.tracks[number]
                continue
            before = operation.clock.get(number, 0)
            if number == operation.number or before >= track.latest:
                continue
            for (other, wrote), (tick, by) in track.accesses.items():
                if tick > before and (writing or wrote) and region.overlaps(other) and not (self.of_host and by.freed):
                    return by
        return None


class RaceDetector:
    """Tracks the order of all operations, and reports races.

    Attributes
    ----------
    reports : deque of str
        The last thousand races; the caller clears it after reading.
    host : Mapping
        The clock of the host: what it has seen to be done. All threads count as one: races between threads are not
        checked.
    """

    def __init__(self) -> None:
        self.reports: deque[str] = deque(maxlen=1000)
        self.host: VectorClock = {}
        self._of_host = AccessHistory("the host's memory", 0, of_host=True)
        self._numbers = count(1)
        # The last operation of each stream, if a later operation may be unordered with it.
        self._active: dict[int, Operation] = {}
        self._floor: VectorClock = {}
        self._calls = self._limit = 0

    def begin(self, operation: Operation, number: int, before: Iterable[VectorClock]) -> int:
        """Give an operation its clock, from the clocks that come before it; return its stream's number from now on."""
        latest = union(before)
        clock = {other: tick for other, tick in latest.items() if other in self._active}
        if number not in self._active:  # the stream is new, or was forgotten
            number = next(self._numbers)
        operation.number, operation.tick = number, clock.get(number, 0) + 1
        clock[number] = operation.tick
        operation.clock = clock
        self._active[number] = operation
        return number

    def see(self, clocks: Iterable[VectorClock], pending: Iterable[VectorClock]) -> None:
        """Add clocks to the host's; ``pending`` are the host's clocks at the submission of work that has not run."""
        new = [*clocks]
        self._know(lambda before: union((before, *new)))
        self._calls += 1
        # Forget once per as many calls as streams were left the last time: if new streams counted, it might never run.
        if self._calls > self._limit:
            self._calls = 0
            self._forget([self.host, *pending])
            self._limit = len(self._active)

    def see_all(self, concerns: Callable[[Operation], bool], pending: Iterable[VectorClock]) -> None:
        """Add the clocks of all operations that have run, and that a predicate selects, to the host's."""
        self.see([operation.clock for operation in [*self._active.values()] if concerns(operation)], pending)

    def _forget(self, clocks: list[VectorClock]) -> None:
        """Forget the streams whose operations all come before any later one, so that clocks stay small."""
        active = self._active.copy()
        floor = {number: min(clock.get(number, 0) for clock in clocks) for number in active}
        for number, last in active.items():
            # No call in this condition: during a call, a finaliser or a signal handler may run work of the stream.
            if floor[number] >= last.tick and number in self._active and self._active[number] is last:
                del self._active[number]
        self._floor = {number: tick for number, tick in floor.items() if number in self._active}
        self._know(lambda before: {number: tick for number, tick in before.items() if number in self._active})

    def _know(self, change: Callable[[VectorClock], VectorClock]) -> None:
        """Change the host's clock; again if a finaliser or a signal handler has changed it meanwhile."""
        while True:
            before = self.host
            after = change(before)
            if self.host is before:  # no calls between this check and the assignment: nothing can interrupt
                self.host = after
                return

    def touch(self, operation: Operation, history: AccessHistory | None, region: Region, *, writing: bool) -> None:
        """Record an access, to the host's memory if ``history`` is None.

        Raises
        ------
        RaceError
            If an unordered operation accessed the same bytes, and one of the two writes.
        """
        if region.low == region.high:
            return
        operation.nbytes += region.nbytes
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
        f"a race: {operation} {verb} bytes [{low}, {high}) of {history.block}, which are also used by {other}; "
        f"nothing orders the two: let one wait for the other, as in stream.wait_for(other_stream.record())"
    )
