"""Pinned host memory of a simulated device: ordinary host memory, with a limit."""

import numpy as np

from accel import config
from accel.abc import Block
from accel.device import Device
from accel.errors import OutOfMemoryError

from .device_memory import ALIGNMENT

__all__ = ["PinnedMemory"]


class PinnedMemory:
    """Pinned host memory of one device: at most a quarter of the device's own memory."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._used = 0

    def allocate(self, nbytes: int) -> Block:
        """Return uninitialised memory.

        Raises
        ------
        OutOfMemoryError
            If that would exceed the limit, or the host has no memory.
        """
        limit = config.current().sim_memory // 4
        if self._used + nbytes > limit:
            raise OutOfMemoryError(
                f"{nbytes} bytes of pinned memory were asked for on {self._device}: {self._used} of {limit} bytes are "
                f"in use; release what is no longer used, or raise sim_memory"
            )
        try:
            native = np.empty(nbytes + ALIGNMENT - 1, np.uint8)
        except MemoryError:
            raise OutOfMemoryError(f"{nbytes} bytes were asked for on {self._device}, and the host has none") from None
        self._used += nbytes
        address = native.__array_interface__["data"][0]
        start = -address % ALIGNMENT
        return Block(address + start if nbytes else 0, nbytes, native[start : start + nbytes])

    def free(self, block: Block) -> None:
        """Count memory as free; NumPy frees it with its last reference."""
        self._used -= block.nbytes
