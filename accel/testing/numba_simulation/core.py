"""What stands for the classes of cuda.core that numba-cuda and its users have in hand: devices, streams, launches."""

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

from cuda.bindings import driver as bindings
from cuda.core import Buffer
from cuda.core import LaunchConfig as RealLaunchConfig
from cuda.core._utils.cuda_utils import CUDAError

from accel.device import Device as AccelDevice
from accel.testing.cuda_limits import COMPUTE_CAPABILITY, MAX_THREADS
from accel.testing.numba_simulation import contexts, memory, streams
from accel.testing.numba_simulation.arguments import taken_arrays
from accel.testing.numba_simulation.failures import DriverError, functions, refuse

__all__ = ["Attributes", "Device", "Event", "LaunchConfig", "LoadedKernel", "ObjectCode", "Stream", "launch"]


def _call(name: str, *arguments: Any) -> Any:
    """Call a function of the driver, and return its value.

    Raises
    ------
    CUDAError
        If it fails.
    """
    code, *values = functions[name](*arguments)
    if int(code):
        raise _failure(code)
    return values[0] if len(values) == 1 else values


def _failure(code: Any) -> Exception:
    error: Exception = CUDAError(code.name)
    return error


class Stream:
    """Stands for `cuda.core.Stream`."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        raise RuntimeError("Stream objects cannot be instantiated directly. Please use Device APIs (create_stream).")

    @classmethod
    def from_handle(cls, handle: Any) -> Self:
        """Return the stream with a number."""
        stream = cls.__new__(cls)
        stream.handle = streams.StreamHandle(int(handle))
        stream._owned = False
        return stream

    handle: streams.StreamHandle
    _owned: bool

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, int(self.handle)

    def sync(self) -> None:
        """Wait for the work of the stream."""
        _call("cuStreamSynchronize", self.handle)

    def record(self, event: "Event | None" = None, options: Any = None) -> "Event":
        """Record the work so far in an event."""
        recorded = event or Event(_call("cuEventCreate", 0 if getattr(options, "timing_enabled", True) else 2))
        _call("cuEventRecord", recorded.handle, self.handle)
        return recorded

    def wait(self, event_or_stream: Any) -> None:
        """Let later work wait for an event, or for another stream."""
        event = event_or_stream if isinstance(event_or_stream, Event) else event_or_stream.record()
        _call("cuStreamWaitEvent", self.handle, event.handle, 0)

    @property
    def device(self) -> "Device":
        """The device of the stream."""
        return Device(contexts.number_of(streams.stream_of(self.handle).device))

    def close(self) -> None:
        """Forget the stream."""
        if self._owned:
            self._owned = False
            _call("cuStreamDestroy", self.handle)

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the process nothing is left of it
            self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.handle == self.handle

    def __hash__(self) -> int:
        return hash(int(self.handle))

    def __repr__(self) -> str:
        return f"<Stream {int(self.handle)} of a simulated device>"


class Event:
    """Stands for `cuda.core.Event`."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def sync(self) -> None:
        """Wait for the event."""
        _call("cuEventSynchronize", self.handle)

    @property
    def is_done(self) -> bool:
        """Whether the recorded work is done."""
        code, *_ = functions["cuEventQuery"](self.handle)
        return not int(code)

    def __sub__(self, other: "Event") -> float:
        elapsed: float = _call("cuEventElapsedTime", other.handle, self.handle)
        return elapsed

    def close(self) -> None:
        """Forget the event."""
        _call("cuEventDestroy", self.handle)


class Device:
    """Stands for `cuda.core.Device`: a simulated device by its number, by default the current one."""

    compute_capability = COMPUTE_CAPABILITY
    arch = "90"

    def __init__(self, device_id: Any = None) -> None:
        try:
            device = contexts.current_device() if device_id is None else contexts.device_of(device_id)
        except DriverError as error:
            if device_id is not None:
                raise _failure(error.code) from None
            device = contexts.device_of(0)
        self.device_id: int = contexts.number_of(device)
        self.name: str = f"simulated device {device.index}"
        self.uuid: str = f"00000000-0000-0000-0000-{device.index:012d}"
        self.pci_bus_id: str = f"0000:{device.index:02X}:{device.index:02X}.0"
        self.context: SimpleNamespace = SimpleNamespace(handle=contexts.primary(self.device_id))
        self.memory_resource: None = None

    def set_current(self, ctx: Any = None) -> None:
        """Make the primary context of the device the current one of the thread."""
        if int(_call("cuCtxGetCurrent")) != int(self.context.handle):
            contexts.push(self.context.handle)

    def create_stream(self, obj: Any = None, options: Any = None) -> Stream:
        """Return a new stream, or one for an object that has a number for it."""
        if obj is not None:
            return Stream.from_handle(obj.__cuda_stream__()[1])
        stream = Stream.from_handle(_call("cuStreamCreate", int(bool(getattr(options, "nonblocking", False)))))
        stream._owned = True
        return stream

    @property
    def default_stream(self) -> Stream:
        """The default stream."""
        return Stream.from_handle(0)

    def create_event(self, options: Any = None) -> Event:
        """Return a new event."""
        return Event(_call("cuEventCreate", 0 if getattr(options, "timing_enabled", True) else 2))

    def allocate(self, size: int, stream: Any = None) -> Any:
        """Return new memory of the device."""
        address = int(_call("cuMemAlloc", size))
        return Buffer.from_handle(ptr=address, size=size, owner=_Owner(address))

    def sync(self) -> None:
        """Wait for all work of the device."""
        _call("cuCtxSynchronize")

    def __int__(self) -> int:
        return self.device_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.device_id == self.device_id

    def __hash__(self) -> int:
        return hash(self.device_id)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise refuse(f"Device.{name} of cuda.core", "use the functions of numba.cuda, or run it on a GPU")


