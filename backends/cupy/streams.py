"""`CupyStream`: a stream of one device, which both `accel` and CuPy can use."""

import threading
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from typing import Any

from accel.abc import CapturedEvent, DeferredEvent, Event, refuse_captured
from accel.abc.stream import as_event
from accel.device import Device
from accel.errors import CapabilityError
from accel.memory.thread_stream import ThreadStream
from accel.support.locks import open_after_fork, process

from .driver import Driver
from .events import CupyEvent, EventPool
from .graphs import CupyGraph, UsedBlock
from .native_streams import HostCallback, NativeStream

__all__ = ["CupyStream", "NewBlocks", "Waits"]

_changing = open_after_fork(threading.Lock())
"""Held where a stream reads and changes what other threads change too; no call in between, so nothing waits for it."""
_new_lock = threading._CRLock or threading.RLock  # type: ignore[attr-defined]  # the second one calls the first
_MOST_WAITS = 256
"""Of how many other streams a stream remembers how far it waits for them."""


class NewBlocks:
    """How many blocks were allocated on a device; grows with the lock of its heap held."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


class Waits(dict[int, int]):
    """How far a CuPy stream waits for others, by the serial numbers of their `CupyStream`.

    Attributes
    ----------
    caught_up : int
        The number of allocations up to which it waits for the earlier work on all blocks of its device.
    """

    __slots__ = ("caught_up",)

    def __init__(self) -> None:
        super().__init__()
        self.caught_up = 0


class CupyStream(NativeStream):
    """A stream of one device.

    The driver can wait for its own events. To wait for an event of the host it would have to call Python from a thread
    that may hold locks of the driver. So work that must come after an event of the host, or of a device of another
    backend, is submitted to the driver by a host thread when the event is reached, and so is all later work. That
    thread also does work that would block its caller.

    Attributes
    ----------
    buffered : int
        Bytes of pageable memory of the host up to which the driver takes them at once, unless the device reads that
        memory itself.
    direct : bool
        Whether the driver has all work submitted so far, and takes more from any thread at once. False also where that
        is not known: until the next `submit` or `record` finds that the host thread has done its work.
    stamp : int
        The number of events recorded so far: the stamp of the work that is being submitted. Work is stamped after it
        was submitted, and ``stamp`` grows before an event is recorded. So the event that was recorded when ``stamp``
        grew beyond the stamp of some work comes after that work.
    allocated : int
        The stamp of the last allocation for this stream; -1 if there was none.
    new_blocks : NewBlocks
        The number of allocations on the device; all its streams share this object.
    caught_up : int
        As that of `waits`.
    waits : Waits
        How far it waits for other streams.
    deferred : list of callables, or None
        While the stream is captured: what is to be done with it at the end of the capture, such as waits for other
        streams, which the driver would refuse now. None if it is not captured.
    kept : list of DeviceBlock
        The memory that was allocated for recorded work.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_given",
        "_giving",
        "_late",
        "_latest",
        "_latest_direct",
        "_serial",
        "allocated",
        "caught_up",
        "deferred",
        "direct",
        "kept",
        "new_blocks",
        "stamp",
        "waits",
    )
    _serials = count()
    buffered = 1 << 16

    def __init__(
        self,
        driver: Driver,
        device: Device,
        native: Any,
        events: EventPool,
        new_blocks: NewBlocks,
        waits: Waits | None = None,
    ) -> None:
        self.device = device
        self._giving = _new_lock()
        self.native = native
        self.handle = native.ptr
        self.stamp = 0
        self.allocated = -1
        self.new_blocks = new_blocks
        self.caught_up = 0
        self._driver = driver
        self.events = events
        self.timed = False
        self._began = None
        self._closed = False
        self.direct = True
        self.deferred: list[HostCallback] | None = None
        self.kept: list[UsedBlock] = []
        self._late: ThreadStream | None = None
        self._given = 0
        self._last = None
        # The stamp of the work right before the event recorded last, and the event.
        self._latest: tuple[int, Event | None] = (-1, None)
        # The same for the last event that the driver has, and not only the host thread.
        self._latest_direct: tuple[int, Event | None] = (-1, None)
        self._serial = next(self._serials)
        self.waits = Waits() if waits is None else waits

    @property
    def awaitable(self) -> bool:
        """Whether it is `direct`, and no other library records its work in a graph."""
        if not (self.direct or self._is_direct()):
            return False
        handle, driver, index = self.handle, self._driver, self.device._index
        # As `Driver.is_ready`, without the call. The driver may refuse the question while another device is current.
        if handle and index in driver.of_thread.ready and driver.get_device() == index:
            try:
                return not driver.runtime.streamIsCapturing(handle)
            except Exception as error:
                raise driver.translated(error, self.device) from error
        return not (handle and self._now(driver.is_captured, handle))

    @property
    def giving(self) -> AbstractContextManager[object]:
        """The lock that `CurrentStream.giving` describes."""
        self._driver.refuse_fork()
        return self._giving

    def submit(self, work: HostCallback, *, blocks: bool = False) -> None:
        """Submit work to the driver: at once, or in the host thread if the stream waits for an event of the host.

        Parameters
        ----------
        work : callable
            Called without arguments, while the device is current.
        blocks : bool
            Whether ``work`` blocks on the host, so that the host thread must call it.

        Raises
        ------
        RuntimeError
            If the stream is closed.
        """
        if self._closed:
            raise RuntimeError(f"{self!r} is closed and takes no more work; make another: accel.new_stream()")
        if blocks:
            self._refuse_host()
        late = self._new_late_thread() if blocks else self._late_thread()
        if late is None:
            self._do(work)
            self._last = None
        else:
            last = self._give(late, lambda: self._do(work))
            with _changing:
                self._last = last

    def idle(self) -> bool:
        """Return whether the driver has done all work so far; False if that cannot be told without an event."""
        return self._is_direct() and self._now(self._idle_now)

    def _idle_now(self) -> bool:
        return not self._driver.is_captured(self.handle) and self._driver.finished(self.native)

    def append(self, work: HostCallback) -> None:
        """Submit work as `submit` does, but also to a closed stream, and without making the device current."""
        deferred = self.deferred
        # No call between these: the end of the capture does all that is deferred.
        if deferred is not None:
            deferred.append(work)
            return
        late = self._late_thread()
        if late is None:
            work()
        else:
            self._give(late, work)

    def record(self, *, timed: bool = False) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        if self.deferred is not None:
            return CapturedEvent(self.device)
        with _changing:  # or of two threads one could set it back
            before = self.stamp
            self.stamp = before + 1  # now, so that no work submitted after the event gets the stamp before it
        event = CupyEvent(self.events, self.native, self._last, timed=timed or self.timed)
        event.work_timed, late = self.timed, self._late_thread()
        if late is None:
            self._place(event)
            if event.captured:
                return event
            self._latest_direct = before, event
        else:
            event.after = self._give(late, lambda: self._place(event))
        self._latest = before, event
        return event

    def mark(self) -> Event | None:
        """Return None if the driver has the last work; else an event, which knows whether its submission failed."""
        return None if self._last is None and self._late_thread() is None else self.record()

    def event_after(self, stamp: int) -> tuple[int, Event]:
        """Return an event after the work with a stamp, and the stamp of the last work before the event."""
        for before, event in (self._latest_direct, self._latest):
            if event is not None and before >= stamp:
                return before, event
        event = self.record()
        if isinstance(event, CupyEvent) and event.captured:
            self._driver.refuse_capture(self.native)
        return stamp, event

    def come_after(self, other: "CupyStream", stamp: int) -> None:
        """Let work submitted from now on start after the work of another stream up to a stamp."""
        if self.waits.get(other._serial, -1) < stamp and other is not self:
            before, event = other.event_after(stamp)
            if self.deferred is None:
                self.wait_for(event)
            else:
                self.append(partial(self.wait_for, event))
            if len(self.waits) > _MOST_WAITS:
                self.waits.clear()  # it only saves waits, and streams may come and go
            self.waits[other._serial] = before

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, without blocking the caller."""
        if self.deferred is not None:
            refuse_captured(self, "wait for an event", "wait for it before the capture, or before graph.launch()")
        if isinstance(event, DeferredEvent):
            for each in event.submitted():
                self.wait_for(each)
        elif isinstance(event, CupyEvent) and event.is_of(self.native, self.device):
            return  # the work of one stream is ordered anyway
        elif isinstance(event, CupyEvent) and event.captured:
            raise CapabilityError(f"{event!r} is in a graph that is being captured; {self!r} cannot wait for it")
        elif isinstance(event, CupyEvent) and event.known:
            self.append(lambda: self._hold_up(event))
        elif not as_event(event).done():
            self._refuse_host()
            # A wait for earlier work only must not wait for the host too: the host may wait for that work.
            self.record()
            self._give(self._new_late_thread(), event.settle)

    def synchronize(self) -> None:
        """Block until all work submitted so far is done; raises errors that no wait has raised yet."""
        if self._driver._process is not process.token:  # as `Driver.usable`, without the call
            self._driver.refuse_fork()
        if self.deferred is not None:
            refuse_captured(self, "be waited for", "wait for the event that graph.launch() returns")
        if self._late is not None:
            last = self._last
            try:
                self._late.synchronize()
            finally:
                # Or each later event would have its error again.
                with _changing:  # another thread may submit work
                    if self._last is last:
                        self._last = None
        self.finish()

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        if self.deferred is not None:
            refuse_captured(self, "be closed", "close it after the capture")
        self._closed = True
        self.direct = False
        if self._late is None and self._driver._process is process.token:
            self.finish()  # as `synchronize`
        else:
            self.synchronize()

    def begin_capture(self) -> Event:
        """Record work from now on; return an event after all work that was submitted before.

        Other threads may call what the driver forbids in other modes, since the mode of the capture is relaxed.
        """
        if self.deferred is not None:
            refuse_captured(self, "have another capture inside", "capture the two one after the other")
        if not self.handle:
            raise CapabilityError(f"a default stream cannot be captured; write accel.new_stream('{self.device}')")
        if self._closed:
            raise RuntimeError(f"{self!r} is closed and takes no more work; make another: accel.new_stream()")
        if self._late_thread() is not None:
            raise CapabilityError(f"{self!r} waits for work of the host; before the capture, write synchronize()")
        with self._driver.on(self.device):
            self._driver.refuse_capture(self.native)
            before = self.record()
            self.native.begin_capture()  # in mode relaxed
            # What is in order after all work so far is in order after this event.
            self._latest = self._latest_direct = self.stamp, before
            self.deferred = []
            self.direct = False
        return before

    def end_capture(self) -> CupyGraph:
        """Return the work that was recorded, and do later work again."""
        try:
            with self._driver.on(self.device):
                native = self.native.end_capture()
        finally:
            blocks, self.kept = self.kept, []
            deferred, self.deferred = self.deferred, None
            self._late_thread()
            with _changing:
                self.stamp += 1  # the work from now on comes after the event of `begin_capture`
            for work in deferred or ():
                work()
        return CupyGraph(native, blocks)

    def _is_direct(self) -> bool:
        """Return what `direct` is now, also if the host thread has done its work since the last `submit`."""
        return self.direct or (self._late_thread() is None and self.direct)

    def _late_thread(self) -> ThreadStream | None:
        """Return the host thread that submits work, as long as it has some left; None otherwise."""
        given, late = self._given, self._late
        if late is not None and not late.record().done():
            return late
        if not self.direct and self._may_be_direct(given):
            self.direct = True
            # Looked at again afterwards: another thread that changes these sets `direct` to False after that.
            if not self._may_be_direct(given):
                self.direct = False
        return None

    def _may_be_direct(self, given: int) -> bool:
        """Return whether it is open and not captured, and the host thread was not given more work."""
        return self._given == given and not self._closed and self.deferred is None

    def _give(self, late: ThreadStream, work: HostCallback) -> Event:
        """Submit work to the host thread."""
        self.direct = False  # also now, for a signal handler
        done = late.submit(work)
        self._given += 1
        self.direct = False
        return done

    def _new_late_thread(self) -> ThreadStream:
        result = self._late or ThreadStream(self.device)  # without the lock: a finaliser may call again meanwhile
        with _changing:
            result = self._late = self._late or result
        return result

    def _refuse_host(self) -> None:
        """Raise if the stream is captured, before the host takes part in some work."""
        if self.deferred is not None:
            refuse_captured(self, "check a kernel in debug mode", "capture it outside of debug mode")
        self._now(self._driver.refuse_capture, self.native)

    def _place(self, event: CupyEvent) -> None:
        self._now(self._place_now, event)

    def _place_now(self, event: CupyEvent) -> None:
        if self._driver.is_captured(self.handle):  # by another library: the work before the event is not under way
            event.captured = True
            return
        if self.timed and self._began is None:
            self.begin()
        event.place(self._began, self.events.start() if event.timed else None)

    def _hold_up(self, event: CupyEvent) -> None:
        self._now(self._hold_up_now, event)

    def _hold_up_now(self, event: CupyEvent) -> None:
        if self._driver.is_captured(self.handle):  # the driver would refuse the wait by ending the capture
            event.settle()
        else:
            event.hold_up(self.handle)
