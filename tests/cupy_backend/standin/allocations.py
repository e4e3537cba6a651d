"""The memory of the stand-in's devices: host memory with guard bytes around it, and a pool like CuPy's."""

import ctypes
from collections import defaultdict

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
    """An allocation as by cudaMalloc; ``stream`` is the stream that uses it, None while the pool keeps it."""

    def __init__(self, device, size):
        self.device, self.size, self.stream = device, size, None
        native = np.full(size + 2 * GUARD + UNIT, GUARDED, np.uint8)
        start = GUARD + -(native.ctypes.data + GUARD) % UNIT
        self.address = native.ctypes.data + start
        before, self.bytes, after = np.split(native, [start, start + size])
        self.guards = before, after
        self.bytes[:] = FRESH


class Allocations:
    """The allocations of all devices. Loops run over copies: other threads allocate meanwhile."""

    def __init__(self, machine):
        self.machine = machine
        self.present, self.buried = [], []

    def nbytes(self, device):
        return sum(each.size for each in [*self.present] if each.device == device)

    def in_use(self, device):
        """Return how many bytes of a device are in use, as the pool counts."""
        return sum(each.size for each in [*self.present] if each.device == device and each.stream)

    def free_bytes(self, device):
        return self.machine.memory - self.nbytes(device)

    def malloc(self, device, size):
        self.machine.require(size <= self.free_bytes(device), 2)
        allocation = Allocation(device, size)
        self.present.append(allocation)
        return allocation

    def free(self, allocation):
        """Free an allocation; its bytes are never reused, so that a late write damages no other memory."""
        self.present.remove(allocation)
        self.buried.append(allocation)
        allocation.bytes[:] = FREED

    def at(self, address):
        """Return the allocation with an address; None if there is none."""
        return next((each for each in [*self.present] if 0 <= address - each.address < each.size), None)

    def check_guards(self):
        for each in (*self.present, *self.buried):
            intact = all((guard == GUARDED).all() for guard in each.guards)
            self.machine.demand(intact, f"something was written beside {each.size} bytes at {each.address:#x}")


class Pool:
    """Blocks by the handles of streams; a freed block is reused at once for the next request on its stream."""

    def __init__(self, machine):
        self.machine = machine
        self.blocks = defaultdict(list)

    def take(self, size):
        """Return an allocation for the current device and stream."""
        machine = self.machine
        machine.check(machine.device)
        stream, size = machine.scheduler.current(), -(-size // UNIT) * UNIT
        blocks = self.blocks[stream.device, stream.handle]
        block = next((each for each in reversed(blocks) if size <= each.size <= 2 * size), None)
        if block:
            blocks.remove(block)
        else:
            if size > machine.allocations.free_bytes(machine.device):
                self.free_all_blocks()
            block = machine.allocations.malloc(machine.device, size)
        block.stream = stream
        self._overwrite(stream, block, FRESH)
        return block

    def give(self, block):
        """Free a block, which may now be reused and overwritten, in the order of the stream."""
        stream, block.stream = block.stream, None
        if block.device not in self.machine.lost and not stream.destroyed:
            self._overwrite(stream, block, FREED)
        self.blocks[stream.device, stream.handle].append(block)

    def _overwrite(self, stream, block, value):
        """Overwrite the bytes in the order of a stream; the driver would not, so no graph has this."""
        if stream.graph is None:
            self.machine.scheduler.submit(stream, lambda: block.bytes.fill(value))

    def free_bytes(self):
        """Return how many free bytes the pool has on the current device."""
        here = self.machine.device
        return sum(block.size for arena in [*self.blocks] if arena[0] == here for block in [*self.blocks[arena]])

    def free_all_blocks(self):
        """Return the free blocks to the driver, which waits for all work first."""
        for arena in [*self.blocks]:
            self.machine.scheduler.drive_device(arena[0])
            with self.machine.lock:
                while self.blocks[arena]:
                    self.machine.allocations.free(self.blocks[arena].pop())
