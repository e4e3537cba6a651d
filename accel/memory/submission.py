"""`Submission`: some work as an event, from before it is submitted until it is done."""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from accel.abc.stream import CurrentStream, DeferredEvent, Event, Stream, raise_again
from accel.device import Device
from accel.errors import DeviceLostError
from accel.locks import forked_since, process

__all__ = ["Gate", "Submission"]


class Gate:
    """Orders the work that a device gets without events with the recording of events after it.

    Attributes
    ----------
    lock : lock
        Held from the check that a submission is open until the work that it is to cover is on its stream; and while a
        submission is closed. Nothing waits with it held. It is reentrant: a signal handler may close a submission in
        the middle of such a check.
    closings : int
        How many submissions were closed; changes if a signal handler did so.
    """

    __slots__ = ("closings", "lock")

    def __init__(self, lock: AbstractContextManager[object]) -> None:
        self.lock = lock
        self.closings = 0


class _Lost:
    """The event after work on a device that was lost before the event was recorded: it is done, and `wait` raises."""

    __slots__ = ("_error", "device")
    began = ended = None
    failed = False  # all later calls of the driver report it

    def __init__(self, device: Device, error: DeviceLostError) -> None:
        self.device = device
        self._error = error

    def done(self) -> bool:
        """Return True: a lost device does no more work."""
        return True

    def settle(self) -> None:
        """Do not wait."""

    def wait(self) -> None:
        """Raise the error."""
        raise_again(self._error, None)


class Submission(DeferredEvent):
    """Work from before it is submitted to a stream, or begun by the host, until it is done; an `Event`.

    A submission is open if the device has the work, and no event is recorded after it: the event is recorded when it
    is first asked for. So an open submission also covers all work that its stream is given meanwhile. To ask for the
    event closes it.

    Attributes
    ----------
    begun : lock
        Held by the thread that submits the work or, where there is no stream, does it.
    streams : tuple of Stream
        The streams that may have been given some of the work, as long as there is no event. An interrupt can leave
        them here; then the first to ask records the event.
    event : Event or None
        Reached when the work is done; None before it is recorded, and for work of the host.
    after : sequence of Submission
        The work that this comes after, until the order is certain: if this never takes place, later work waits for
        these instead.
    sources : sequence of Submission
        The work whose failure makes this one fail: it wrote what this reads.
    queue : Stream or None
        The stream of an open submission; None for all others.
    sound : bool
        Whether no work whose result it reads can have failed; known once it is recorded.
    """

    __slots__ = ("_gate", "_process", "_thread", "after", "begun", "event", "queue", "sound", "sources", "streams")

    def __init__(self, event: Event | None = None) -> None:
        self.begun = threading.Lock()
        self.streams: tuple[Stream, ...] = ()
        self.event = event
        self.after: Sequence[Submission] = ()
        self.sources: Sequence[Submission] = ()
        self.queue: Stream | None = None
        self.sound = False
        self._gate: Gate | None = None
        self._thread = threading.get_ident()
        self._process = process()

    @property
    def device(self) -> Any:
        """The device that does the work; None if the host does."""
        known = self.queue or self.event
        return None if known is None else known.device

    @property
    def began(self) -> float | None:
        """When it began on its stream, as `Event.began` says; None for work of the host."""
        return None if self.event is None else self.event.began

    @property
    def ended(self) -> float | None:
        """When it ended on its stream, as `Event.ended` says; None for work of the host."""
        return None if self.event is None else self.event.ended

    @property
    def failed(self) -> bool:
        """Whether the work itself ended with an error."""
        return self.event is not None and self.event.failed

    def open(self, queue: Stream, gate: Gate) -> None:
        """Open the submission: the device has its work."""
        self._gate = gate
        self.queue = queue

    def _close(self) -> None:
        """Record the event, after all work that the stream has."""
        assert self._gate is not None, "an open submission has a gate"
        with self._gate.lock:
            queue = self.queue
            if queue is not None:
                try:
                    self.event = queue.record()
                except DeviceLostError as error:
                    self.event = _Lost(queue.device, error)
                self.queue = None
                self._gate.closings += 1

    def give(self, stream: Stream, work: "Callable[[Submission], object]") -> None:
        """Submit the work to a stream.

        ``work`` enqueues it and may set the event. If ``work`` raises, it enqueued nothing after the event.
        """
        self.streams = (stream,)
        try:
            with stream.giving if isinstance(stream, CurrentStream) else nullcontext():
                work(self)
                if self.event is None and self.queue is None:
                    self.event = stream.record()
        except Exception:
            self.streams = ()
            raise
        if self.queue is None:  # a thread of the host may yet fail to submit it
            self.sound = False
        self.streams = ()  # after an interrupt they stay: what they were given is unknown

    def submitted(self) -> tuple[Event, ...]:
        """Wait until the work was submitted, or the host has done it; return the events still to wait for.

        Raises
        ------
        RuntimeError
            In the child of a fork, if another thread of the parent had begun the work.
        """
        if self.begun.locked() and not self._is_own():
            if forked_since(self._process):
                raise RuntimeError("this work was begun before a fork, in the parent; start processes with 'spawn'")
            with self.begun:
                pass
        if self.queue is not None:
            self._close()
        if self.event is None and self.streams:
            events = tuple([stream.record() for stream in self.streams])
            if len(events) > 1:
                return events
            self.event = events[0]
        if self.event is not None:
            return (self.event,)
        return tuple([event for each in self.after for event in each.submitted()])

    def done(self) -> bool:
        """Tell whether the work is done; never waits."""
        if self.begun.locked():
            return False
        if self.queue is not None:
            self._close()
        if self.event is not None:
            return self.event.done()
        return all(event.done() for event in self.submitted()) if self.streams or self.after else True

    def settle(self) -> None:
        """Block until the work is done; failures are raised by `wait` only."""
        for event in self.submitted():
            event.settle()

    def wait(self) -> None:
        """Block until the work is done; raises its error, or that of the work that wrote what it reads."""
        for event in self.submitted():
            # If this never took place, the events are those of earlier work, whose failures are not its own.
            event.wait() if event is self.event else event.settle()
        failed = self.culprit()
        if failed is not None:
            failed.wait()

    def culprit(self) -> Event | None:
        """Return the failed event, of this work or of what wrote its input, once the work is done; None if none."""
        seen, to_ask = {self}, [self]
        while to_ask:
            each = to_ask.pop()
            if each.event is not None and each.event.failed:
                # Or a chain of refusals would keep all of them alive.
                self.sources = (each,) if each is not self else ()
                return each.event
            sources = {*each.sources} - seen
            to_ask += sources
            seen |= sources
        self.sources = ()  # or a chain of copies would keep all earlier ones alive
        return None

    def _is_own(self) -> bool:
        """Tell whether the caller cannot wait: it is a signal handler or a finaliser inside of the work itself.

        At the end of the process, the threads that had begun the work are gone; nothing waits for them either.
        """
        return self._thread == threading.get_ident() or sys.is_finalizing()
