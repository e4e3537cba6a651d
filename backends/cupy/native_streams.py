"""`NativeStream`: a stream of CuPy's, and work that this thread gives to the driver."""

from collections.abc import Callable
from typing import Any, TypeVar

from accel.abc import Event
from accel.abc.stream import CurrentStream
from accel.device import Device

from .capture_modes import capture_mode
from .driver import Driver
from .events import CupyEvent, EventPool

__all__ = ["HostCallback", "NativeStream"]

_Result = TypeVar("_Result")
HostCallback = Callable[[], object]
"""Called in a thread of the host to submit operations to the driver."""


class NativeStream(CurrentStream):
    """A stream of the driver; `CupyStream`, the only subclass, makes it.

    Attributes
    ----------
    device : Device
        The device.
    native : cupy.cuda.Stream
        CuPy's stream.
    handle : int
        The driver's handle of it.
    timed : bool
        Whether its events know when the work before them began and ended.
    events : EventPool
        The driver's events of the device.
    """

    __slots__ = ("_began", "_driver", "_last", "device", "events", "handle", "native", "timed")

    _began: CupyEvent | None
    _driver: Driver
    _last: Event | None
    device: Device
    events: EventPool
    handle: int
    native: Any
    timed: bool

    @property
    def number(self) -> int:
        """DLPack's number of this stream."""
        return int(self.native.ptr) or self._driver.platform.default_stream

    def at_once(self, work: Callable[..., object], *arguments: Any) -> None:
        """Submit work to the driver in this thread, for a stream that is `direct`; ``work`` gets the stream last."""
        driver = self._driver
        if driver.is_ready(self.device):
            try:
                if self.timed:
                    self.begin()
                work(*arguments, self)
            except Exception as error:
                raise driver.translated(error, self.device) from error
        else:
            with driver.on(self.device):
                if self.timed:
                    self.begin()
                work(*arguments, self)
        self._last = None

    def copy_bytes(self, into: int, out_of: int, nbytes: int, way: int) -> None:
        """Submit a copy of bytes between two addresses, as `accel.abc.DirectStream` says."""
        driver = self._driver
        kind = driver.kinds[way]
        # As `at_once`, but a small copy takes less time.
        try:
            if not self.timed and driver.is_ready(self.device):
                driver.memcpy(into, out_of, nbytes, kind, self.handle)
                self._last = None
                return
        except Exception as error:
            raise driver.translated(error, self.device) from error
        self.at_once(lambda _: driver.memcpy(into, out_of, nbytes, kind, self.handle))

    def set_bytes(self, address: int, byte: int, nbytes: int) -> None:
        """Submit a fill of memory of the device with one byte."""
        driver, index = self._driver, self.device._index
        try:  # as in `copy_bytes`, and `Driver.is_ready` without the call
            if not self.timed and index in driver.of_thread.ready and driver.get_device() == index:
                driver.memset(address, byte, nbytes, self.handle)
                self._last = None
                return
        except Exception as error:
            raise driver.translated(error, self.device) from error
        self.at_once(lambda _: driver.memset(address, byte, nbytes, self.handle))

    def finish(self) -> None:
        """Block until the driver has done what it was given; `synchronize` also waits for the host thread."""
        driver = self._driver
        mode, exchange = capture_mode.own, driver.exchange
        try:
            # The handle of the default stream is that of the current device; a thread without a context would get one.
            if driver.of_thread.ready and (self.handle or driver.get_device() == self.device._index):
                if exchange is None or mode.relaxed:
                    driver.synchronize(self.handle)
                    return
                # As `Driver.relaxed`, without the call.
                mode.relaxed = True
                exchange(mode.pointer)
                try:
                    driver.synchronize(self.handle)
                finally:
                    exchange(mode.pointer)
                    mode.relaxed = False
                return
        except Exception as error:
            raise driver.translated(error, self.device) from error
        with driver.on(self.device):
            driver.relaxed(driver.synchronize, self.handle)

    def begin(self) -> None:
        """Let later events know when the work began that is now submitted; the device is current."""
        if not self._driver.is_captured(self.handle):  # no time of recorded work is known
            self._began = self.events.record(self.native, timed=True)

    def __repr__(self) -> str:
        return f"<stream {self.native.ptr:#x} of {self.device}>"

    def _do(self, work: HostCallback) -> None:
        with self._driver.on(self.device):
            if self.timed:
                self.begin()
            work()

    def _now(self, work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Call the driver while the device is current."""
        driver = self._driver
        try:
            if driver.is_ready(self.device):
                return work(*arguments)
        except Exception as error:
            raise driver.translated(error, self.device) from error
        with driver.on(self.device):
            return work(*arguments)
