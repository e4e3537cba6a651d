"""`cupy.cuda` for a simulated device: devices, streams and events."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

from accel.abc import Event as NativeEvent
from accel.abc import Stream as NativeStream
from accel.config import current
from accel.device import Device as AccelDevice
from accel.memory import heap_of, new_stream
from accel.testing.cupy_simulation.arrays import missing
from accel.testing.cupy_simulation.device_attributes import NUMBERS, attributes_of, value_of
from accel.testing.cupy_simulation.places import (
    blocking,
    current_device,
    current_native,
    default_native,
    device_of,
    giving,
    let_go,
    number_of,
    take_up,
    use,
    visible,
)
from accel.xp import cuda
from accel.xp.cuda import get_elapsed_time

__all__ = ["Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "runtime"]


class _Devices(type):
    """The class of `Device`: devices of accel, on which arrays say that they are, are its instances."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, AccelDevice) or super().__instancecheck__(value)


class Device(cuda.Device, metaclass=_Devices):
    """Stands for `cupy.cuda.Device`: a simulated device by its number; current inside its ``with`` block."""

    compute_capability = "90"

    def __init__(self, device: "int | cuda.Device | AccelDevice | None" = None) -> None:
        if device is None:
            self._device = current_device()
        elif isinstance(device, AccelDevice):
            self._device = device
        else:
            self._device = device_of(int(device))
        self._entered = []

    @property
    def id(self) -> int:
        """The number of the device."""
        return number_of(self._device)

    @property
    def attributes(self) -> dict[str, int]:
        """The limits of the device."""
        return attributes_of(self._device)

    @property
    def pci_bus_id(self) -> str:
        """What stands for the place of the device on a bus."""
        return f"0000:{self._device.index:02X}:{self._device.index:02X}.0"

    def use(self) -> None:
        """Make this the current device of the thread."""
        use(device=self._device)

    def synchronize(self) -> None:
        """Wait for all work of the device."""
        heap_of(self._device).backend.synchronize(self._device)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.Device", name, "call the functions of cupy, which need no handle of a library")

    def __eq__(self, other: object) -> bool:
        return getattr(other, "__accel_device__", other) is self._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


class Event(cuda.Event):
    """Stands for `cupy.cuda.Event`; its time is that of the simulated device."""

    def record(self, stream: "Stream | None" = None) -> None:  # type: ignore[override]
        """Record the work of a stream so far, by default the current one."""
        self._native = (stream or get_current_stream()).native_event(timed=self._timed)


class Stream:
    """Stands for `cupy.cuda.Stream`; the current stream of its device inside its ``with`` block.

    As in CUDA, ``Stream.null`` and other streams wait for each other, unless these are ``non_blocking``.
    """

    null: ClassVar["Stream"]

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self._native = None if null else new_stream(current_device())
        if self._native is not None and not non_blocking:
            blocking.add(self._native)

    @classmethod
    def of(cls, native: NativeStream) -> "Stream":
        """Return the stream for one of the simulated device."""
        if native is default_native(native.device):
            return cls.null
        stream = cls.__new__(cls)
        stream._native = native
        return stream

    @property
    def native(self) -> NativeStream:
        """The stream of the simulated device."""
        return default_native(current_device()) if self._native is None else self._native

    @property
    def ptr(self) -> int:
        """A number for the stream; 0 for the default stream."""
        return 0 if self._native is None else id(self._native)

    def use(self) -> Self:
        """Make this the current stream of the thread."""
        use(stream=self.native)
        return self

    def synchronize(self) -> None:
        """Wait for all work of the stream."""
        with giving(self.native):
            self.native.synchronize()

    @property
    def done(self) -> bool:
        """Whether all work of the stream is done."""
        return self.native_event().done()

    def native_event(self, *, timed: bool = False) -> NativeEvent:
        """Return an event after the work so far."""
        with giving(self.native):
            return self.native.record(timed=timed)

    def record(self, event: Event | None = None) -> Event:
        """Record the work so far in an event."""
        recorded = event or Event()
        recorded.record(self)
        return recorded

    def wait_event(self, event: Event) -> None:
        """Let later work of the stream wait for an event."""
        if event._native is not None:
            self.native.wait_for(event._native)

    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None:
        """Call a function when the work of the stream so far is done; here, at once after waiting for it."""
        self.synchronize()
        callback(arg)

    def add_callback(self, callback: Callable[["Stream", int, Any], object], arg: Any) -> None:
        """Call a function with the stream, a status of 0 and an argument, as `launch_host_func` does."""
        self.launch_host_func(lambda given: callback(self, 0, given), arg)

    def __enter__(self) -> Self:
        native = self.native
        let_go(current_native(native.device))
        take_up(native)
        native.__enter__()
        return self

    def __exit__(self, *error: object) -> None:  # CuPy's can be called without an error
        native = self.native
        let_go(native)
        native.__exit__(None, None, None)
        take_up(current_native(native.device))

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.Stream", name, "launch the work on the stream each time")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._native is self._native

    def __hash__(self) -> int:
        return hash(self.ptr)

    def __repr__(self) -> str:
        return f"<Stream {self.native!r}>"


