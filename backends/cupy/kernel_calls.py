"""Launches of compiled kernels: the arguments in memory, as the driver takes them.

Memory for arguments is used by one launch at a time: by the thread that holds the gate of the device, for launches in
order, and else by the thread that has taken it out of a list. No flag says so: a thread without the GIL, or a signal
handler, could see it before it is set.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from accel.device import Device

from .device_streams import DeviceStreams
from .driver import Driver
from .streams import CupyStream

__all__ = ["Arguments", "KernelCall", "SpareArguments", "launch_in_order"]

Launch = Callable[[int, int, int], object]
"""Launches a kernel; called with the handle of a stream, the address of the table of arguments, and 0."""

_ALIGNED = 16
"""Alignment of each argument in bytes: at least that of any type that a kernel takes."""


class Arguments:
    """Memory for the arguments of a kernel, and the table of their addresses, which the driver reads at a launch.

    Attributes
    ----------
    memory : ctypes array
        The arguments, each at its offset; a writable buffer.
    table : int
        Address of the table.
    """

    __slots__ = ("_offsets", "_table", "memory", "table")

    def __init__(self, offsets: Sequence[int], nbytes: int) -> None:
        self._offsets = offsets
        self.memory: Any = (ctypes.c_uint64 * max(-(-nbytes // 8), 1))()
        first = ctypes.addressof(self.memory)
        self._table = (ctypes.c_void_p * max(len(offsets), 1))(*[first + offset for offset in offsets])
        self.table = ctypes.addressof(self._table)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        """Return NumPy scalars and arrays of one item as arguments."""
        data = [np.asarray(value).tobytes() for value in values]
        offsets, end = [], 0
        for each in data:
            offsets.append(end)
            end += -(-len(each) // _ALIGNED) * _ALIGNED
        result = cls(offsets, end)
        for offset, each in zip(offsets, data, strict=True):
            ctypes.memmove(ctypes.addressof(result.memory) + offset, each, len(each))
        return result

    def copy(self) -> Self:
        """Return other memory with the same arguments."""
        result = type(self)(self._offsets, ctypes.sizeof(self.memory))
        ctypes.memmove(result.memory, self.memory, ctypes.sizeof(self.memory))
        return result


class SpareArguments:
    """Memory for the arguments of one kernel, as much as launches use at once.

    Parameters
    ----------
    first : Arguments
        Copied if more is needed: with what is the same in each launch.
    """

    __slots__ = ("_first", "give_back", "spare")

    def __init__(self, first: Arguments) -> None:
        self._first = first
        self.spare: list[Arguments] = []
        self.give_back = self.spare.append

    def take(self) -> Arguments:
        """Return memory that no other launch uses until it is given back."""
        try:
            return self.spare.pop()
        except IndexError:
            return self._first.copy()


class KernelCall:
    """Launches of one kernel that differ only in the addresses with which its arguments begin.

    Parameters
    ----------
    launch_kernel : callable
        The driver's function.
    function : cupy.cuda.Function
        The kernel on one device.
    geometry : tuple of seven ints
        Blocks and threads along each axis, and bytes of shared memory.
    addresses : int
        How many addresses there are.
    arguments : sequence of NumPy scalars and arrays of one item
        The arguments after the addresses.
    """

    __slots__ = ("_function", "_geometry", "_launch_kernel", "_pack", "_pointer", "_spare")

    def __init__(
        self, launch_kernel: Any, function: Any, geometry: tuple[int, ...], addresses: int, arguments: Sequence[Any]
    ) -> None:
        self._launch_kernel = launch_kernel
        self._function = function
        self._pointer = function.ptr
        self._geometry = geometry
        self._spare = SpareArguments(Arguments.of([np.uint64(0)] * addresses + list(arguments)))
        self._pack = struct.Struct("Q8x" * addresses).pack_into

    def start(self, stream: int, *addresses: int) -> None:
        """Launch the kernel on the stream with a handle; its device is current."""
        spare = self._spare
        try:
            arguments = spare.spare.pop()  # as `take`, without the call
        except IndexError:
            arguments = spare.take()
        try:
            self._pack(arguments.memory, 0, *addresses)
            self._launch_kernel(self._pointer, *self._geometry, stream, arguments.table, 0)
        finally:
            spare.give_back(arguments)


def launch_in_order(
    driver: Driver, streams: DeviceStreams, device: Device, submit: Callable[..., object]
) -> Callable[..., bool]:
    """Return a function that launches kernels at once, for `PreparesLaunches` and `PreparesForms`.

    It takes the stream, and what ``submit`` takes.

    Parameters
    ----------
    driver, streams : Driver, DeviceStreams
        Those of the backend.
    device : Device
        The device.
    submit : callable
        Calls the driver; takes the handle of the stream, and what else it needs. The device is current.
    """
    index, current_device = device._index, driver.runtime.getDevice

    def start(queue: CupyStream, *values: Any) -> bool:
        if queue.timed or not queue.direct:
            return False
        if queue.caught_up != queue.new_blocks.number:
            streams.wait_for_reused(queue)
        # As `Driver.is_ready`, without the call.
        if index not in driver.of_thread.ready or current_device() != index:
            with driver.on(device):
                submit(queue.handle, *values)
            return True
        try:
            submit(queue.handle, *values)
        except Exception as error:
            raise driver.translated(error, device) from error
        return True

    return start
