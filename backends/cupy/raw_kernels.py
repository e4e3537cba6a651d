"""`RawExecutable`: a user's kernel, compiled for one device."""

from collections.abc import Sequence
from typing import Any

from accel.abc import Stream
from accel.device import Device
from accel.errors import CapabilityError, KernelLaunchError
from accel.support.kernel_reports import Dim3

from .device_streams import DeviceStreams
from .driver import Driver
from .kernel_calls import Arguments
from .streams import CupyStream

__all__ = ["PreparedArguments", "RawExecutable"]


class RawExecutable:
    """A user's kernel, compiled for one device."""

    __slots__ = ("_device", "_function", "allowed", "driver", "pointer", "streams")

    def __init__(self, driver: Driver, streams: DeviceStreams, device: Device, function: Any) -> None:
        self.driver = driver
        self.streams = streams
        self._device = device
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
        queue, memory = self.streams.stream_for(stream, self._device), Arguments.of(arguments)
        self.allow(shared)
        self.streams.wait_for_reused(queue)
        start = self._start_cooperative if cooperative else self._start
        queue.submit(lambda: start(grid, block, shared, queue, memory))

    def prepare(self, offsets: Sequence[int], nbytes: int) -> "PreparedArguments":
        """Return memory for the arguments, and the launch that uses them."""
        return PreparedArguments(self, Arguments(offsets, nbytes))

    def start(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> bool:
        """Launch the kernel at once; return False, and do not, if the stream waits for the host."""
        self.allow(shared)
        if not queue.direct:
            return False
        queue.submit(lambda: self._start(grid, block, shared, queue, arguments))
        return True

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
            with self.driver.on(self._device):
                attribute = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                driver.funcSetAttribute(self.pointer, attribute, shared)
            self.allowed = shared


class PreparedArguments:
    """The arguments of a kernel in memory, to be overwritten for each launch.

    Attributes
    ----------
    memory : buffer
        The arguments, each at its offset.
    """

    __slots__ = ("_arguments", "_kernel", "_pointer", "_table", "memory")

    def __init__(self, kernel: RawExecutable, arguments: Arguments) -> None:
        self._kernel = kernel
        self._arguments = arguments
        self._pointer = kernel.pointer
        self._table = arguments.table
        self.memory = arguments.memory

    def start(self, grid: Dim3, block: Dim3, shared: int, stream: CupyStream) -> bool:
        """Launch the kernel at once with the arguments in ``memory``; return whether that was possible."""
        kernel = self._kernel
        driver, device = kernel.driver, stream.device
        if stream.caught_up != stream.new_blocks.number:
            kernel.streams.wait_for_reused(stream)
        if shared > kernel.allowed or not (stream.direct and driver.is_ready(device)):
            return kernel.start(grid, block, shared, stream, self._arguments)
        try:
            if stream.handle:
                driver.refuse_capture(stream.native)
            if stream.timed:
                stream.begin()
            driver.launch_kernel(self._pointer, *grid, *block, shared, stream.handle, self._table, 0)
        except Exception as error:
            raise driver.translated(error, device) from error
        return True
