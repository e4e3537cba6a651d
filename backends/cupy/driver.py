"""`Driver`: access to CuPy, with a current device, a check against forks, and the driver's errors translated."""

import atexit
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from types import ModuleType, TracebackType
from typing import Any
from weakref import WeakSet, ref

from accel.device import Device
from accel.errors import CapabilityError
from accel.support.locks import forked_since, in_child, process, start

from .capture_modes import exchange_of, relaxed_calls
from .errors import NOT_CAPTURED, translated
from .platforms import Platform

__all__ = ["NOT_READY", "Driver"]

NOT_READY = 600
"""The status that both platforms return for an event that is not reached yet."""

_INVALID_VALUE = 1
_MANY_PARAMETERS = 12010
_VOLTA = 7
_OF_CAPTURES = range(900, 910)
"""The statuses that both platforms return for streams and events that are being captured into a graph."""


class _OfThread(threading.local):
    """What is current in a thread.

    Attributes
    ----------
    ready : set of int
        The devices that have a context whenever they are current in this thread.
    switched : int
        How many `CurrentDevice` are entered that made another device current.
    computing : Device or None
        The device that the thread computes on.
    """

    def __init__(self) -> None:
        self.ready: set[int] = set()
        self.switched = 0
        self.computing: Device | None = None


_drivers: WeakSet["Driver"] = WeakSet()


def _forget_threads() -> None:
    """Let no thread of a child take a device for ready; `CurrentDevice` then refuses it."""
    for driver in _drivers:
        driver.of_thread = _OfThread()


in_child(_forget_threads)


def _bind_at_exit(reference: "ref[Driver]") -> None:
    """Let the main thread have a context when CuPy unloads its modules, which takes one."""
    driver = reference()
    if driver is not None and driver.usable and driver.contexts:
        with suppress(Exception):
            if not driver.cuda.driver.ctxGetCurrent():
                driver.cuda.driver.ctxSetCurrent(next(iter(driver.contexts.values())))


