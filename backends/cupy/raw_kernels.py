"""`RawExecutable`: a user's kernel, compiled for one device."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from accel.abc import Stream
from accel.device import Device
from accel.errors import CapabilityError, KernelLaunchError
from accel.support.kernel_reports import Dim3

from .device_streams import DeviceStreams
from .driver import Driver
from .kernel_calls import Arguments, launch_in_order
from .streams import CupyStream

__all__ = ["PreparedLaunches", "RawExecutable"]


class RawExecutable:
    """A user's kernel, compiled for one device."""

    __slots__ = ("_function", "allowed", "device", "driver", "pointer", "streams")

    def __init__(self, driver: Driver, streams: DeviceStreams, device: Device, function: Any) -> None:
        self.driver = driver
        self.streams = streams
        self.device = device
        self._function = function
        self.pointer = function.ptr
        self.allowed = driver.platform.shared

    def launch(
        self,
        grid: Dim3,
        block: Dim3,
        arguments: tuple[Any, ...],
        *,
        shared: int,
        stream: Stream | None,
        cooperative: bool = False,
    ) -> None:
        """Launch the kernel on a stream.

        It is not known which memory it uses, so it waits until all blocks of the device are ready.

        Raises
        ------
        KernelLaunchError
            If the device refuses it.
        CapabilityError
            If it is to be cooperative, and CuPy has no such launches here.
        """
        if cooperative and not self.driver.platform.cooperative:
            raise CapabilityError(
                f"CuPy launches no cooperative kernels on {self.driver.platform.name}; split the kernel in two where "
                f"it waits for the grid"
            )
        queue, memory = self.streams.stream_for(stream, self.device), Arguments.of(arguments)
        self.allow(shared)
        self.streams.wait_for_reused(queue)
        start = self._start_cooperative if cooperative else self._start
        queue.submit(lambda: start(grid, block, shared, queue, memory))

    def prepare(self, offsets: Sequence[int], nbytes: int) -> "PreparedLaunches":
        """Return launches of the kernel, and memory for their arguments."""
        return PreparedLaunches(self, Arguments(offsets, nbytes))

    def _start(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        self.driver.launch_kernel(self.pointer, *grid, *block, shared, queue.handle, arguments.table, 0)

    def _start_cooperative(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        launch = self.driver.cuda.driver.launchCooperativeKernel
        launch(self.pointer, *grid, *block, shared, queue.handle, arguments.table)

    def allow(self, shared: int) -> None:
        """Allow launches of this kernel with more shared memory than the default limit."""
        if shared > self.allowed:
            driver, platform = self.driver.cuda.driver, self.driver.platform
            if not platform.more_shared:
                raise KernelLaunchError(
                    f"{shared} bytes of shared memory were asked for; a block of {platform.name} has at most "
                    f"{self.allowed}; use smaller blocks, or keep less in shared memory"
                )
            with self.driver.on(self.device):
                attribute = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                driver.funcSetAttribute(self.pointer, attribute, shared)
            self.allowed = shared


class PreparedLaunches:
    """Launches of a kernel with one memory for the arguments, which is overwritten for each launch.

    Attributes
    ----------
    memory : buffer
        The arguments, each at its offset.
    """

    __slots__ = ("_arguments", "_kernel", "memory")

    def __init__(self, kernel: RawExecutable, arguments: Arguments) -> None:
        self._kernel = kernel
        self._arguments = arguments
        self.memory = arguments.memory

    def launcher(self, grid: Dim3, block: Dim3, shared: int) -> Callable[..., bool]:
        """Return the function that launches the kernel with a grid; see `accel.abc.PreparedLaunches`."""
        kernel, table = self._kernel, self._arguments.table
        kernel.allow(shared)
        launch = partial(kernel.driver.launch_kernel, kernel.pointer, *grid, *block, shared)

        def submit(stream: int) -> None:
            launch(stream, table, 0)

        return launch_in_order(kernel.driver, kernel.streams, kernel.device, submit)