class _Owner:
    """Releases memory with the last reference to it."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the process nothing is left of it
            memory.free(self._address)


class LoadedKernel:
    """A kernel in a module; stands for `cuda.core.Kernel`.

    Attributes
    ----------
    handle : CUkernel
        Its number.
    attributes : object
        What is known of the kernel.
    """

    def __init__(self, kernel: Any, attributes: Any) -> None:
        self.kernel = kernel
        self.handle = bindings.CUkernel(id(self))
        self.attributes = attributes


class Attributes(NamedTuple):
    """What is known of a kernel, by the names of cuda.core.

    A processor's registers are not those of a GPU, so their number is the limit that was asked for, or 0. Local memory
    is that of arrays.
    """

    num_regs: int
    const_size_bytes: int
    local_size_bytes: int
    shared_size_bytes: int
    max_threads_per_block: int = MAX_THREADS


class ObjectCode:
    """Compiled code; stands for `cuda.core.ObjectCode`."""

    def __init__(self) -> None:
        self.handle = bindings.CUlibrary(id(self))

    def get_kernel(self, name: str) -> LoadedKernel:
        """Return a kernel."""
        raise NotImplementedError

    def variable(self, name: str, device: AccelDevice) -> Any:
        """Return the memory of a variable on a device; None if there is none."""
        raise NotImplementedError

    @property
    def code(self) -> bytes:
        """Refuse: it is code for the processor."""
        raise refuse("machine code of a GPU", "write inspect_llvm() for the code that numba made")

    @classmethod
    def _refuse(cls, *arguments: Any, **keywords: Any) -> Any:
        raise refuse(
            "code that is compiled (PTX, cubin, fatbin, objects, LTO-IR, libraries)",
            "link CUDA sources (.cu, cuda.CUSource), or write the function in Python",
        )

    from_ptx = from_cubin = from_fatbin = from_object = from_ltoir = from_library = _refuse


class LaunchConfig:
    """How a kernel is launched; stands for `cuda.core.LaunchConfig`, which asks a driver about cooperative ones."""

    def __init__(self, *arguments: Any, is_cooperative: bool = False, **keywords: Any) -> None:
        config = RealLaunchConfig(*arguments, **keywords)
        self.grid, self.block, self.shmem_size = config.grid, config.block, config.shmem_size
        self.is_cooperative = is_cooperative


def launch(stream: Any, config: Any, kernel: LoadedKernel, *arguments: Any) -> None:
    """Launch a kernel on a stream; stands for `cuda.core.launch`.

    Raises
    ------
    CUDAError
        If a block has too many threads.
    """
    arrays = taken_arrays()
    if not isinstance(stream, Stream):
        raise refuse("a launch into a graph", "launch on a stream")
    if not 0 < prod(config.block) <= kernel.attributes.max_threads_per_block:
        raise CUDAError(
            "CUDA_ERROR_INVALID_VALUE: This indicates that one or more of the parameters passed to the API call is not "
            f"within an acceptable range of values: a block of {tuple(config.block)} threads; up to "
            f"{kernel.attributes.max_threads_per_block} are possible"
        )
    values = memory.all_simulated(_flat(arguments))
    with streams.giving_to(stream.handle) as native:
        kernel.kernel.launch(
            values, tuple(config.grid), tuple(config.block), native, config.shmem_size, bool(config.is_cooperative)
        )
        if arrays:
            streams.keep_until_done(native, arrays)


def _flat(arguments: Sequence[Any]) -> Sequence[Any]:
    """Return arguments of which some may be buffers of cuda.core, as addresses."""
    if not any(issubclass(kind, Buffer) for kind in {*map(type, arguments)}):
        return arguments
    return [int(each.handle) if isinstance(each, Buffer) else each for each in arguments]