class Driver:
    """CuPy on one platform.

    Attributes
    ----------
    cupy, cuda : module
        CuPy, and its module ``cuda``.
    runtime : module
        Its ``cuda.runtime``.
    platform : Platform
        The platform.
    get_current_stream : callable
        Returns CuPy's stream of this thread, on the current device.
    get_device : callable
        Returns the index of the current device.
    errors : tuple of type
        The errors of the driver, for `translated`.
    postponed : deque of callables
        What could not be done while another library captured a stream: to give back memory that the stream uses.
    exchange : callable or None
        Exchanges the mode of this thread beside captures; see `capture_modes`.
    relaxed : callable
        Calls what captures of other libraries forbid; see `capture_modes`.
    launch_kernel, memcpy, memset, synchronize : callable
        The driver's functions that launch a kernel, copy and set bytes on a stream, and wait for one.
    kinds : tuple of int
        The driver's kinds of copies, by `WITHIN`, `UPLOAD` and `DOWNLOAD`.
    array_type, pointer_type, pooled_type, unowned_type : type
        The classes of CuPy's arrays, of its pointers, of memory of its own pool, and of memory that an object of others
        owns.
    default_memory_type : type
        The class of such memory if CuPy's default stream allocated it, which need not record uses of its own.
    contexts : dict of int
        The handles of the primary contexts that this class made or found, by the index of the device.
    """

    __slots__ = (
        "__weakref__",
        "_process",
        "array_type",
        "contexts",
        "cuda",
        "cupy",
        "default_memory_type",
        "errors",
        "exchange",
        "get_current_stream",
        "get_device",
        "kinds",
        "launch_kernel",
        "memcpy",
        "memset",
        "of_thread",
        "platform",
        "pointer_type",
        "pooled_type",
        "postponed",
        "relaxed",
        "runtime",
        "synchronize",
        "unowned_type",
    )

    def __init__(self, cupy: ModuleType, platform: Platform) -> None:
        self.cupy: Any = cupy
        self.cuda: Any = cupy.cuda
        self.runtime: Any = cupy.cuda.runtime
        self.array_type: Any = cupy.ndarray
        self.pointer_type: Any = cupy.cuda.MemoryPointer
        self.pooled_type: Any = cupy.cuda.memory.PooledMemory
        self.unowned_type: Any = cupy.cuda.UnownedMemory
        self.default_memory_type: Any = type("DefaultMemory", (cupy.cuda.UnownedMemory,), {"__slots__": ()})
        self.get_current_stream: Any = cupy.cuda.get_current_stream
        self.get_device: Any = cupy.cuda.runtime.getDevice
        self.errors = (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError)
        self.launch_kernel: Any = cupy.cuda.driver.launchKernel
        self.memcpy: Any = self.runtime.memcpyAsync
        self.memset: Any = self.runtime.memsetAsync
        self.synchronize: Any = self.runtime.streamSynchronize
        runtime = self.runtime
        self.kinds = runtime.memcpyDeviceToDevice, runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost
        self.platform = platform
        self.contexts: dict[int, int] = {}
        self.postponed: deque[Any] = deque()
        self.exchange: Any = exchange_of(platform)
        self.relaxed: Any = relaxed_calls(self.exchange)
        self._process = process.token
        self.of_thread = _OfThread()
        _drivers.add(self)
        atexit.register(_bind_at_exit, ref(self))

    @property
    def usable(self) -> bool:
        """Whether this is the process that made the driver; a forked child cannot use its devices."""
        return not forked_since(self._process)

    def refuse_fork(self) -> None:
        """Raise if this process is a forked child of the one that made the driver.

        Raises
        ------
        RuntimeError
            If it is.
        """
        if not self.usable:
            raise RuntimeError(
                f"a device of {self.platform.name} cannot be used across a fork; start processes with 'spawn'"
            )

    def on(self, device: Device) -> "CurrentDevice":
        """Return a context in which a device is current and errors of the driver are translated."""
        return CurrentDevice(self, device)

    def is_ready(self, device: Device) -> bool:
        """Return whether a device is current and has a context in this thread; otherwise enter `on`.

        The driver's functions need a context. A new thread has none until a device is made current there.
        """
        index: int = device._index
        if index not in self.of_thread.ready:  # so in a child of a fork, which must not call the driver
            return False
        here: bool = self.get_device() == index
        return here

    def make_current(self, index: int) -> tuple[int, int] | None:
        """Make a device current, with a context in this thread; return what `leave` takes, or None if it was current.

        CUDA's function for that, ``cudaSetDevice``, makes a context if the device has none. To return to the device of
        before would thus cost memory of a device that nobody uses. So here contexts are made current instead, and a
        thread that had none has none again.
        """
        runtime, own = self.runtime, self.of_thread
        before: int = runtime.getDevice()
        if before == index:
            if index not in own.ready:
                self._bind(index)
            return None
        context = 0
        if self.platform.contexts:
            driver = self.cuda.driver
            context, wanted = driver.ctxGetCurrent(), self.contexts.get(index) or self._made_context(index)
            driver.ctxSetCurrent(wanted)
        else:
            runtime.setDevice(index)
            own.ready.add(index)
        own.switched += 1
        return before, context

    def leave(self, before: int, context: int) -> None:
        """Make the device and the context current again that were current before `make_current`."""
        self.of_thread.switched -= 1
        if self.platform.contexts:
            self.cuda.driver.ctxSetCurrent(context)
            if context or self.runtime.getDevice() == before:
                return
            # CuPy has called `cudaSetDevice` meanwhile, so this is the only way back.
        self.runtime.setDevice(before)

    def _bind(self, index: int) -> None:
        """Let this thread have a context of its device."""
        if not (self.platform.contexts and self.cuda.driver.ctxGetCurrent()):
            self.runtime.setDevice(index)
            if self.platform.contexts:
                self.contexts[index] = self.cuda.driver.ctxGetCurrent()
        if not self.of_thread.switched:
            self.of_thread.ready.add(index)

    def _made_context(self, index: int) -> int:
        """Make the primary context of a device, and return its handle."""
        errors: list[Exception] = []

        def make() -> None:
            try:
                self.runtime.setDevice(index)
                self.cuda.Device(index).compute_capability  # noqa: B018 - CuPy's first look at it sets the device
                self.contexts[index] = self.cuda.driver.ctxGetCurrent()
            except Exception as error:
                errors.append(error)

        # In a thread that ends: there the device stays the one that is used where no context is.
        thread = threading.Thread(target=make)
        start(thread)
        thread.join()
        if errors:
            raise errors[0]
        return self.contexts[index]

    def anywhere(self) -> "CurrentDevice":
        """Return a context for calls that need no certain device.

        A device that is in use is current in it, if this thread has used none: its own may have no context.
        """
        used = next(iter(self.contexts), None)
        index = self.runtime.getDevice() if used is None or self.of_thread.ready else used
        return CurrentDevice(self, Device[self.platform.type.upper()][index])

    def properties(self, device: Device) -> Mapping[str, Any]:
        """Return the properties of a device, for which it needs no context."""
        try:
            properties: Mapping[str, Any] = self.runtime.getDeviceProperties(device.index)
        except Exception as error:
            raise self.translated(error, device) from error
        return properties

    def parameter_bytes(self, properties: Mapping[str, Any]) -> int:
        """Return how many bytes of parameters a kernel has at most, on a device with some properties."""
        few, many = self.platform.parameters
        try:
            major, minor = self.cuda.nvrtc.getVersion()
        except (AttributeError, ImportError, RuntimeError):  # there is no compiler yet
            return few
        newest = min(1000 * major + 10 * minor, self.runtime.driverGetVersion())
        return many if newest >= _MANY_PARAMETERS and properties["major"] >= _VOLTA else few

    def translated(self, error: Exception, device: Device) -> Exception:
        """Return the error of `accel.errors` for an error of the driver; other errors unchanged."""
        return translated(error, device) if isinstance(error, self.errors) else error

    def attributes(self, address: int) -> Any | None:
        """Return the driver's attributes of memory at an address; None unless it is a device's, or pinned.

        Do not use the attribute ``type``: CuPy shifts its values for HIP 6 and later.
        """
        with self.anywhere():
            try:
                attributes = self.runtime.pointerGetAttributes(address)
            except self.runtime.CUDARuntimeError as error:
                if error.status != _INVALID_VALUE:
                    raise
                return None  # HIP reports unknown memory so, by its manual
        return attributes if attributes.device >= 0 else None

    def reached(self, event: int, device: Device) -> bool:
        """Return whether the event with a handle is reached, or the device is lost, so that it never will be."""
        self.refuse_fork()
        if self.of_thread.ready:
            status: int = self.relaxed(self.runtime.eventQuery, event)
        else:
            with self.on(device):
                status = self.relaxed(self.runtime.eventQuery, event)
        self._refuse_captured(status)
        return status != NOT_READY

    def finished(self, stream: Any) -> bool:
        """Return whether all work of a CuPy stream is done; its device is current."""
        status: int = self.relaxed(self.runtime.streamQuery, stream.ptr)
        self._refuse_captured(status)
        return status == 0

    def is_captured(self, stream: int) -> bool:
        """Return whether the stream with a handle is being captured into a graph, by anyone."""
        # The default stream cannot be captured.
        captured: bool = bool(stream) and self.runtime.streamIsCapturing(stream)
        return captured

    def retry(self) -> None:
        """Do what was postponed, or postpone it again; called by finalisers, so lock-free."""
        for _ in range(len(self.postponed)):
            with suppress(IndexError):  # another thread may be first
                self.postponed.popleft()()

    def refuse_capture(self, stream: Any) -> None:
        """Raise if a CuPy stream is being captured into a graph: its work would not be done now.

        Raises
        ------
        CapabilityError
            If it is.
        """
        if self.is_captured(stream.ptr):
            raise CapabilityError(f"CuPy's stream {stream.ptr:#x} is being captured into a graph; {NOT_CAPTURED}")

    def _refuse_captured(self, status: int) -> None:
        if status in _OF_CAPTURES:
            raise translated(self.runtime.CUDARuntimeError(status), self.platform.name)

    def wait(self, event: int, device: Device) -> None:
        """Block until the event with a handle is reached; raises `DeviceLostError` if the device is lost."""
        with self.on(device):
            self.relaxed(self.runtime.eventSynchronize, event)


class CurrentDevice:
    """A context in which a device is current and errors of the driver are translated."""

    __slots__ = ("_before", "_device", "_driver")

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        self._device = device
        self._before: tuple[int, int] | None = None

    def __enter__(self) -> None:
        self._driver.refuse_fork()
        # Not CuPy's own context: it sets the device even if it is current already.
        try:
            self._before = self._driver.make_current(self._device.index)
        except Exception as error:
            raise self._driver.translated(error, self._device) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            try:
                self._driver.leave(*self._before)
            except Exception as failure:
                error = error or failure
        if isinstance(error, Exception):
            translation = self._driver.translated(error, self._device)
            if translation is not error:
                raise translation from error
