"""Work that reads and writes storages: kept alive until it is over, and in order with all other work."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from accel import config
from accel.device import Device
from accel.memory.heap import Flight, Heap, heap_of
from accel.memory.owner import Owner, Pin
from accel.memory.stream import Event, Stream

__all__ = ["Use", "begin", "carry_out", "let_go", "submit_ordered", "take_off"]


class Usable(Protocol):
    """What has memory: a storage."""

    @property
    def device(self) -> Device:
        """Where the memory is."""
        ...

    @property
    def owner(self) -> Owner:
        """Who knows what is in flight on it."""
        ...

    def pin(self) -> Pin:
        """Keep it alive until the pin is released."""
        ...

    def settle(self, *, writing: bool) -> None:
        """Make the host wait for the work in flight that it must not overtake."""
        ...


class Use(NamedTuple):
    """A storage that some work reads, or may write."""

    storage: Usable
    writing: bool


def carry_out(heap: Heap, uses: Sequence[Use], work: Callable[[], object]) -> None:
    """Copy or fill memory, in order with all else that is done with it.

    A device that frees in order is only given the work, where that is in its own memory: whoever uses the memory later
    waits for it. Otherwise it is over on return.

    Parameters
    ----------
    heap : Heap
        Whose backend does it.
    uses : sequence of Use
        What it reads and writes.
    work : callable
        Gives the backend a copy or a fill, without a stream. If it raises, nothing was given.
    """
    # In strict mode nothing is left under way that its submitter does not know of.
    stream, backend = heap.stream, None if config.current().strict else heap.in_order
    if stream is not None and backend is not None and all(_within(heap, use.storage) for use in uses):
        pins = _submitted(stream, uses, work)
        _note(backend.mark(stream), uses)
        let_go(pins)
        return
    for storage, writing in uses:
        storage.settle(writing=writing)
    pins = _pinned(uses)  # another thread may release one meanwhile
    try:
        heap.carry_out(work, *[use.storage for use in uses])
    finally:
        let_go(pins)


def _within(heap: Heap, storage: Usable) -> bool:
    """Tell whether memory is a device's own, which nobody else frees."""
    return storage.device is heap.device and storage.owner.external is None


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
    pins = _submitted(stream, uses, work)
    return take_off(stream.record(), uses, pins).event


def _submitted(stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> tuple[Pin, ...]:
    """Return what keeps the storages alive that submitted work uses."""
    pins = begin(stream, uses)
    try:
        work()
    except Exception:
        let_go(pins)
        raise
    except BaseException:  # after an interrupt nobody knows what is under way
        take_off(stream.record(), uses, pins)
        raise
    return pins


def begin(stream: Stream, uses: Sequence[Use]) -> tuple[Pin, ...]:
    """Keep storages alive, and let a stream's next work start after what it must not overtake."""
    pins = _pinned(uses)
    for storage, writing in uses:
        storage.owner.order(stream, writing=writing)
    return pins


def _pinned(uses: Sequence[Use]) -> tuple[Pin, ...]:
    return tuple([use.storage.pin() for use in uses])


def let_go(pins: Sequence[Pin]) -> None:
    """Give back what work would have held that was not begun."""
    for pin in pins:
        pin.release()


def take_off(event: Event, uses: Sequence[Use], pins: tuple[Pin, ...]) -> Flight:
    """Let what a stream was given before an event hold what it uses, and later uses of that wait for the event."""
    flight = Flight(event, pins)
    heap_of(event.device).take_off(flight)
    _note(event, uses)
    return flight


def _note(event: Event, uses: Sequence[Use]) -> None:
    """Let later uses wait for what was submitted."""
    for storage, writing in uses:
        storage.owner.note(event, writing=writing)
