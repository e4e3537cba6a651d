"""The memory of a simulated device: limited, in an address space that the host cannot access."""

import threading
from bisect import bisect
from collections import deque
from collections.abc import Callable
from ctypes import addressof, c_char
from functools import partial
from typing import NamedTuple

import numpy as np

from accel import config
from accel.abc import Room
from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.support.call_sites import call_site
from accel.support.locks import open_after_fork

from .kernel_heap import KernelHeap
from .memory import NO_BYTES, POISON, Bytes, Memory, Place

__all__ = ["ALIGNMENT", "DeviceMemory"]

ALIGNMENT = 64

# Bytes between blocks in the host's memory, so that accesses of kernels a little out of bounds hit no other block.
_GUARD = 1024
_PAGE = 4096

# How many released blocks a device remembers once it has run kernels in C++, and up to which size it keeps their bytes.
_REMEMBERED = 64
_QUARANTINED = 1 << 20

# Bits of a device's address space; it begins above all addresses of a process, so none is valid on the host.
_SPACE = 48


class ReleasedBlock(NamedTuple):
    """A block that was released, for reports of kernels that still use it.

    Attributes
    ----------
    device : Device
        The device.
    host, nbytes, pointer : int
        Address on the host, size in bytes, and simulated address.
    description : str
        The block in words.
    site, freed : str
        Call sites at which it was allocated and released.
    content : Bytes
        The poisoned bytes of a small block: as long as they exist, the host gives their address to no other.
    """

    device: Device
    host: int
    nbytes: int
    pointer: int
    description: str
    site: str
    freed: str
    content: Bytes

    @classmethod
    def of(cls, memory: Memory, where: str) -> "ReleasedBlock":
        """Return the record of a block that is about to be released."""
        content = memory._bytes if memory.nbytes <= _QUARANTINED else NO_BYTES
        return cls(memory.device, memory.host, memory.nbytes, memory.pointer, repr(memory), memory.site, where, content)


_Found = tuple[int, tuple[tuple[int, int], ...]]
"""An address, and the holes that remain if it is taken."""


