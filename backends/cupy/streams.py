"""`CupyStream`: a stream of one device, which both `accel` and CuPy can use."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any, Self

from accel.abc import Event
from accel.abc.stream import CurrentStream
from accel.device import Device
from accel.memory.thread_stream import ThreadStream

from .driver import Driver
from .events import Clock, CupyEvent

__all__ = ["CupyStream"]

HostCallback = Callable[[], object]
"""Called in a thread of the host to submit operations to the driver."""


class CupyStream(CurrentStream):
    """A stream of one device.

    The driver can wait for its own events. To wait for an event of the host it would have to call Python from a thread
    that may hold locks of the driver. So work that must come after an event of the host, or of a device of another
    backend, is submitted to the driver by a host thread when the event is reached, and so is all later work. That
    thread also does work that would block its caller.

    Attributes
    ----------
    device : Device
        The device.
    native : cupy.cuda.Stream
        CuPy's stream.
    """

    __slots__ = (
        "__weakref__",
        "_began",
        "_clock",
        "_closed",
        "_driver",
        "_giving",
        "_known",
        "_last",
        "_late",
        "_lock",
        "_numbers",
        "device",
        "native",
    )

    def __init__(self, driver: Driver, device: Device, native: Any, clock: Clock) -> None:
        self.device = device
        self._giving = threading.RLock()
        self.native = native
        self._driver = driver
        self._clock = clock
        self._began: Any = None
        self._closed = False
        self._late: ThreadStream | None = None
        self._last: Event | None = None
        self._lock = threading.Lock()
        self._numbers = count(1)
        # The last deferred event that was queried and so recorded; it stands for all deferred events of lower numbers.
        self._known: tuple[int, CupyEvent | None] = (0, None)

    @property
    def number(self) -> int:
        """DLPack's number of this stream."""
        return int(self.native.ptr) or self._driver.platform.default_stream

    @property
    def idle(self) -> bool:
        """Whether all work submitted so far is done; never waits."""
        if self._late_thread() is not None:
            return False
        with self._driver.on(self.device):
            return self._driver.finished(self.native)

    @property
    def giving(self) -> AbstractContextManager[object]:
        """The lock that `CurrentStream.giving` describes."""
        self._driver.refuse_fork()
        return self._giving

    def submit(self, work: HostCallback, *, timed: bool = False, blocks: bool = False) -> None:
        """Submit work to the driver: at once, or in the host thread if the stream waits for an event of the host.

        Parameters
        ----------
        work : callable
            Called without arguments, while the device is current.
        timed : bool
            Whether the next event should know when the work began.
        blocks : bool
            Whether ``work`` blocks on the host, so that the host thread must call it.

        Raises
        ------
        RuntimeError
            If the stream is closed.
        """
        if self._closed:
            raise RuntimeError(f"{self!r} is closed and takes no more work; make another: accel.new_stream()")
        late = self._made_late() if blocks else self._late_thread()
        if late is None:
            self._do(work, timed=timed)
            self._last = None
        else:
            self._last = late.submit(lambda: self._do(work, timed=timed))

    def append(self, work: HostCallback) -> None:
        """Submit work as `submit` does, but also to a closed stream, and without making the device current."""
        late = self._late_thread()
        if late is None:
            work()
        else:
            late.submit(work)

    def record(self) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        event, late = CupyEvent(self._driver, self.device, self.native, self._last), self._late_thread()
        if late is None:
            self._place(event)
        else:
            event.after = late.submit(lambda: self._place(event))
        return event

    def mark(self) -> Event:
        """Return an event like that of `record`, which is recorded in the driver when it is first queried.

        It may be reached later than that of `record`: when all work is done that was submitted until the query.
        """
        if self._last is not None or self._late_thread() is not None:
            return self.record()
        event = CupyEvent(self._driver, self.device, self.native, None)
        event.put_off = partial(self._make_known, next(self._numbers))
        return event

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, without blocking the caller."""
        if isinstance(event, CupyEvent) and event.is_of(self.native, self.device):
            return  # the work of one stream is ordered anyway
        if isinstance(event, CupyEvent) and event.known:
            self.append(lambda: self._hold_up(event))
        elif not event.done():
            self._made_late().submit(event.settle)

    def synchronize(self) -> None:
        """Block until all work submitted so far is done; raises errors that nobody waited for yet."""
        self._driver.refuse_fork()
        if self._late is not None:
            self._late.synchronize()
        with self._driver.on(self.device):
            self.native.synchronize()

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        self._closed = True
        self.synchronize()

    def __enter__(self) -> Self:
        """Make it current, here and in CuPy."""
        with self._driver.on(self.device):
            self.native.__enter__()
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        with self._driver.on(self.device):
            self.native.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        return f"<stream {self.native.ptr:#x} of {self.device}>"

    def _late_thread(self) -> ThreadStream | None:
        """Return the host thread that submits work, as long as it has some left; None otherwise."""
        late = self._late
        return None if late is None or late.record().done() else late

    def _made_late(self) -> ThreadStream:
        made = self._late or ThreadStream(self.device)  # without the lock: a finaliser during this call may call again
        with self._lock:
            made = self._late = self._late or made
        return made

    def _do(self, work: HostCallback, *, timed: bool) -> None:
        with self._driver.on(self.device):
            self._driver.refuse_capture(self.native)
            self._began = self.native.record() if timed else None
            work()

    def _place(self, event: CupyEvent) -> None:
        with self._driver.on(self.device):
            event.place(self._began, self._clock.start())

    def _make_known(self, number: int, event: CupyEvent) -> None:
        """Record a deferred event in the driver, or use a later one that is recorded already."""
        above, known = self._known
        if known is None or above < number:
            above, known = next(self._numbers), CupyEvent(self._driver, self.device, self.native, None)
            self._place(known)
            self._known = above, known
        event.be(known)

    def _hold_up(self, event: CupyEvent) -> None:
        with self._driver.on(self.device):
            event.hold_up(self.native)
