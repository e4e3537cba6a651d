"""Work on a stream that reads and writes storages: kept alive until it is over, and in order with all other work."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from accel.memory.heap import Flight, heap_of
from accel.memory.owner import Pin
from accel.memory.storage import Storage
from accel.memory.stream import Event, Stream

__all__ = ["Use", "begin", "let_go", "submit_ordered", "take_off"]


class Use(NamedTuple):
    """A storage that some work reads, or may write."""

    storage: Storage
    writing: bool


def submit_ordered(stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> Event:
    """Submit work to a stream, after all in flight that it must not overtake; later uses of the storages wait for it.

    Parameters
    ----------
    stream : Stream
        On which ``work`` puts something.
    uses : sequence of Use
        What that reads and writes.
    work : callable
        Puts it there. If it raises, nothing was.
    """
    pins = begin(stream, uses)
    try:
        work()
    except Exception:
        let_go(pins)
        raise
    except BaseException:  # after an interrupt nobody knows what is under way
        take_off(stream, uses, pins)
        raise
    return take_off(stream, uses, pins).event


def begin(stream: Stream, uses: Sequence[Use]) -> tuple[Pin, ...]:
    """Keep storages alive, and let a stream's next work start after what it must not overtake."""
    pins = tuple([use.storage.pin() for use in uses])
    for storage, writing in uses:
        storage.owner.order(stream, writing=writing)
    return pins


def let_go(pins: Sequence[Pin]) -> None:
    """Give back what work would have held that was not begun."""
    for pin in pins:
        pin.release()


def take_off(stream: Stream, uses: Sequence[Use], pins: tuple[Pin, ...]) -> Flight:
    """Let what a stream was given hold what it uses, and later uses of that wait for it."""
    flight = Flight(stream.record(), pins)
    heap_of(stream.device).take_off(flight)
    for storage, writing in uses:
        storage.owner.note(flight.event, writing=writing)
    return flight
