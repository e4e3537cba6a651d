"""What tests may ask of a backend whose devices are simulated; the others have no such abilities."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol, runtime_checkable

from accel.abc import ReportsRaces
from accel.device import Device
from accel.memory import Heap
from accel.memory.heap import heaps

__all__ = ["FaultPoints", "Simulator", "drop", "finish", "in_use", "simulators", "take_races"]


class FaultPoints(Protocol):
    """Where a simulated device asks whether something is to fail; faults on demand stand in for these methods."""

    def at_allocation(self, device: Device, nbytes: int) -> None:
        """Raise if an allocation is to fail, of memory or for the result of a computation."""
        ...

    def takes_copy(self) -> bool:
        """Tell whether the copy that is being submitted is to fail when it runs."""
        ...

    def at_work(self, device: Device) -> None:
        """Raise if work on a device is to fail."""
        ...


@runtime_checkable
class Simulator(ReportsRaces, Protocol):
    """A backend with simulated devices: their work is late, and they know what was wrong with it."""

    @property
    def faults(self) -> FaultPoints:
        """What is to go wrong."""
        ...

    def reseed(self, seed: int) -> None:
        """Draw the order of work anew."""
        ...

    def used(self, device: Device) -> int:
        """Return how many bytes of a device are in use, those of results of computations included."""
        ...


def simulators() -> list[Simulator]:
    """Return those that were used so far in this process."""
    backends = dict.fromkeys(heap.backend for heap in heaps())
    return [backend for backend in backends if isinstance(backend, Simulator)]


def finish() -> None:
    """Let all work in flight on simulated devices run.

    Raises
    ------
    Exception
        The first failure that nobody waited for; all work was run nevertheless.
    """
    failures = [failure for heap in heaps() if isinstance(heap.backend, Simulator) for failure in _failures(heap)]
    if failures:
        raise failures[0]


def _failures(heap: Heap) -> Iterator[Exception]:
    try:
        heap.backend.synchronize(heap.device)
    except Exception as failure:
        yield failure
    # Also what failed lets go of its memory.
    heap.retire_finished()


def take_races() -> list[tuple[Simulator, str]]:
    """Return the reports of the races that nobody has taken yet, each with whose it is."""
    taken = [(simulator, report) for simulator in simulators() for report in simulator.races]
    for simulator in simulators():
        simulator.races.clear()
    return taken


def drop() -> None:
    """Forget what earlier code left: let its work run, whatever becomes of it, and its races go."""
    with suppress(Exception):
        finish()
    take_races()


def in_use(heap: Heap) -> int:
    """Return how many bytes of a device are in use, by the device's own books where it keeps them."""
    return heap.backend.used(heap.device) if isinstance(heap.backend, Simulator) else heap.live_bytes
