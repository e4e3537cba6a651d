"""`Simulator`: what a backend with simulated devices offers to tests, and helpers for it."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol, runtime_checkable

from accel.abc import ReportsRaces
from accel.device import Device
from accel.memory import Heap
from accel.memory.heap import heaps

__all__ = ["FaultPoints", "Simulator", "drop", "finish", "in_use", "simulators", "take_races"]


class FaultPoints(Protocol):
    """Methods that a simulated device calls to ask whether an operation fails; `accel.testing.faults` replaces them."""

    def at_allocation(self, device: Device, nbytes: int) -> None:
        """Raise if an allocation is to fail, also that of the result of a computation."""
        ...

    def takes_copy(self) -> bool:
        """Tell whether the copy that is submitted now is to fail when it runs."""
        ...

    def at_work(self, device: Device) -> None:
        """Raise if work on a device is to fail."""
        ...


@runtime_checkable
class Simulator(ReportsRaces, Protocol):
    """A backend with simulated devices: their work runs late, and they report its races."""

    @property
    def faults(self) -> FaultPoints:
        """The fault points."""
        ...

    def reseed(self, seed: int) -> None:
        """Start a new order of work from a seed."""
        ...

    def used(self, device: Device) -> int:
        """Return how many bytes of a device are in use, with the results of computations."""
        ...


def simulators() -> list[Simulator]:
    """Return the simulators that were used so far in this process."""
    backends = dict.fromkeys(heap.backend for heap in heaps())
    return [backend for backend in backends if isinstance(backend, Simulator)]


def finish() -> None:
    """Run all work in flight on simulated devices.

    Raises
    ------
    Exception
        The first error that was not raised before; all work has run nevertheless.
    """
    failures = [failure for heap in heaps() if isinstance(heap.backend, Simulator) for failure in _failures(heap)]
    if failures:
        raise failures[0]


def _failures(heap: Heap) -> Iterator[Exception]:
    try:
        heap.backend.synchronize(heap.device)
    except Exception as failure:
        yield failure
    # Failed work releases its memory too.
    heap.retire_finished()


def take_races() -> list[tuple[Simulator, str]]:
    """Remove and return the reports of races, each with its simulator."""
    reports = [(simulator, report) for simulator in simulators() for report in simulator.races]
    for simulator in simulators():
        simulator.races.clear()
    return reports


def drop() -> None:
    """Run the work that earlier code left in flight, and drop its errors and races."""
    with suppress(Exception):
        finish()
    take_races()


def in_use(heap: Heap) -> int:
    """Return how many bytes of a device are in use; a simulated device counts the results of computations too."""
    return heap.backend.used(heap.device) if isinstance(heap.backend, Simulator) else heap.live_bytes
