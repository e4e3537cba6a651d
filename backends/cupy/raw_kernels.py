"""`RawExecutable`: a user's kernel, compiled for one device."""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
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
        self.allowed = 0

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
            If the device refuses it, or it is to be cooperative and the device does not run all blocks at once.
        CapabilityError
            If it is to be cooperative, and CuPy or the device has no such launches.
        """
        if cooperative:
            self._refuse_cooperative(grid, block, shared)
        queue, memory = self.streams.stream_for(stream, self.device), Arguments.of(arguments)
        self.allow(shared)
        self.streams.wait_for_reused(queue)
        start = self._start_cooperative if cooperative else self._start
        queue.submit(lambda: start(grid, block, shared, queue, memory))

    def _refuse_cooperative(self, grid: Dim3, block: Dim3, shared: int) -> None:
        """Raise if the blocks of a launch cannot all run at once."""
        platform, properties = self.driver.platform, self.driver.properties(self.device)
        who = self.device if platform.cooperative else f"CuPy on {platform.name}"
        if not platform.cooperative or not properties["cooperativeLaunch"]:
            raise CapabilityError(
                f"{who} launches no cooperative kernels; split the kernel in two where it waits for the grid"
            )
        self.allow(shared)
        driver, blocks, threads = self.driver.cuda.driver, prod(grid), prod(block)
        with self.driver.on(self.device):
            each = driver.occupancyMaxActiveBlocksPerMultiprocessor(self.pointer, threads, shared)
        most = each * properties["multiProcessorCount"]
        if blocks > most:
            raise KernelLaunchError(
                f"the kernel was launched cooperatively with {blocks} blocks of {threads} threads, which must run at "
                f"once; {self.device} runs {most} of them: use a smaller grid, and let each thread do more"
            )

    def prepare(self, offsets: Sequence[int], nbytes: int) -> "PreparedLaunches":
        """Return launches of the kernel, and memory for their arguments."""
        return PreparedLaunches(self, Arguments(offsets, nbytes))

    def _start(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        self.driver.launch_kernel(self.pointer, *grid, *block, shared, queue.handle, arguments.table, 0)

    def _start_cooperative(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        launch = self.driver.cuda.driver.launchCooperativeKernel
        launch(self.pointer, *grid, *block, shared, queue.handle, arguments.table)

    def allow(self, shared: int) -> None:
        """Allow launches of this kernel with so many bytes of dynamic shared memory.

        Raises
        ------
        KernelLaunchError
            If a block cannot have them besides the static shared memory of the kernel.
        """
        if shared > self.allowed:
            with self.driver.on(self.device):
                self.allowed = self._allowed(shared)

    def _allowed(self, shared: int) -> int:
        """Return how many bytes are allowed from now on, at least those that were asked for."""
        driver, properties = self.driver.cuda.driver, self.driver.properties(self.device)
        static: int = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, self.pointer)
        usual: int = properties["sharedMemPerBlock"]
        more = self.driver.platform.more_shared
        most: int = properties["sharedMemPerBlockOptin"] if more else usual
        if static + shared > most:
            besides = f" besides the {static} that the kernel declares" if static else ""
            raise KernelLaunchError(
                f"{shared} bytes of shared memory were asked for{besides}; a block of {self.device} has at most "
                f"{most}; use smaller blocks, or keep less in shared memory"
            )
        if static + shared <= usual:
            return usual - static
        driver.funcSetAttribute(self.pointer, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
        return shared


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
