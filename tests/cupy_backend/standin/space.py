"""The memory of a device of the stand-in: host memory with guard bytes around it, and a pool like CuPy's."""

import ctypes
from bisect import bisect_right, insort

import numpy as np

GUARD = 256
UNIT = 512
GUARDED, FRESH, FREED = 0xA5, 0xFF, 0xDD


def bytes_at(address, nbytes):
    """Return bytes of the process's memory at an address."""
    if not nbytes:
        return np.empty(0, np.uint8)
    return np.frombuffer((ctypes.c_uint8 * nbytes).from_address(address), np.uint8)


class Allocation:
    """An allocation as by cudaMalloc."""

    def __init__(self, size):
        self.size = size
        self.native = np.full(size + 2 * GUARD + UNIT, GUARDED, np.uint8)
        first = self.native.ctypes.data
        self.address = first + GUARD + -(first + GUARD) % UNIT
        self.bytes = bytes_at(self.address, size)
        self.bytes[:] = FRESH

    def intact(self):
        """Return whether the guard bytes around it are unchanged."""
        start = self.address - self.native.ctypes.data
        return (self.native[:start] == GUARDED).all() and (self.native[start + self.size :] == GUARDED).all()


class Space:
    """The memory of one device, and its allocations."""

    def __init__(self, machine, index, room):
        self.machine = machine
        self.index = index
        self.room = room
        self.used = 0
        self.allocations = {}
        self.starts = []
        self.live = {}
        self.buried = []

    def malloc(self, size):
        if size > self.room - self.used:
            raise self.machine.error(2)
        made = Allocation(size)
        self.used += size
        self.allocations[made.address] = made
        insort(self.starts, made.address)
        return made

    def free(self, made):
        """Free an allocation; its bytes are never reused, so that a late write damages no other memory."""
        self.used -= made.size
        self.starts.remove(made.address)
        self.buried.append(self.allocations.pop(made.address))
        made.bytes[:] = FREED

    def allocation(self, address):
        place = bisect_right(self.starts, address) - 1
        found = self.allocations[self.starts[place]] if place >= 0 else None
        return found if found is not None and address < found.address + found.size else None

    def holds(self, address, nbytes):
        """Return whether bytes are allocated, all of them in one block."""
        made = self.allocation(address)
        size = self.live.get(made.address, 0)
        return address + nbytes <= made.address + size

    def check_guards(self):
        for made in (*self.allocations.values(), *self.buried):
            self.machine.demand(made.intact(), f"something was written beside {made.size} bytes at {made.address:#x}")


class Pool:
    """Blocks by the handles of streams; a freed block is reused at once for the next request on its stream."""

    def __init__(self, machine):
        self.machine = machine
        self.free = {}

    def take(self, size):
        """Return an allocation for the current device and stream."""
        machine = self.machine
        machine.check(machine.device)
        space, stream = machine.spaces[machine.device], machine.scheduler.current()
        rounded = -(-size // UNIT) * UNIT
        made = self._reused(_arena(stream), rounded) or self._fresh(space, rounded)
        space.live[made.address] = made.size
        # The bytes are uninitialised: overwrite them, in the order of the stream.
        poison(machine.scheduler, stream, made, FRESH)
        return made, stream

    def _reused(self, arena, size):
        kept = self.free.setdefault(arena, [])
        fitting = [made for made in kept if size <= made.size <= 2 * size]
        if fitting:
            kept.remove(fitting[-1])
            return fitting[-1]
        return None

    def _fresh(self, space, size):
        if size > space.room - space.used:
            self.free_all_blocks()
        return space.malloc(size)

    def give(self, made, stream):
        """Free a block, which may now be reused and overwritten, in the order of the stream."""
        space = self.machine.spaces[stream.device]
        if space.live.pop(made.address, None) is None:
            return
        if stream.device not in self.machine.lost and not stream.destroyed:
            poison(self.machine.scheduler, stream, made, FREED)
        self.free.setdefault(_arena(stream), []).append(made)

    def free_bytes(self):
        """Return how many free bytes the pool has on the current device."""
        here = self.machine.device
        return sum(made.size for (device, _), kept in self.free.items() if device == here for made in kept)

    def free_all_blocks(self):
        """Return the free blocks to the driver, which waits for all work first."""
        for (device, _), kept in self.free.items():
            self.machine.scheduler.drive_device(device)
            for made in kept:
                self.machine.spaces[device].free(made)
            kept.clear()


def poison(scheduler, stream, made, value):
    """Overwrite an allocation in the order of a stream; the driver would not, so no graph has this."""
    if stream.graph is None:
        scheduler.submit(stream, lambda: made.bytes.fill(value))


def _arena(stream):
    """Return the key of a stream in CuPy's pool."""
    return stream.device, stream.handle
