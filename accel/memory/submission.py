"""`Submission`: some work as an event, from before it is submitted until it is done."""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from accel.abc.stream import CurrentStream, DeferredEvent, Event, Stream
from accel.device import Device
from accel.errors import DeviceLostError
from accel.memory.captures import event_after
from accel.support.locks import forked_since, process

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
        How many submissions were closed or overtaken; changes if a signal handler did so.
    device : Device
        The device.
    """

    __slots__ = ("closings", "device", "lock")

    def __init__(self, lock: AbstractContextManager[object], device: Device = Device.CPU) -> None:
        self.lock: AbstractContextManager[object] = lock
        self.device: Device = device
        self.closings: int = 0

    def overtake(self) -> None:
        """Wait until open submissions have all work that is being given to them, and let them get no more of it.

        Work that is recorded after an open submission of its own stream does this before it is given to the stream.
        Its own event need then not be the last one.
        """
        with nullcontext() if sys.is_finalizing() else self.lock:
            self.closings += 1


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
        The streams that may have been given some of the work, where there may be no event yet: while it is submitted,
        after an interrupt, and once it is closed. The first to ask records the event.
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
        Whether neither it nor the work whose result it reads can have failed. A thread of the host may fail to submit
        work, which an event is recorded after.
    """

    __slots__ = ("_gate", "_process", "_thread", "after", "begun", "event", "queue", "sound", "sources", "streams")

    def __init__(self, event: Event | None = None) -> None:
        self.begun: threading.Lock = threading.Lock()
        self.streams: tuple[Stream, ...] = ()
        self.event = event
        self.after: Sequence[Submission] = ()
        self.sources: Sequence[Submission] = ()
        self.queue: Stream | None = None
        self.sound: bool = False
        self._gate: Gate | None = None
        self._thread = threading.get_ident()
        self._process = process.token

    @property
    def device(self) -> Device:
        """The device that does the work; the CPU for work of the host."""
        source = self.queue or self.event or next(iter(self.streams), self._gate)
        return Device.CPU if source is None else source.device

    @property
    def began(self) -> float | None:
        """When it began on its stream, as `Event.began` says; None for work of the host."""
        self._close_if_open()
        return None if self.event is None else self.event.began

    @property
    def ended(self) -> float | None:
        """When it ended on its stream, as `Event.ended` says; None for work of the host."""
        self._close_if_open()
        return None if self.event is None else self.event.ended

    @property
    def failed(self) -> bool:
        """Whether it ended with an error, as `Event.failed` says."""
        return self.event is not None and self.event.failed

    def open(self, queue: Stream, gate: Gate) -> None:
        """Open the submission: the device has its work."""
        self._gate = gate
        self.queue = queue

    @property
    def may_be_done(self) -> bool:
        """Whether `done` would record no event: it is not open, or its stream is idle."""
        if self.queue is None:
            return True
        assert self._gate is not None, "an open submission has a gate"
        with self._gate.lock:  # meanwhile no capture of the stream begins, which the question would end
            queue: Any = self.queue
            return queue is None or _is_idle(queue)

    def _close_if_open(self, *, unless_idle: bool = False) -> None:
        if self.queue is not None:
            self._close(unless_idle=unless_idle)

    def _close(self, *, unless_idle: bool = False) -> None:
        """Record the event, after all work that the stream has; ``unless_idle``: not if the stream has done all."""
        assert self._gate is not None, "an open submission has a gate"
        # At the end of the process, the thread that holds the lock may never run again.
        with nullcontext() if sys.is_finalizing() else self._gate.lock:
            queue: Any = self.queue
            if queue is not None:
                # First, so that nothing is covered that a signal handler submits after the event. Until the event is
                # known, each question for it records another one.
                self.streams = (queue,)
                self.queue = None
                self._gate.closings += 1
                # An event that is recorded now is reached late, even if the host has waited for the stream.
                if unless_idle and _is_idle(queue):
                    self.streams = ()
                else:
                    self.event = event_after(queue)

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
        self._close_if_open()
        if self.event is None and self.streams:
            events = tuple([event_after(stream) for stream in self.streams])
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
        with suppress(DeviceLostError):  # a lost device does no more work
            # Closed also if its stream is idle: it must cover no work that another thread submits meanwhile.
            self._close_if_open(unless_idle=True)
            if self.event is not None:
                return self.event.done()
            return all(event.done() for event in self.submitted()) if self.streams or self.after else True
        return True

    def settle(self) -> None:
        """Block until the work is done; failures are raised by `wait` only."""
        with suppress(DeviceLostError):
            for event in self.submitted():
                event.settle()

    def wait(self) -> None:
        """Block until the work is done; raises its error, or the error of the work that wrote its input."""
        for event in self.submitted():
            # If this never took place, the events are those of earlier work, whose failures are not its own.
            event.wait() if event is self.event else event.settle()
        failed = self.culprit()
        if failed is not None:
            failed.wait()

    def culprit(self) -> Event | None:
        """Return the event that failed, of this work or of the work that wrote its input; the work must be done."""
        visited, to_ask = {self}, [self]
        while to_ask:
            each = to_ask.pop()
            if each.event is not None and each.event.failed:
                # Or a chain of refusals would keep all of them alive.
                self.sources = (each,) if each is not self else ()
                return each.event
            sources = {*each.sources} - visited
            to_ask += sources
            visited |= sources
        self.sources = ()  # or a chain of copies would keep all earlier ones alive
        return None

    def _is_own(self) -> bool:
        """Tell whether the caller cannot wait: it is a signal handler or a finaliser inside of the work itself.

        At the end of the process, the threads that had begun the work are gone; nothing waits for them either.
        """
        return self._thread == threading.get_ident() or sys.is_finalizing()


def _is_idle(queue: Any) -> bool:
    """Tell whether a stream says, without an event, that it has done all its work; see `DirectStream.idle`."""
    return hasattr(queue, "idle") and bool(queue.idle())
