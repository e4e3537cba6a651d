"""`cupy.cuda` for a simulated device: devices, streams and events."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar

from accel.abc import Event as NativeEvent
from accel.abc import Stream as NativeStream
from accel.config import configure, current, using
from accel.device import Device as AccelDevice
from accel.memory import heap_of, new_stream

__all__ = ["Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "runtime"]


def _current() -> NativeStream:
    stream = heap_of(AccelDevice(current().device)).stream
    assert stream is not None, "a simulated device has streams"
    return stream


class Device:
    """Stands for `cupy.cuda.Device`: a simulated device by its number; current inside its ``with`` block."""

    def __init__(self, device: "int | Device | None" = None) -> None:
        index = AccelDevice(current().device).index if device is None else int(device)
        self._device = AccelDevice(f"sim:{index}")
        self._entered: list[AbstractContextManager[Any]] = []

    @property
    def id(self) -> int:
        """The number of the device."""
        return self._device.index

    compute_capability = "90"

    def use(self) -> None:
        """Make this the current device of the process."""
        configure(device=str(self._device))

    def synchronize(self) -> None:
        """Wait for all work of the device."""
        heap_of(self._device).backend.synchronize(self._device)

    def __enter__(self) -> "Device":
        block = using(device=str(self._device))
        block.__enter__()
        self._entered.append(block)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered.pop().__exit__(kind, error, trace)

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self._device)


class Event:
    """Stands for `cupy.cuda.Event`."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.native: NativeEvent | None = None

    def record(self, stream: "Stream | None" = None) -> None:
        """Record the work of a stream so far, by default the current one."""
        self.native = (_current() if stream is None else stream.native).record()

    @property
    def done(self) -> bool:
        """Whether the work is done."""
        return self.native is None or self.native.done()

    def synchronize(self) -> None:
        """Wait for the work."""
        if self.native is not None:
            self.native.wait()


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Return the milliseconds between two events, in the simulated time of the device."""
    times = [event.native.ended for event in (start_event, end_event) if event.native is not None]
    if len(times) < 2 or None in times:
        raise ValueError("both events must be recorded, and their work done; call end_event.synchronize()")
    return 1000.0 * (times[1] - times[0])  # type: ignore[operator]


class Stream:
    """Stands for `cupy.cuda.Stream`; the current stream of its device inside its ``with`` block."""

    null: ClassVar["Stream"]

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self._null = null
        self._native = None if null else new_stream(current().device)

    @property
    def native(self) -> NativeStream:
        """The stream of the simulated device."""
        if self._native is not None:
            return self._native
        device = AccelDevice(current().device)
        backend: Any = heap_of(device).backend
        stream: NativeStream = backend.default_stream(device)
        return stream

    @property
    def ptr(self) -> int:
        """A number for the stream; 0 for the default stream."""
        return 0 if self._null else id(self._native)

    def use(self) -> "Stream":
        """Make this the current stream of its device."""
        self.native.__enter__()
        return self

    def synchronize(self) -> None:
        """Wait for all work of the stream."""
        self.native.synchronize()

    @property
    def done(self) -> bool:
        """Whether all work of the stream is done."""
        return self.native.record().done()

    def record(self, event: Event | None = None) -> Event:
        """Record the work so far in an event."""
        recorded = event or Event()
        recorded.record(self)
        return recorded

    def wait_event(self, event: Event) -> None:
        """Let later work of the stream wait for an event."""
        if event.native is not None:
            self.native.wait_for(event.native)

    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None:
        """Call a function when the work of the stream so far is done; here, at once after waiting for it."""
        self.synchronize()
        callback(arg)

    def __enter__(self) -> "Stream":
        return self.use()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.native.__exit__(kind, error, trace)


Stream.null = Stream(null=True)


class _CurrentStream(Stream):
    """The stream that is current when it is asked for."""

    def __init__(self) -> None:
        self._native, self._null = _current(), False


def get_current_stream() -> Stream:
    """Return the current stream."""
    return _CurrentStream()


class runtime:  # noqa: N801 - CuPy's name
    """Stands for `cupy.cuda.runtime`."""

    @staticmethod
    def getDeviceCount() -> int:  # noqa: N802 - CuPy's name
        """Return how many simulated devices there are."""
        return len(AccelDevice.available("sim"))

    @staticmethod
    def getDevice() -> int:  # noqa: N802
        """Return the number of the current device."""
        return AccelDevice(current().device).index

    @staticmethod
    def deviceSynchronize() -> None:  # noqa: N802
        """Wait for all work of the current device."""
        Device().synchronize()

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:  # noqa: N802
        """Return what is known of a device."""
        limits = heap_of(AccelDevice(f"sim:{device}")).backend.limits(AccelDevice(f"sim:{device}"))
        return {
            "name": b"simulated device",
            "major": 9,
            "minor": 0,
            "warpSize": current().sim_warp,
            "maxThreadsPerBlock": 1024,
            "maxGridSize": limits.grid,
            "totalGlobalMem": limits.memory,
            "sharedMemPerBlock": 48 * 1024,
            "multiProcessorCount": 1,
        }

    is_hip = False
