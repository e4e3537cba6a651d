"""Pinned (page-locked) host memory, which devices copy by DMA: for `accel`'s pool of pinned memory, and for staging."""

import warnings
from typing import Any

import numpy as np

from accel.abc import Block
from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.support.call_sites import stack_level

from .driver import Driver

__all__ = ["StagingMemory", "is_pinned", "pinned"]

_OUT_OF_MEMORY = 2

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def pinned(driver: Driver, device: Device, nbytes: int) -> Block:
    """Return pinned host memory; it is unpinned with the last reference to its bytes.

    Raises
    ------
    OutOfMemoryError
        If no more can be pinned.
    """
    if not nbytes:
        return Block(0, 0, np.empty(0, np.uint8))
    cuda = driver.cupy.cuda
    with driver.on(device):
        try:
            memory = driver.relaxed(cuda.PinnedMemory, nbytes, driver.runtime.hostAllocPortable)
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != _OUT_OF_MEMORY:
                raise
            raise OutOfMemoryError(
                f"{nbytes} bytes of pinned memory were asked for on {device}, and the system pins no more; "
                f"release pinned memory, or use pageable memory, which is copied more slowly"
            ) from None
    # The array keeps the pointer alive, and the pointer the memory.
    return Block(memory.ptr, nbytes, np.frombuffer(cuda.PinnedMemoryPointer(memory, 0), np.uint8, nbytes))


def is_pinned(driver: Driver, address: int) -> bool:
    """Return whether host memory is pinned, by this or any other library, according to the driver."""
    attributes = driver.attributes(address)
    return attributes is not None and bool(attributes.devicePointer)


class StagingMemory:
    """Allocates pinned memory for staging; if no more can be pinned, pageable memory, with one warning."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._warned = False

    def take(self, nbytes: int, device: Device) -> tuple[Bytes, bool]:
        """Return uninitialised memory, and whether it is pinned."""
        try:
            return pinned(self._driver, device, nbytes).native, True
        except OutOfMemoryError as error:
            self._warn(error)
            return np.empty(nbytes, np.uint8), False

    def _warn(self, error: OutOfMemoryError) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"copies go on through pageable memory: {error}", RuntimeWarning, stacklevel=stack_level())
