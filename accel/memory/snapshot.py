"""`snapshot`: how much memory is in use, by device."""

from typing import NamedTuple

from accel.device import Device
from accel.memory.heap import Heap, heaps

__all__ = ["HeapUsage", "Snapshot", "snapshot"]


class HeapUsage(NamedTuple):
    """The books of one device at one moment.

    Attributes
    ----------
    device : Device
        The device.
    live_bytes, peak_bytes : int
        Bytes in use now, and the most at one time since the process began.
    live_blocks : int
        Blocks in use now.
    pinned_blocks : int
        Those of them whose handles are all released: exports keep them.
    """

    device: Device
    live_bytes: int
    peak_bytes: int
    live_blocks: int
    pinned_blocks: int


class Snapshot(NamedTuple):
    """The memory in use at one moment, by device."""

    devices: tuple[HeapUsage, ...]

    @property
    def live_bytes(self) -> int:
        """Bytes in use on all devices."""
        return sum(usage.live_bytes for usage in self.devices)

    @property
    def live_blocks(self) -> int:
        """Blocks in use on all devices."""
        return sum(usage.live_blocks for usage in self.devices)


def snapshot() -> Snapshot:
    """Return the memory in use now.

    Memory that was looked at and not allocated here is not counted, nor are the arrays that a computation in
    `accel.xp` makes.

    Examples
    --------
    >>> import accel
    >>> before = accel.memory.snapshot().live_blocks
    >>> c = accel.empty(1000)
    >>> accel.memory.snapshot().live_blocks - before
    1
    """
    return Snapshot(tuple(_usage(heap) for heap in heaps()))


def _usage(heap: Heap) -> HeapUsage:
    heap.reap()
    with heap.gate:
        return HeapUsage(heap.device, heap.live_bytes, heap.peak_bytes, heap.live_blocks, heap.pinned_blocks)
