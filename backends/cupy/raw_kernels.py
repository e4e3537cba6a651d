"""`RawExecutable`: a user's kernel, compiled for one device."""

from collections.abc import Sequence
from typing import Any

from accel.abc import Stream
from accel.device import Device

from .device_streams import DeviceStreams
from .driver import Driver
from .launching import Arguments
from .streams import CupyStream

__all__ = ["PreparedArguments", "RawExecutable"]

Dim3 = tuple[int, int, int]


class RawExecutable:
    """A user's kernel, compiled for one device."""

    __slots__ = ("_allowed", "_device", "_driver", "_function", "_pointer", "_streams")

    def __init__(self, driver: Driver, streams: DeviceStreams, device: Device, function: Any) -> None:
        self._driver = driver
        self._streams = streams
        self._device = device
        self._function = function
        self._pointer = function.ptr
        self._allowed = driver.platform.shared

    def launch(
        self, grid: Dim3, block: Dim3, arguments: tuple[Any, ...], *, shared: int, stream: Stream | None
    ) -> None:
        """Launch the kernel on a stream.

        It is not known which memory it uses, so it waits until all blocks of the device are ready.

        Raises
        ------
        KernelLaunchError
            If the device refuses it.
        """
        queue, given = self._streams.stream_for(stream, self._device), Arguments.of(arguments)
        self.allow(shared)
        self._streams.wait_for_reused(queue)
        queue.submit(lambda: self._start(grid, block, shared, queue, given), timed=stream is not None)

    def prepare(self, offsets: Sequence[int], nbytes: int) -> "PreparedArguments":
        """Return memory for the arguments, and the launch with what it holds."""
        return PreparedArguments(self, Arguments(offsets, nbytes))

    def start(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        """Launch the kernel at once, on a stream that takes work directly."""
        if shared > self._allowed:
            self.allow(shared)
        if self._streams.several:
            self._streams.wait_for_reused(queue)
        if self._driver.is_ready(self._device):
            try:
                self._start(grid, block, shared, queue, arguments)
            except Exception as error:
                raise self._driver.translated(error, self._device) from error
        else:
            with self._driver.on(self._device):
                self._start(grid, block, shared, queue, arguments)

    def _start(self, grid: Dim3, block: Dim3, shared: int, queue: CupyStream, arguments: Arguments) -> None:
        self._driver.launch_kernel(self._pointer, *grid, *block, shared, queue.handle, arguments.table, 0)

    def allow(self, shared: int) -> None:
        """Allow launches of this kernel with more shared memory than the default limit."""
        if shared > self._allowed:
            driver = self._driver.cupy.cuda.driver
            with self._driver.on(self._device):
                attribute = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                driver.funcSetAttribute(self._pointer, attribute, shared)
            self._allowed = shared


class PreparedArguments:
    """The arguments of a kernel in memory, to be overwritten for each launch.

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

    def start(self, grid: Dim3, block: Dim3, shared: int, stream: CupyStream) -> None:
        """Launch the kernel at once with the arguments in ``memory``, which may be overwritten on return."""
        self._kernel.start(grid, block, shared, stream, self._arguments)
