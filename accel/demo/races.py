"""The races that a simulated device saw: work on two streams that shares bytes and has no order."""

from collections import deque

from accel.abc import ReportsRaces
from accel.device import Device
from accel.memory import heap_of

__all__ = ["race_reports"]


def race_reports(device: Device) -> deque[str]:
    """Return the reports that a device's backend keeps, to be read and cleared; only simulated devices write any."""
    backend = heap_of(device).backend
    return backend.races if isinstance(backend, ReportsRaces) else deque()
