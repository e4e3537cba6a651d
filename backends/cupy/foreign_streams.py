"""Synchronization of other libraries' streams, which DLPack passes as numbers, with the work of this backend."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from accel.abc import Event
from accel.device import Device

from .driver import Driver
from .events import CupyEvent

__all__ = ["hold_up"]

_NO_ORDER = -1


class ForeignStream(NamedTuple):
    """A stream of another library, with the method of CuPy's streams that events need; CuPy's class is deprecated."""

    driver: Driver
    ptr: int

    def wait_event(self, event: Any) -> None:
        """Make the stream's later work start after a CuPy event."""
        self.driver.runtime.streamWaitEvent(self.ptr, event.ptr)


def hold_up(driver: Driver, device: Device, number: object, events: Iterable[Event]) -> list[Event]:
    """Make the stream with a DLPack number wait for events and for CuPy's work; return the events it cannot wait for.

    The host must wait for these. With the number -1 nothing waits: the consumer synchronizes by itself.

    Raises
    ------
    InterchangeError
        If DLPack forbids the number.
    """
    if type(number) is int and number == _NO_ORDER:
        return []
    stream, for_host = ForeignStream(driver, driver.platform.stream_handle(number)), []
    with driver.on(device):
        driver.refuse_capture(driver.cupy.cuda.get_current_stream())
        driver.refuse_capture(stream)
        computed = driver.cupy.cuda.Event(disable_timing=True)
        computed.record()  # on CuPy's current stream, since its computations are not in `events`
        stream.wait_event(computed)
        for event in events:
            if isinstance(event, CupyEvent) and event.known:
                event.hold_up(stream)
                for_host += [] if event.work is None else [event.work]  # it is done, and may have failed
            else:
                for_host.append(event)
    return for_host
