"""The race check: which work is ordered before which, and what two pieces of work without an order may not share.

Each stream counts its units. A clock says, for each stream, how many of its units are known to be over: those before a
unit in its stream, those before the events it waits for, and those the host had seen to be over when it submitted the
unit. Two units are ordered if one is in the clock of the other, whatever order they happened to run in.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.errors import RaceError

__all__ = ["Book", "Clock", "Deed", "Place", "Referee", "joined"]

Clock = Mapping[int, int]
"""By number of stream, how many of its units are known to be over."""

# Whether two sets of strided bytes meet is hard in general, and easy for all that people write.
_EFFORT = 100_000


def joined(clocks: Iterable[Clock]) -> dict[int, int]:
    """Return the clock of who knows what several know."""
    found: dict[int, int] = {}
    for clock in clocks:
        for number, tick in clock.items():
            if tick > found.get(number, 0):
                found[number] = tick
    return found


class Deed:
    """A unit of work as the race check sees it.

    Attributes
    ----------
    device : Device
        The device of its stream.
    stream, number : str, int
        Name and number of its stream.
    what, site : str
        What it does, and where in the user's code it was submitted.
    clock : Mapping
        The units that are ordered before it, itself included.
    moved : int
        Bytes read and written.
    """

    __slots__ = ("clock", "device", "moved", "number", "site", "stream", "what")

    def __init__(self, device: Device, stream: str, number: int, what: str, site: str) -> None:
        self.device = device
        self.stream = stream
        self.number = number
        self.what = what
        self.site = site
        self.clock: Clock = {}
        self.moved = 0

    @property
    def tick(self) -> int:
        """Which of its stream's units it is."""
        return self.clock[self.number]

    def __str__(self) -> str:
        return f"{self.what} on {self.stream}, submitted at {self.site}"


class Place(NamedTuple):
    """Elements in an address space: the bytes from ``low`` to ``high``, or some of them."""

    low: int
    high: int
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @classmethod
    def at(cls, address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> "Place":
        """Return the place of elements by the address of the first."""
        if 0 in shape:
            return cls(address, address, address, shape, strides, itemsize)
        steps = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
        low = address + sum(step for step in steps if step < 0)
        high = address + sum(step for step in steps if step > 0) + itemsize
        return cls(low, high, address, shape, strides, itemsize)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return math.prod(self.shape) * self.itemsize

    def meets(self, other: "Place") -> bool:
        """Tell whether two places share a byte."""
        if self.high <= other.low or other.high <= self.low:
            return False
        try:
            return bool(np.shares_memory(_outline(self), _outline(other), max_work=_EFFORT))  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True


class _Outline:
    """What NumPy makes an array of that has a shape and no memory: its elements must never be looked at."""

    __slots__ = ("__array_interface__",)

    def __init__(self, place: Place) -> None:
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": place.shape,
            "strides": place.strides,
            "typestr": f"|V{place.itemsize}",
            "data": (place.address, True),
        }


def _outline(place: Place) -> "np.ndarray[Any, np.dtype[np.void]]":
    return np.asarray(_Outline(place))


class _Track:
    """What one stream did to one block: for each place its last read and write there."""

    __slots__ = ("accesses", "latest")

    def __init__(self) -> None:
        self.latest = 0
        self.accesses: dict[tuple[Place, bool], tuple[int, Deed]] = {}


class Book:
    """Who used one block, as far as anything yet to come may be unordered with it.

    Parameters
    ----------
    block : str
        What it is called.
    pointer : int
        Address of its first byte.
    """

    __slots__ = ("block", "epoch", "pointer", "tracks")

    def __init__(self, block: str, pointer: int) -> None:
        self.block = block
        self.pointer = pointer
        self.epoch = 0
        self.tracks: dict[int, _Track] = {}

    def conflicts(self, deed: Deed, place: Place, *, writing: bool) -> Deed | None:
        """Return work without an order to this that touched the same bytes, where one of the two writes."""
        for number, track in self.tracks.items():
            known = deed.clock.get(number, 0)
            if number == deed.number or known >= track.latest:
                continue
            for (other, wrote), (tick, by) in track.accesses.items():
                if tick > known and (writing or wrote) and place.meets(other):
                    return by
        return None

    def enter(self, deed: Deed, place: Place, *, writing: bool) -> None:
        """Remember an access."""
        track = self.tracks.setdefault(deed.number, _Track())
        track.latest = deed.tick
        track.accesses[place, writing] = track.latest, deed


class Referee:
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
        self.host: Clock = {}
        self._of_host = Book("the host's memory", 0)
        self._latest: dict[int, Deed] = {}
        self._epoch = 0

    def begin(self, deed: Deed, before: Iterable[Clock]) -> None:
        """Let a unit's turn come after the work in some clocks."""
        known = joined(before)
        # Streams that did nothing since the host last knew of everything are left out, or clocks would only grow.
        clock = {number: tick for number, tick in known.items() if number in self._latest}
        clock[deed.number] = known.get(deed.number, 0) + 1
        deed.clock = clock
        self._latest[deed.number] = deed

    def see(self, clocks: Iterable[Clock], *, idle: bool) -> None:
        """Let the host know what some clocks say is over.

        Where it then knows of all there was, and nothing is to come that was submitted before, that is all history.
        """
        self.host = host = joined((self.host, *clocks))
        if idle and all(host.get(number, 0) >= deed.tick for number, deed in self._latest.items()):
            self._epoch += 1
            self._latest.clear()
            self.host = {}

    def see_all(self, concerns: Callable[[Deed], bool], *, idle: bool) -> None:
        """Let the host know that all work that has run and concerns it is over."""
        self.see([deed.clock for deed in self._latest.values() if concerns(deed)], idle=idle)

    def touch(self, deed: Deed, book: Book | None, place: Place, *, writing: bool) -> None:
        """Enter an access, of the host's memory where there is no book.

        Raises
        ------
        RaceError
            If work without an order to this one touched the same bytes.
        """
        if place.low == place.high:
            return
        deed.moved += place.nbytes
        book = self._of_host if book is None else book
        if book.epoch != self._epoch:
            book.epoch = self._epoch
            book.tracks.clear()
        other = book.conflicts(deed, place, writing=writing)
        book.enter(deed, place, writing=writing)
        if other is not None:
            verb = "writes" if writing else "reads"
            low, high = place.low - book.pointer, place.high - book.pointer
            report = (
                f"a race: {deed} {verb} bytes [{low}, {high}) of {book.block}, which are used without an order to that "
                f"by {other}; let one wait for the other, as in stream.wait_for(other_stream.record())"
            )
            self.reports.append(report)
            raise RaceError(report)
