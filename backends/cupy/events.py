"""`CupyEvent`: a point in a stream, and `Clock`: what gives such points their times."""

from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any, NamedTuple

from accel.abc import Event
from accel.device import Device
from accel.errors import DeviceLostError

from .driver import Driver

__all__ = ["Clock", "CupyEvent"]

_LONGEST = 1.0


class _Start(NamedTuple):
    """A moment that is known on both clocks: an event, and the host's seconds at it."""

    event: Any
    seconds: float


class Clock:
    """The clock of one device: seconds of `time.perf_counter`, as finely as events measure.

    An event tells its distance from another one as a single-precision number, so a start is soon replaced.
    """

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        with driver.on(device):
            # Of its own, so that it is idle, and an event on it is reached as soon as it is recorded.
            self._stream = driver.cupy.cuda.Stream(non_blocking=True)
        self._start: _Start | None = None

    def start(self) -> _Start:
        """Return a moment not long ago; the device is current."""
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
        What a thread of the host must do before the device knows of this point; None if it knows.
    work : Event or None
        The work right before it, if a thread of the host does that, or did; it may have failed.
    put_off : callable or None
        Tells the device of this point, which most are never asked for; called with it by the first who asks.
    """

    __slots__ = ("_began", "_driver", "_native", "_start", "_stream", "after", "device", "put_off", "work")

    def __init__(self, driver: Driver, device: Device, stream: Any, work: Event | None) -> None:
        self.put_off: Callable[[CupyEvent], object] | None = None
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
        """Whether the device knows of this point; it is told now if that was put off."""
        if self._native is None and self.put_off is not None:
            self.put_off(self)
        return self._native is not None

    def place(self, began: Any, start: _Start) -> None:
        """Put the point behind all that its stream was given; the device is current.

        The work right before it began at another event, or is not timed.
        """
        self._began, self._start = began, start
        self._native = self._stream.record()

    def be(self, other: "CupyEvent") -> None:
        """Be a later point of the same stream, of which the device knows."""
        self._start, self._native = other._start, other._native

    def is_of(self, stream: Any, device: Device) -> bool:
        """Tell whether it is a point in a stream of CuPy's on a device, of which the default one is a single object."""
        return self._stream is stream and self.device is device

    def hold_up(self, stream: Any) -> None:
        """Let a stream of CuPy's wait for this point, without blocking the host."""
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
        """Whether what a thread of the host did for it raised something; of a lost device all that is asked fails."""
        return any(late is not None and late.failed for late in (self.work, self.after))

    def done(self) -> bool:
        """Tell whether it was reached; never waits."""
        if self.after is not None and not self.after.done():
            return False
        with suppress(DeviceLostError):  # nothing is under way on it any more
            return not self.known or self._driver.reached(self._native)
        return True

    def settle(self) -> None:
        """Block until it is reached, or never will be; failures are left to those who `wait`."""
        if self.after is not None:
            self.after.settle()
        with suppress(DeviceLostError):
            if self.known:
                self._driver.wait(self._native, self.device)

    def wait(self) -> None:
        """Block until it is reached; raises what a thread of the host raised before, or `DeviceLostError`."""
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
