"""Pinned memory of the host, which a device copies to and from by itself: for the house's pool, and for staging."""

import warnings
from typing import Any

import numpy as np

from accel.abc import Block
from accel.call_sites import stack_level
from accel.device import Device
from accel.errors import OutOfMemoryError

from .driver import Driver

__all__ = ["Pages", "is_pinned", "pinned"]

_OUT_OF_MEMORY = 2

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def pinned(driver: Driver, device: Device, nbytes: int) -> Block:
    """Return pinned host memory, which is unpinned when the last user of its bytes is gone.

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
            memory = cuda.PinnedMemory(nbytes, driver.runtime.hostAllocPortable)
        except cuda.runtime.CUDARuntimeError as error:
            if error.status != _OUT_OF_MEMORY:
                raise
            raise OutOfMemoryError(
                f"{nbytes} bytes of the host were to be pinned for {device}, and the system pins no more; "
                f"release pinned memory, or use pageable memory, which is copied more slowly"
            ) from None
    # The array keeps the pointer, and that the memory.
    return Block(memory.ptr, nbytes, np.frombuffer(cuda.PinnedMemoryPointer(memory, 0), np.uint8, nbytes))


def is_pinned(driver: Driver, address: int) -> bool:
    """Tell whether memory of the host is pinned, by whomever; the driver is asked."""
    found = driver.attributes(address)
    return found is not None and bool(found.devicePointer)


class Pages:
    """Pinned memory for staging; where no more can be had it is pageable, with one warning."""

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
