"""Synchronization of other libraries' streams, which DLPack passes as numbers, with the work of this backend."""

from collections.abc import Iterable
from typing import NamedTuple

from accel.abc import Event

from .events import CupyEvent, EventPool

__all__ = ["hold_up"]

_NO_ORDER = -1


class ForeignStream(NamedTuple):
    """A stream of another library, with its handle as CuPy's streams have it; CuPy's class is deprecated."""

    ptr: int


def hold_up(pool: EventPool, number: object, events: Iterable[Event]) -> list[Event]:
    """Make the stream with a DLPack number wait for events and for CuPy's work; return the events it cannot wait for.

    The host must wait for these. With the number -1 nothing waits: the consumer synchronizes by itself.

    Raises
    ------
    InterchangeError
        If DLPack forbids the number.
    """
    if type(number) is int and number == _NO_ORDER:
        return []
    driver = pool.driver
    stream, for_host = ForeignStream(driver.platform.stream_handle(number)), []
    with driver.on(pool.device):
        driver.refuse_capture(driver.cupy.cuda.get_current_stream())
        driver.refuse_capture(stream)
        # Of CuPy's current stream, since its computations are not in `events`.
        pool.record(driver.cupy.cuda.get_current_stream()).hold_up(stream.ptr)
        for event in events:
            if isinstance(event, CupyEvent) and event.known:
                event.hold_up(stream.ptr)
                for_host += [] if event.work is None else [event.work]  # it is done, and may have failed
            else:
                for_host.append(event)
    return for_host
