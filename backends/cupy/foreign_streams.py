"""Streams of other libraries, made to wait for what ours were given."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from accel.abc import Event
from accel.device import Device

from .driver import Driver
from .events import CupyEvent

__all__ = ["hold_up"]

_NO_ORDER = -1


class ForeignStream(NamedTuple):
    """A stream that somebody else made, as far as it is like CuPy's, whose own class for these is deprecated."""

    driver: Driver
    handle: int

    def wait_event(self, event: Any) -> None:
        """Let what the stream is given from now on start after an event of CuPy's."""
        self.driver.runtime.streamWaitEvent(self.handle, event.ptr)


def hold_up(driver: Driver, device: Device, number: object, events: Iterable[Event]) -> list[Event]:
    """Let a stream that DLPack calls by a number wait for events and for CuPy; return those that the host must.

    Nobody waits for the number -1, which is for those who order the work themselves.

    Raises
    ------
    InterchangeError
        If DLPack forbids the number.
    """
    if type(number) is int and number == _NO_ORDER:
        return []
    stream, left = ForeignStream(driver, driver.platform.stream_handle(number)), []
    with driver.on(device):
        computed = driver.cupy.cuda.Event(disable_timing=True)
        computed.record()  # on the stream that is current in CuPy, whose computations are noted nowhere else
        stream.wait_event(computed)
        for event in events:
            if isinstance(event, CupyEvent) and event.known:
                event.hold_up(stream)
                left += [] if event.work is None else [event.work]  # it is over, and may have failed
            else:
                left.append(event)
    return left
