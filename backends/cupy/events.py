"""`CupyEvent`: a point in a stream; `EventPool`: the driver's events of a device, used again and again."""

from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple

from accel.abc import Event
from accel.abc.stream import event_text
from accel.device import Device
from accel.errors import DeviceLostError

from .driver import Driver

__all__ = ["CupyEvent", "EventPool", "Start"]

_LONGEST = 1.0


class Start(NamedTuple):
    """A point in time on both clocks: a timed event, and the host's time in seconds when it was recorded."""

    event: "CupyEvent"
    seconds: float


class EventPool:
    """The driver's events of one device.

    They are never destroyed: to create one costs more than to record it, and a process has no more of them than were in
    use at one time. Streams that wait for an event wait for the work before it when they were told to, so it may be
    recorded again meanwhile.

    Only some are timed, because that takes a GPU longer. Their clock is `time.perf_counter`. The driver reports the
    time between two events in single precision, so the start is renewed every second.
    """

    __slots__ = ("_idle", "_start", "device", "driver")

    def __init__(self, driver: Driver, device: Device) -> None:
        self.driver = driver
        self.device = device
        # Finalisers use these at any moment, so there is no lock: each operation is atomic.
        self._idle: tuple[deque[int], deque[int]] = deque(), deque()
        self._start: Start | None = None

    def take(self, *, timed: bool) -> int:
        """Return the handle of an event that nothing uses; the device is current."""
        try:
            return self._idle[timed].pop()
        except IndexError:
            runtime = self.driver.runtime
            handle: int = runtime.eventCreateWithFlags(0 if timed else runtime.eventDisableTiming)
            return handle

    def give_back(self, handle: int, *, timed: bool) -> None:
        """Let an event be used again."""
        self._idle[timed].append(handle)

    def record(self, stream: Any, *, timed: bool = False) -> "CupyEvent":
        """Return a new event after all work of a CuPy stream; the device is current."""
        event = CupyEvent(self, stream, None, timed=timed)
        event.place()
        return event

    def start(self) -> Start:
        """Return a recent start; the device is current."""
        now, start = perf_counter(), self._start
        if start is None or now - start.seconds > _LONGEST:
            # A stream without work, so that the event is reached as soon as it is recorded.
            idle = self.driver.cupy.cuda.Stream(non_blocking=True) if start is None else start.event.stream
            start = self._start = Start(self.record(idle, timed=True), now)
        return start


class CupyEvent:
    """A point in a `CupyStream`.

    Attributes
    ----------
    device : Device
        The device of the stream.
    stream : cupy.cuda.Stream
        CuPy's stream.
    captured : bool
        Whether its stream was captured by another library when it was to be recorded, so that the work before it is in
        a graph. There is nothing to wait for then, and other streams cannot come after it.
    timed, work_timed : bool
        Whether the device measures when it is reached, and when the work right before it began.
    after : Event or None
        What a host thread must do before it records the event on the device; None if the device has the event.
    work : Event or None
        The work right before it, if a host thread submits that; it may have failed.
    """

    __slots__ = (
        "_began",
        "_driver",
        "_handle",
        "_pool",
        "_start",
        "after",
        "captured",
        "device",
        "stream",
        "timed",
        "work",
        "work_timed",
    )

    def __init__(self, pool: EventPool, stream: Any, work: Event | None, *, timed: bool) -> None:
        self._driver = pool.driver
        self._pool = pool
        self._began: CupyEvent | None = None
        self._handle = 0
        self._start: Start | None = None
        self.captured = False
        self.stream = stream
        self.device = pool.device
        self.timed = timed
        self.work_timed = False
        self.after: Event | None = None
        self.work = work

    def __del__(self) -> None:
        if self._handle:
            self._pool.give_back(self._handle, timed=self.timed)

    @property
    def known(self) -> bool:
        """Whether the event is recorded on the device."""
        return self._handle != 0

    def place(self, began: "CupyEvent | None" = None, start: Start | None = None) -> None:
        """Record the event after all work that its stream has; the device is current.

        ``began`` is the event right before the work that it ends, and ``start`` a recent start; None without times.
        """
        self._began, self._start = began, start
        handle = self._pool.take(timed=self.timed)
        self._driver.runtime.eventRecord(handle, self.stream.ptr)
        self._handle = handle

    def is_of(self, stream: Any, device: Device) -> bool:
        """Return whether it is a point in this CuPy stream on this device; all devices share one default stream."""
        return self.stream is stream and self.device is device

    def hold_up(self, stream: int) -> None:
        """Make the stream with a handle wait for this point, without blocking the host."""
        self._driver.runtime.streamWaitEvent(stream, self._handle)

    @property
    def began(self) -> float | None:
        """When the work right before it began, in seconds of `time.perf_counter`; None as `Event` says."""
        return self._time_of(self._began) if self.work_timed else None

    @property
    def ended(self) -> float | None:
        """When it was reached; None as `Event` says."""
        return self._time_of(self) if self.timed else None

    @property
    def failed(self) -> bool:
        """Whether a host thread raised an error for it; a lost device is not reported here, but by all later calls."""
        return any(late is not None and late.failed for late in (self.work, self.after))

    def __repr__(self) -> str:
        return event_text(self.device, done=self.done(), failed=self.failed)

    def done(self) -> bool:
        """Return whether it was reached; never waits."""
        if self.after is not None and not self.after.done():
            return False
        with suppress(DeviceLostError):  # a lost device does no more work
            return not self.known or self._driver.reached(self._handle, self.device)
        return True

    def settle(self) -> None:
        """Block until it is reached, or the device is lost; errors are left for `wait`."""
        if self.after is not None:
            self.after.settle()
        with suppress(DeviceLostError):
            if self.known:
                self._driver.wait(self._handle, self.device)

    def wait(self) -> None:
        """Block until it is reached; raises the error of a host thread, or `DeviceLostError`."""
        for late in (self.work, self.after):
            if late is not None:
                late.wait()
        if self.known:
            self._driver.wait(self._handle, self.device)

    def _time_of(self, event: "CupyEvent | None") -> float | None:
        """Return when this event, or that before its work, was reached; None until this is, or if it never will be."""
        # It has no start if a host thread failed before it recorded the event.
        if not self.done() or self._start is None or event is None:
            return None
        start, seconds = self._start
        with self._driver.on(self.device):
            start.wait()
            milliseconds: float = self._driver.runtime.eventElapsedTime(start._handle, event._handle)
        return seconds + milliseconds / 1000
