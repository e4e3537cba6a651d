"""Who may still be reading or writing a block: what keeps work on different streams, and the host, in order."""

import threading
from collections.abc import Sequence

from accel import config
from accel.errors import InFlightError
from accel.locks import across_forks
from accel.memory.stream import Event, Stream

__all__ = ["Hazards", "noting", "wait_on_host"]

noting = across_forks(threading.RLock())
"""Held for a moment by whoever changes what is noted of any block; no event is asked anything inside."""


class Hazards:
    """The work in flight on one block: its last write, and the reads since.

    An owner has one while there is work in flight and None otherwise, which makes it the owner's state word.
    """

    __slots__ = ("_many", "reads", "write")

    def __init__(self) -> None:
        self.write: Event | None = None
        # Replaced as a whole, so that it can be walked while others note more.
        self.reads: tuple[Event, ...] = ()
        self._many = 16

    @property
    def events(self) -> tuple[Event, ...]:
        """All that is noted."""
        return self.reads if self.write is None else (self.write, *self.reads)

    def before(self, *, writing: bool) -> list[Event]:
        """Return what must be over before a read or a write begins."""
        pending: list[Event] = []
        if writing:
            self._forget_over()
            pending += self.reads
        if self.write is not None:
            pending.append(self.write)
        return pending

    def order(self, stream: Stream, *, writing: bool) -> None:
        """Let a stream's next work start after what must be over first, without blocking the host."""
        if self.write is not None:
            stream.wait_for(self.write)
        if writing:
            for event in self.reads:
                stream.wait_for(event)

    def settle(self, what: object, *, writing: bool) -> None:
        """Make the host wait for what must be over first, or refuse in strict mode."""
        wait_on_host(what, self.before(writing=writing), writing=writing)

    def note(self, event: Event, *, writing: bool) -> None:
        """Remember work that was submitted; the caller is `noting`."""
        if writing:
            self.write, self.reads = event, ()
        else:
            self.reads = (*self.reads, event)

    def forget_some(self) -> None:
        """Forget what is over if there is much: many kernels may read the same memory before the first is done."""
        if len(self.reads) > self._many:
            self._forget_over()
            self._many = 2 * len(self.reads) + 16

    def _forget_over(self) -> None:
        over = {id(event) for event in self.reads if event.done()}
        if over:
            with noting:
                self.reads = tuple([event for event in self.reads if id(event) not in over])


def wait_on_host(what: object, events: Sequence[Event], *, writing: bool) -> None:
    """Make the host wait for events before it reads or writes, or refuse in strict mode."""
    if config.current().strict and not all(event.done() for event in events):
        verb = "written" if writing else "read"
        raise InFlightError(f"{what} is {verb} by the host while work on it is in flight; wait for its transfer")
    for event in events:
        # What a failed write left is not read; it may be written over.
        event.settle() if writing else event.wait()
