"""`Launcher`: the part of the backend that launches of kernels use."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from accel.abc import Stream
from accel.device import Device

from .device_memory import DeviceMemory
from .kernel_heap import KernelHeap
from .memory import Memory
from .races import Operation
from .regions import Region
from .streams import SimStream

__all__ = ["Launcher"]


class Launcher(Protocol):
    """The backend, for a launch."""

    @property
    def races(self) -> deque[str]:
        """Reports of races, which the launch adds to."""
        ...

    @property
    def spaces(self) -> Sequence[DeviceMemory]:
        """The memory of all devices."""
        ...

    def heap(self, device: Device) -> KernelHeap:
        """Return the heap of a device's kernels."""
        ...

    def memory_at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that contains some bytes; None if there is none."""
        ...

    def stream_of(self, stream: Stream | None, device: Device) -> SimStream:
        """Return the given stream, or by default the device's current stream."""
        ...

    def carry_out(self, device: Device, what: str, work: Callable[[Operation], None]) -> None:
        """Do work on the current stream at once, after all that the stream must do before; raises its error."""
        ...

    def begin(self, operation: Operation, *uses: tuple[Memory | None, Region, bool]) -> None:
        """Declare the regions that an operation reads and writes, for injected faults and the race check."""
        ...

    def touch(self, operation: Operation, *uses: tuple[Memory | None, Region, bool]) -> None:
        """Declare uses as `begin` does, for an operation that notes the bytes that it has written by itself."""
        ...

    def draw(self) -> int:
        """Return a random number, for the order of iterations, blocks and threads."""
        ...

    def repeats(self) -> bool:
        """Return whether the user set a seed, so that each run must give the same results."""
        ...
