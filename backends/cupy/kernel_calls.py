"""Launches of compiled kernels: the arguments in memory, as the driver takes them."""

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

__all__ = ["Arguments", "KernelCall"]

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
    busy : bool
        Whether a thread, or a signal handler in the midst of one, is using the memory.
    """

    __slots__ = ("_offsets", "_table", "busy", "memory", "table")

    def __init__(self, offsets: Sequence[int], nbytes: int) -> None:
        self._offsets = offsets
        self.memory: Any = (ctypes.c_uint64 * max(-(-nbytes // 8), 1))()
        first = ctypes.addressof(self.memory)
        self._table = (ctypes.c_void_p * max(len(offsets), 1))(*[first + offset for offset in offsets])
        self.table = ctypes.addressof(self._table)
        self.busy = False

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

    __slots__ = ("_arguments", "_function", "_geometry", "_launch_kernel", "_pack", "_pointer")

    def __init__(
        self, launch_kernel: Any, function: Any, geometry: tuple[int, ...], addresses: int, arguments: Sequence[Any]
    ) -> None:
        self._launch_kernel = launch_kernel
        self._function = function
        self._pointer = function.ptr
        self._geometry = geometry
        self._arguments = Arguments.of([np.uint64(0)] * addresses + list(arguments))
        self._pack = struct.Struct("Q8x" * addresses).pack_into

    def start(self, stream: int, *addresses: int) -> None:
        """Launch the kernel on the stream with a handle; its device is current."""
        arguments = self._arguments
        # No call between these: another thread, or a signal handler, may launch the same kernel.
        if arguments.busy:
            arguments = arguments.copy()
        arguments.busy = True
        try:
            self._pack(arguments.memory, 0, *addresses)
            self._launch_kernel(self._pointer, *self._geometry, stream, arguments.table, 0)
        finally:
            arguments.busy = False
