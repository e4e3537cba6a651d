"""`Modules`: a cache of compiled kernels, by device, source, kernel name and compiler options."""

from typing import Any

from accel.abc import Stream
from accel.device import Device
from accel.errors import CapabilityError, KernelLaunchError, KernelSyntaxError

from .compiler_options import effective
from .device_streams import DeviceStreams
from .driver import Driver
from .launches import Launch, module_source
from .streams import CupyStream

__all__ = ["Kernel", "Modules"]


class Modules:
    """Compiles kernels: those of this backend, and those of users."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._functions: dict[tuple[Device, str, str, tuple[str, ...]], Any] = {}

    def launch(self, launch: Launch, stream: CupyStream) -> None:
        """Launch a kernel of this backend on a stream, whose device is current."""
        function = self.function(stream.device, module_source(), launch.kernel, launch.defines)
        function(launch.grid, launch.block, launch.arguments, launch.shared_bytes, stream.native)

    def function(self, device: Device, source: str, kernel: str, options: tuple[str, ...]) -> Any:
        """Return a CuPy function for a device, which is current.

        Raises
        ------
        KernelSyntaxError
            If the source cannot be compiled; the message contains the compiler's.
        CapabilityError
            If there is no compiler.
        """
        key = (device, source, kernel, options)
        function = self._functions.get(key)
        if function is None:
            function = self._functions[key] = self._compiled(source, kernel, options)
        return function

    def _compiled(self, source: str, kernel: str, options: tuple[str, ...]) -> Any:
        cupy, cuda = self._driver.cupy, self._driver.cupy.cuda
        platform = self._driver.platform
        given = effective(options, kernel, platform)
        try:
            module = cupy.RawModule(code=source, options=given)
            return module.get_function(kernel).kernel
        except cuda.compiler.CompileException as error:
            raise KernelSyntaxError(f"the kernel {kernel} could not be compiled:\n{error}") from None
        except (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError):
            raise
        except RuntimeError as error:  # CuPy's wheels do not contain a compiler
            install = platform.compiler.format(major=cuda.runtime.runtimeGetVersion() // platform.version_parts[0])
            raise CapabilityError(
                f"CuPy has nothing to compile the kernel {kernel} with: {error}; install the compiler's library: "
                f"{install}"
            ) from error


class Kernel:
    """A user's kernel, compiled for one device."""

    __slots__ = ("_device", "_driver", "_function", "_shared", "_streams")

    def __init__(self, driver: Driver, streams: DeviceStreams, device: Device, function: Any) -> None:
        self._driver = driver
        self._streams = streams
        self._device = device
        self._function = function
        self._shared = driver.platform.shared

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        arguments: tuple[Any, ...],
        *,
        shared: int,
        stream: Stream | None,
    ) -> None:
        """Launch the kernel on a stream.

        It is not known which memory it uses, so it waits until all blocks of the device are ready.

        Raises
        ------
        KernelLaunchError
            If the device refuses it.
        """
        if shared > self._shared:
            self._allow(shared)
        queue = self._streams.stream_for(stream, self._device)
        self._streams.wait_for_reused(queue)
        queue.submit(lambda: self._function(grid, block, arguments, shared, queue.native), timed=stream is not None)

    def _allow(self, shared: int) -> None:
        """Allow launches of this kernel with more shared memory than the default limit."""
        driver, platform = self._driver.cupy.cuda.driver, self._driver.platform
        if not platform.more_shared:
            raise KernelLaunchError(
                f"{shared} bytes of shared memory were asked for; a block of {platform.name} has at most "
                f"{self._shared}; use smaller blocks, or keep less in shared memory"
            )
        with self._driver.on(self._device):
            self._driver.runtime.memGetInfo()  # as each call of the runtime, gives this thread a context
            attribute = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            driver.funcSetAttribute(self._function.ptr, attribute, shared)
        self._shared = shared
