"""The races that a simulated device reports: unordered work on two streams that uses the same bytes."""

from collections import deque

from accel.abc import ReportsRaces
from accel.device import Device
from accel.memory import heap_of

__all__ = ["race_reports"]


def race_reports(device: Device) -> deque[str]:
    """Return the race reports of a device's backend, which the caller may clear; only simulated devices have any."""
    backend = heap_of(device).backend
    return backend.races if isinstance(backend, ReportsRaces) else deque()