class DeviceMemory:
    """All memory of one simulated device.

    A garbage collection can start while the lock is held, and free other memory in the same thread: so `give_back`
    takes no lock, and only queues the memory for the next call that holds it. An interrupt can come at any call: so
    each change of the allocation table is made by statements without calls between them.

    Attributes
    ----------
    released : deque of ReleasedBlock or None
        The blocks that were released last, if kernels may hold addresses of them.
    stale_cells : deque of int
        The addresses of the shadows of blocks that are gone, to be dropped.
    heap : KernelHeap
        What kernels in C++ have allocated themselves.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._base = (device.index + 1) << _SPACE
        self._lock = open_after_fork(threading.RLock())  # a child may ask how much is in use
        self._holes: tuple[tuple[int, int], ...] = ((self._base, self._base + (1 << _SPACE)),)
        self._live: dict[int, Place] = {}
        self._starts: list[int] | None = None
        self._returned: deque[Place] = deque()
        self._used = 0
        self.released: deque[ReleasedBlock] | None = None
        self.stale_cells: deque[int] = deque()
        self.heap = KernelHeap()

    @property
    def used(self) -> int:
        """Bytes in use, including what alignment adds and what kernels have allocated."""
        with self._lock:
            self._drain()
            return self._used + self.heap.used

    def room(self) -> Room:
        """Return how much memory is free."""
        with self._lock:
            self._drain()
            total = config.current().sim_memory
            limit = self._base + total
            largest = max((min(end, limit) - start for start, end in self._holes), default=0)
            return Room(max(total - self.used, 0), total, max(largest, 0))

    def allocate(self, nbytes: int, alignment: int, *, cleared: bool = False) -> Memory:
        """Return bytes that are poisoned, or cleared; cleared ones count as written.

        Raises
        ------
        OutOfMemoryError
            If no hole has room for them, or the host has no memory to simulate them with.
        """
        if not nbytes:
            return Memory(self.device, 0, NO_BYTES)
        site, step = call_site(), max(alignment, ALIGNMENT)
        size = _rounded(nbytes, step)  # else blocks of one alignment would leave holes that no other fills
        with self._lock:
            self._drain()
            self._hole(nbytes, size, step)  # raises early, before the host's memory is allocated
            try:
                content, host = _filled(nbytes, min(step, _PAGE), 0 if cleared else POISON)
            except MemoryError:
                raise OutOfMemoryError(
                    f"{nbytes} bytes were asked for on {self.device}, and the host has no memory to simulate them with"
                ) from None
            memory = self._new_memory(content, host, partial(self._hole, nbytes, size, step), site, size)
        if cleared:
            memory.note_all_written()
        return memory

    def mapped(self, host: int, nbytes: int) -> Memory:
        """Return memory for bytes that the host has already and keeps to its end, as those of variables of kernels."""
        site = call_site()
        with self._lock:
            self._drain()
            content = np.frombuffer(memoryview((c_char * nbytes).from_address(host)), np.uint8)
            size = _rounded(nbytes, ALIGNMENT)
            memory = self._new_memory(content, host, partial(self._top, size), site, size)
            # It belongs to the module until the end of the process, and cannot be released.
            self._used -= memory.place.counted
            memory.place.counted = 0
        memory.unwritten = None
        return memory

    def _new_memory(self, content: Bytes, host: int, find: Callable[[], _Found], site: str, size: int) -> Memory:
        """Give bytes an address of the device, as `_hole` or `_top` find it; the caller holds the lock."""
        while True:
            before = self._holes
            pointer, remaining = find()
            memory = Memory(self.device, pointer, content, host, site)
            place = Place(memory, self._returned.append)
            place.start, place.end = pointer, pointer + size
            place.counted, place.cells = place.end - pointer, 0
            memory.place = place
            # Try again if a signal handler or a finaliser of this thread has allocated meanwhile. From here on there
            # are no calls, so nothing can interrupt the change.
            if self._holes is before:
                self._holes = remaining
                self._used += place.counted
                self._live[pointer] = place
                self._starts = None
                return memory

    def give_back(self, memory: Memory, where: str) -> None:
        """Free memory; ``where`` is the call site for error messages. Takes no lock, so finalisers may call it."""
        if memory.nbytes and not memory.freed:
            if self.released is not None:
                self.released.append(ReleasedBlock.of(memory, where))
            memory.free(where)
            # By its table entry and not by its address: a collection clears the weak reference before it runs the
            # finaliser that frees the memory, and by then the address may be allocated again.
            self._returned.append(memory.place)

    def remember_released(self) -> None:
        """From now on remember which blocks were released: a kernel in C++ may store their addresses."""
        if self.released is None:
            self.released = deque(maxlen=_REMEMBERED)

    @property
    def state(self) -> object:
        """An object that is another one after each change of which memory is in use."""
        with self._lock:
            self._drain()
            return self._holes

    def live(self) -> list[Memory]:
        """Return all blocks that are not freed."""
        with self._lock:
            blocks = [place() for place in [*self._live.values()]]
            return [block for block in blocks if block is not None and not block.freed]

    def has_address(self, address: int) -> bool:
        """Return whether an address is in this device's address space, allocated or not."""
        return self._base <= address < self._base + (1 << _SPACE)

    def memory_at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that contains ``nbytes`` from an address on; None if there is none."""
        with self._lock:
            self._drain()
            place = self._live.get(address)
            memory = None if place is None else place()
            if memory is not None and nbytes <= memory.nbytes:  # most addresses are those of whole blocks
                return memory
            holes, starts = self._holes, self._starts
            if starts is None:
                starts = sorted(self._live)
                if self._holes is holes:  # no calls from here on, as above; else the blocks may have changed
                    self._starts = starts
            before = bisect(starts, address) - 1
            place = self._live.get(starts[before]) if before >= 0 else None
            memory = None if place is None else place()
            return memory if memory is not None and address + nbytes <= memory.pointer + memory.nbytes else None

    def _drain(self) -> None:
        """Turn the returned ranges into holes; one that was returned twice (freed, then dropped) only once."""
        while self._returned:
            place = self._returned[0]
            start = getattr(place, "start", -1)  # not set if an interrupt came before
            while self._live.get(start) is place:
                before = self._holes
                merged = _with_hole(before, start, place.end)
                if self._holes is before:  # no calls from here on, as above
                    self._holes = merged
                    self._used -= place.counted
                    del self._live[start]
                    self._starts = None
            if self._returned and self._returned[0] is place:
                self._returned.popleft()
                cells = getattr(place, "cells", 0)
                if cells:
                    place.cells = 0
                    self.stale_cells.append(cells)

    def _top(self, size: int) -> _Found:
        """Return an address at the end of the address space, above all that can be allocated, and the holes left."""
        start, end = self._holes[-1]
        first = end - size
        return first, (*self._holes[:-1], (start, first))

    def _hole(self, nbytes: int, size: int, step: int) -> _Found:
        """Return the address in the first hole that is large enough, and the holes that remain."""
        limit = self._base + config.current().sim_memory
        holes = self._holes
        for index, (start, end) in enumerate(holes):
            first = _rounded(start, step)
            if first + size <= min(end, limit):
                rest = [hole for hole in ((start, first), (first + size, end)) if hole[0] < hole[1]]
                return first, (*holes[:index], *rest, *holes[index + 1 :])
        raise self._no_room(nbytes)

    def _no_room(self, nbytes: int) -> OutOfMemoryError:
        free, total, largest = self.room()
        return OutOfMemoryError(
            f"{nbytes} bytes were asked for on {self.device}: {free} of its {total} bytes are free, and the largest "
            f"hole has {largest}; release what is no longer used, or raise sim_memory"
        )


def _filled(nbytes: int, alignment: int, value: int) -> tuple[Bytes, int]:
    """Return bytes of one value at an aligned address of the host, and that address."""
    room: Bytes = np.empty(nbytes + alignment + _GUARD, np.uint8)
    address = addressof(c_char.from_buffer(room))  # type: ignore[arg-type] # faster than the array's own way
    start = -address % alignment
    content = room[start : start + nbytes]
    content.fill(value)
    return content, address + start


def _with_hole(holes: tuple[tuple[int, int], ...], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """Return the holes with one added, and merged with its neighbours."""
    index = bisect(holes, (start, end))
    before, after = holes[:index], holes[index:]
    if after and after[0][0] == end:
        end, after = after[0][1], after[1:]
    if before and before[-1][1] == start:
        start, before = before[-1][0], before[:-1]
    return (*before, (start, end), *after)


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step