Stream.null = Stream(null=True)


def get_current_stream(device_id: int | None = None) -> Stream:
    """Return the current stream of a device, by default of the current one."""
    return Stream.of(current_native(current_device() if device_id is None else device_of(device_id)))


class _Runtime(type):
    """The class of `runtime`, which has CUDA's numbers, and refuses other names."""

    def __getattr__(cls, name: str) -> Any:
        number = _NUMBERS.get(name, NUMBERS.get(name.removeprefix("cudaDevAttr")))
        if number is None:
            instead = "use arrays, cupy.cuda.Stream, Event and Device in the place of handles and addresses"
            raise missing("cupy.cuda.runtime", name, instead)
        return number


_ENUMERATED = {
    "memcpy": ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"),
    "memoryType": ("Unregistered", "Host", "Device", "Managed"),
    "stream": ("Default", "NonBlocking", "PerThread"),
}
_FLAGS = {
    "event": ("Default", "BlockingSync", "DisableTiming", "", "Interprocess"),
    "hostAlloc": ("Default", "Portable", "Mapped", "", "WriteCombined"),
}
_NUMBERS = {
    f"{prefix}{name}": number
    for prefix, names in {**_ENUMERATED, **_FLAGS}.items()
    for number, name in enumerate(names)
    if name
}


class runtime(cuda.runtime, metaclass=_Runtime):  # noqa: N801 - CuPy's name
    """Stands for `cupy.cuda.runtime`."""

    is_hip = False
    CUDARuntimeError = RuntimeError

    @staticmethod
    def getDeviceCount() -> int:  # noqa: N802
        """Return how many devices there are."""
        return len(visible())

    @staticmethod
    def getDevice() -> int:  # noqa: N802
        """Return the number of the current device."""
        return number_of(current_device())

    @staticmethod
    def setDevice(device: int) -> None:  # noqa: N802
        """Make a device the current one of the thread."""
        Device(device).use()

    @staticmethod
    def deviceSynchronize() -> None:  # noqa: N802
        """Wait for all work of the current device."""
        Device().synchronize()

    @staticmethod
    def runtimeGetVersion() -> int:  # noqa: N802
        """Return the version of CUDA that the simulated device stands for."""
        return 12_000

    @staticmethod
    def driverGetVersion() -> int:  # noqa: N802
        """Return the version of CUDA that the simulated device stands for."""
        return 12_000

    @staticmethod
    def deviceGetAttribute(attrib: int, device: int) -> int:  # noqa: N802
        """Return an attribute of a device by its number, as ``runtime.cudaDevAttrWarpSize``."""
        return value_of(device_of(device), attrib)

    @staticmethod
    def deviceCanAccessPeer(device: int, peer: int) -> int:  # noqa: N802
        """Return 1 for two devices: they access the memory of each other."""
        return int(device_of(device) is not device_of(peer))

    @staticmethod
    def deviceEnablePeerAccess(peer: int) -> None:  # noqa: N802
        """Do nothing: the devices access the memory of each other."""
        device_of(peer)

    @staticmethod
    def profilerStart() -> None:  # noqa: N802
        """Do nothing: no profiler is attached."""

    @staticmethod
    def profilerStop() -> None:  # noqa: N802
        """Do nothing: no profiler is attached."""

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:  # noqa: N802
        """Return what is known of a device."""
        where = device_of(device)
        limits = heap_of(where).backend.limits(where)
        return {
            "name": b"simulated device",
            "major": 9,
            "minor": 0,
            "warpSize": current().sim_warp,
            "maxThreadsPerBlock": 1024,
            "maxGridSize": limits.grid,
            "totalGlobalMem": limits.memory,
            "sharedMemPerBlock": 48 * 1024,
            "multiProcessorCount": attributes_of(where)["MultiProcessorCount"],
        }
