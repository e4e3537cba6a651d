"""`Modules`: a cache of compiled kernels, by device, source, kernel name and compiler options."""

from time import perf_counter
from typing import Any

from accel.device import Device
from accel.errors import CapabilityError, KernelSyntaxError
from accel.support import log

from .compiler_options import effective
from .driver import Driver
from .kernel_calls import KernelCall
from .launches import Launch, module_source
from .streams import CupyStream

__all__ = ["Modules"]


class Modules:
    """Compiles kernels: those of this backend, and those of users."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._functions: dict[tuple[Device, str, str, tuple[str, ...]], Any] = {}
        self._modules: dict[tuple[Device, str, tuple[str, ...]], Any] = {}

    def call(self, launch: Launch, device: Device, addresses: int) -> KernelCall:
        """Return a launch of a kernel of this backend, to be started with other addresses each time.

        The device is current. The first ``addresses`` arguments of the launch are addresses.
        """
        function = self.function(device, module_source(), launch.kernel, launch.defines)
        geometry = (*launch.grid, *launch.block, launch.shared_bytes)
        return KernelCall(self._driver.launch_kernel, function, geometry, addresses, launch.arguments[addresses:])

    def launch(self, launch: Launch, stream: CupyStream) -> None:
        """Launch a kernel of this backend on a stream, whose device is current."""
        self.call(launch, stream.device, 0).start(stream.handle)

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
            began = perf_counter()
            function = self._functions[key] = self._compiled(device, source, kernel, options)
            log.soon(log.info, "the kernel %s was compiled for %s in %.3f s", kernel, device, perf_counter() - began)
        return function

    def _compiled(self, device: Device, source: str, kernel: str, options: tuple[str, ...]) -> Any:
        cupy, cuda = self._driver.cupy, self._driver.cupy.cuda
        platform = self._driver.platform
        flags, key = effective(options, kernel, platform), (device, source, options)
        try:
            module = self._modules.get(key) or cupy.RawModule(code=source, options=flags)
            function = self._driver.relaxed(module.get_function, kernel).kernel  # loads the module
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
        self._modules[key] = module
        return function
