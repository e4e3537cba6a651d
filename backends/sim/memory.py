"""The memory of a simulated device: poisoned, limited, at addresses of its own, and out of the host's reach."""

import threading
from bisect import bisect, insort
from collections import deque
from typing import Any

import numpy as np

from accel import config
from accel.device import Device
from accel.errors import OutOfMemoryError, ReleasedError
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
    """

    __slots__ = ("_bytes", "device", "freed", "history", "nbytes", "pointer")

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


class DeviceMemory:
    """All memory of one simulated device.

    A garbage collection can start while the lock is held, and free other memory in the same thread: `give_back` needs
    no lock, and leaves the rest to whoever comes next.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._base = (device.index + 1) << _SPACE
        self._lock = threading.RLock()
        self._holes: tuple[tuple[int, int], ...] = ((self._base, self._base + (1 << _SPACE)),)
        self._live: dict[int, Memory] = {}
        self._starts: list[int] = []
        self._returned: deque[Memory] = deque()
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
            pointer = self._take(nbytes, max(alignment, ALIGNMENT))
            try:
                memory = Memory(self.device, pointer, np.full(nbytes, POISON, np.uint8))
            except MemoryError:
                self._give(pointer, nbytes)
                raise OutOfMemoryError(
                    f"{nbytes} bytes were asked for on {self.device}, and the host has no memory to simulate them with"
                ) from None
            self._live[pointer] = memory
            insort(self._starts, pointer)
        return memory

    def give_back(self, memory: Memory, where: str) -> None:
        """Take memory back that was freed somewhere; a finaliser may do so."""
        if memory.nbytes and not memory.freed:
            memory.free(where)
            self._returned.append(memory)

    def spans(self, address: int) -> bool:
        """Tell whether an address is one of this device's, whether or not there is memory now."""
        return self._base <= address < self._base + (1 << _SPACE)

    def at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that has some bytes from an address on."""
        with self._lock:
            self._drain()
            place = bisect(self._starts, address) - 1
            found = self._live[self._starts[place]] if place >= 0 else None
            return found if found is not None and address + nbytes <= found.pointer + found.nbytes else None

    def _drain(self) -> None:
        while self._returned:
            memory = self._returned.popleft()
            del self._live[memory.pointer]
            del self._starts[bisect(self._starts, memory.pointer) - 1]
            self._give(memory.pointer, memory.nbytes)

    def _take(self, nbytes: int, alignment: int) -> int:
        """Cut bytes from the first hole that has room for them."""
        size, limit = _rounded(nbytes, ALIGNMENT), self._base + config.current().sim_memory
        holes = self._holes
        for place, (start, end) in enumerate(holes):
            first = _rounded(start, alignment)
            if first + size <= min(end, limit):
                left = [hole for hole in ((start, first), (first + size, end)) if hole[0] < hole[1]]
                fewer = (*holes[:place], *left, *holes[place + 1 :])
                if self._holes is not holes:  # a signal handler or a finaliser of this thread allocated meanwhile
                    return self._take(nbytes, alignment)
                self._holes = fewer
                self._used += size
                return first
        raise self._no_room(nbytes)

    def _give(self, pointer: int, nbytes: int) -> None:
        """Make a hole, one with those beside it."""
        start, end = pointer, pointer + _rounded(nbytes, ALIGNMENT)
        self._used -= end - start
        place = bisect(self._holes, (start, end))
        before, after = self._holes[:place], self._holes[place:]
        if after and after[0][0] == end:
            end, after = after[0][1], after[1:]
        if before and before[-1][1] == start:
            start, before = before[-1][0], before[:-1]
        self._holes = (*before, (start, end), *after)

    def _no_room(self, nbytes: int) -> OutOfMemoryError:
        free, total, largest = self.room()
        return OutOfMemoryError(
            f"{nbytes} bytes were asked for on {self.device}: {free} of its {total} bytes are free, and the largest "
            f"hole has {largest}; release what is no longer used, or raise sim_memory"
        )


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step
