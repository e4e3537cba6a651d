"""The memory of a simulated device: poisoned, limited, at addresses of its own, and out of the host's reach."""

import threading
from bisect import bisect
from collections import deque
from typing import Any
from weakref import ref

import numpy as np

from accel import config
from accel.device import Device
from accel.errors import OutOfMemoryError, ReleasedError
from accel.locks import open_after_fork
from accel.memory import Room

from .races import AccessHistory

__all__ = ["ALIGNMENT", "NOTHING", "POISON", "Bytes", "DeviceMemory", "Memory"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

ALIGNMENT = 64
POISON = 0xFF
"""Each byte that nobody wrote: NaN in every floating-point type, and -1 or the largest number in every integer."""

# Above every address of a process, so that none of them means anything to the host.
_SPACE = 48


class Memory:
    """The bytes of one block; the host finds no protocol on it by which to read them.

    Attributes
    ----------
    device : Device
        The device.
    pointer, nbytes : int
        Made-up address of the first byte, and how many bytes there are.
    freed : str
        Where it was freed; empty before that.
    history : AccessHistory
        Who used it.
    place : _Place
        Where it is in the books; not set where there are no bytes.
    """

    __slots__ = ("__weakref__", "_bytes", "device", "freed", "history", "nbytes", "place", "pointer")
    place: "_Place"

    def __init__(self, device: Device, pointer: int, content: Bytes) -> None:
        self.device = device
        self.pointer = pointer
        self.nbytes = content.nbytes
        self.freed = ""
        self.history = AccessHistory(repr(self), pointer)
        self._bytes = content

    def refuse_freed(self) -> None:
        """Raise `ReleasedError` if the bytes were freed."""
        if self.freed:
            raise ReleasedError(f"work on {self.device} uses {self!r}, which were freed at {self.freed}")

    def part(self, address: int, nbytes: int) -> Bytes:
        """Return some bytes, for the simulated device itself; `ReleasedError` if they were freed."""
        self.refuse_freed()
        start = address - self.pointer
        return self._bytes[start : start + nbytes]

    def free(self, where: str) -> None:
        """Poison the bytes, and refuse them from now on to all who still have them."""
        self.freed = where
        self._bytes.fill(POISON)
        self._bytes = _NO_BYTES

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes of {self.device} at {self.pointer:#x}>"


_NO_BYTES: Bytes = np.empty(0, np.uint8)


NOTHING = Memory(Device.SIM, 0, _NO_BYTES)
"""What a block of no bytes has."""


class _Place(ref[Memory]):
    """Where a block is, also when it is gone: the books have this, and not the block itself.

    A block that is dropped without being freed, as an interrupt can leave it, goes back all the same.
    """

    __slots__ = ("end", "start")
    start: int
    end: int


class DeviceMemory:
    """All memory of one simulated device.

    A garbage collection can start while the lock is held, and free other memory in the same thread: `give_back` needs
    no lock, and leaves the rest to whoever comes next. An interrupt can come at any call: each change of the books is
    made by statements without one between them.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._base = (device.index + 1) << _SPACE
        self._lock = open_after_fork(threading.RLock())  # a child may ask how much is in use
        self._holes: tuple[tuple[int, int], ...] = ((self._base, self._base + (1 << _SPACE)),)
        self._live: dict[int, _Place] = {}
        self._starts: list[int] | None = None
        self._returned: deque[_Place] = deque()
        self._used = 0

    @property
    def used(self) -> int:
        """Bytes in use, those included that alignment costs."""
        with self._lock:
            self._drain()
            return self._used

    def room(self) -> Room:
        """Return what can still be had."""
        with self._lock:
            self._drain()
            total = config.current().sim_memory
            limit = self._base + total
            largest = max((min(end, limit) - start for start, end in self._holes), default=0)
            return Room(max(total - self._used, 0), total, max(largest, 0))

    def allocate(self, nbytes: int, alignment: int) -> Memory:
        """Return poisoned bytes.

        Raises
        ------
        OutOfMemoryError
            If no hole has room for them, or the host has no memory to simulate them with.
        """
        if not nbytes:
            return Memory(self.device, 0, _NO_BYTES)
        with self._lock:
            self._drain()
            self._hole(nbytes, alignment)  # or there is no need to ask the host
            try:
                content = np.full(nbytes, POISON, np.uint8)
            except MemoryError:
                raise OutOfMemoryError(
                    f"{nbytes} bytes were asked for on {self.device}, and the host has no memory to simulate them with"
                ) from None
            while True:
                seen = self._holes
                pointer, fewer = self._hole(nbytes, alignment)
                memory = Memory(self.device, pointer, content)
                place = _Place(memory, self._returned.append)
                place.start, place.end = pointer, pointer + _rounded(nbytes, ALIGNMENT)
                memory.place = place
                # No call from here on; and a signal handler or a finaliser of this thread may have allocated meanwhile.
                if self._holes is seen:
                    self._holes = fewer
                    self._used += place.end - pointer
                    self._live[pointer] = place
                    self._starts = None
                    return memory

    def give_back(self, memory: Memory, where: str) -> None:
        """Take memory back that was freed somewhere; a finaliser may do so."""
        if memory.nbytes and not memory.freed:
            memory.free(where)
            # Not what is at its address now: a collection reports memory as dropped before it runs the finalisers that
            # free it, and then somebody else may have the address already.
            self._returned.append(memory.place)

    def spans(self, address: int) -> bool:
        """Tell whether an address is one of this device's, whether or not there is memory now."""
        return self._base <= address < self._base + (1 << _SPACE)

    def at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that has some bytes from an address on."""
        with self._lock:
            self._drain()
            seen, starts = self._holes, self._starts
            if starts is None:
                starts = sorted(self._live)
                if self._holes is seen:  # no call from here on, as above: else there may be other blocks by now
                    self._starts = starts
            before = bisect(starts, address) - 1
            place = self._live.get(starts[before]) if before >= 0 else None
            found = None if place is None else place()
            return found if found is not None and address + nbytes <= found.pointer + found.nbytes else None

    def _drain(self) -> None:
        """Make holes of what was returned; of a block that was freed and then dropped, once."""
        while self._returned:
            place = self._returned[0]
            start = getattr(place, "start", -1)  # an interrupt may have come before it was known
            while self._live.get(start) is place:
                seen = self._holes
                more = _with_hole(seen, start, place.end)
                if self._holes is seen:  # no call from here on, as above
                    self._holes = more
                    self._used -= place.end - start
                    del self._live[start]
                    self._starts = None
            if self._returned and self._returned[0] is place:
                self._returned.popleft()

    def _hole(self, nbytes: int, alignment: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """Return where the first hole has room for bytes, and the holes that are left then."""
        size, limit = _rounded(nbytes, ALIGNMENT), self._base + config.current().sim_memory
        holes = self._holes
        for place, (start, end) in enumerate(holes):
            first = _rounded(start, max(alignment, ALIGNMENT))
            if first + size <= min(end, limit):
                left = [hole for hole in ((start, first), (first + size, end)) if hole[0] < hole[1]]
                return first, (*holes[:place], *left, *holes[place + 1 :])
        raise self._no_room(nbytes)

    def _no_room(self, nbytes: int) -> OutOfMemoryError:
        free, total, largest = self.room()
        return OutOfMemoryError(
            f"{nbytes} bytes were asked for on {self.device}: {free} of its {total} bytes are free, and the largest "
            f"hole has {largest}; release what is no longer used, or raise sim_memory"
        )


def _with_hole(holes: tuple[tuple[int, int], ...], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return holes with one more, which is one with those beside it."""
    place = bisect(holes, (start, end))
    before, after = holes[:place], holes[place:]
    if after and after[0][0] == end:
        end, after = after[0][1], after[1:]
    if before and before[-1][1] == start:
        start, before = before[-1][0], before[:-1]
    return (*before, (start, end), *after)


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step
