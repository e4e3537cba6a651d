"""`CupyEvent`: a point in a stream; `Clock`: the times of such points on the host's clock."""

from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple

from accel.abc import Event
from accel.abc.stream import event_text
from accel.device import Device
from accel.errors import DeviceLostError

from .driver import Driver

__all__ = ["Clock", "CupyEvent"]

_LONGEST = 1.0


class _Start(NamedTuple):
    """A point in time on both clocks: a device event, and the host's time in seconds when it was recorded."""

    event: Any
    seconds: float


class Clock:
    """The clock of one device, in seconds of `time.perf_counter`, with the resolution of device events.

    The driver reports the time between two events in single precision, so the start is renewed every second.
    """

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        with driver.on(device):
            # A stream without work, so that an event is reached as soon as it is recorded.
            self._stream = driver.cupy.cuda.Stream(non_blocking=True)
        self._start: _Start | None = None

    def start(self) -> _Start:
        """Return a recent start; the device is current."""
        now = perf_counter()
        if self._start is None or now - self._start.seconds > _LONGEST:
            self._start = _Start(self._stream.record(), now)
        return self._start


class CupyEvent:
    """A point in a `CupyStream`.

    Attributes
    ----------
    device : Device
        The device of the stream.
    after : Event or None
        What a host thread must do before it records the event on the device; None if the device has the event.
    work : Event or None
        The work right before it, if a host thread submits that; it may have failed.
    """

    __slots__ = ("_began", "_driver", "_native", "_start", "_stream", "after", "device", "work")

    def __init__(self, driver: Driver, device: Device, stream: Any, work: Event | None) -> None:
        self._driver = driver
        self._began: Any = None
        self._native: Any = None
        self._start: _Start | None = None
        self._stream = stream
        self.device = device
        self.after: Event | None = None
        self.work = work

    @property
    def known(self) -> bool:
        """Whether the event is recorded on the device."""
        return self._native is not None

    def place(self, began: Any, start: _Start) -> None:
        """Record the event after all work that its stream has; the device is current.

        ``began`` is the event right before the work that it ends, or None if that work is not timed.
        """
        self._began, self._start = began, start
        self._native = self._stream.record()

    def is_of(self, stream: Any, device: Device) -> bool:
        """Return whether it is a point in this CuPy stream on this device; all devices share one default stream."""
        return self._stream is stream and self.device is device

    def hold_up(self, stream: Any) -> None:
        """Make a CuPy stream wait for this point, without blocking the host."""
        stream.wait_event(self._native)

    @property
    def began(self) -> float | None:
        """When the work right before it began, in seconds of `time.perf_counter`; None until it is reached."""
        return self._when(began=True)

    @property
    def ended(self) -> float | None:
        """When it was reached; None before."""
        return self._when(began=False)

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
            return not self.known or self._driver.reached(self._native)
        return True

    def settle(self) -> None:
        """Block until it is reached, or the device is lost; errors are left for `wait`."""
        if self.after is not None:
            self.after.settle()
        with suppress(DeviceLostError):
            if self.known:
                self._driver.wait(self._native, self.device)

    def wait(self) -> None:
        """Block until it is reached; raises the error of a host thread, or `DeviceLostError`."""
        for late in (self.work, self.after):
            if late is not None:
                late.wait()
        if self.known:
            self._driver.wait(self._native, self.device)

    def _when(self, *, began: bool) -> float | None:
        if not self.done() or self._start is None:
            return None
        event = self._began if began and self._began is not None else self._native
        with self._driver.on(self.device):
            self._start.event.synchronize()
            milliseconds: float = self._driver.cupy.cuda.get_elapsed_time(self._start.event, event)
        return self._start.seconds + milliseconds / 1000
