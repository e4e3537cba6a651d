"""Pinned memory of the host, which a device copies to and from by itself: for the house's pool, and for staging."""

import threading
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.locks import across_forks
from accel.memory import Block

from .driver import Driver

__all__ = ["Staging", "pinned"]

_SMALLEST = 1 << 12
_KEPT = 4
_OUT_OF_MEMORY = 2

_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


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


class Staging:
    """Pinned memory for the time of a copy, kept by size. Who gives it back has waited for the copy."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._lock = across_forks(threading.Lock())
        self._free: defaultdict[int, list[_Bytes]] = defaultdict(list)
        self._warned = False

    def take(self, nbytes: int, device: Device) -> _Bytes:
        """Return memory with room for ``nbytes``; pageable memory, with one warning, where no more can be pinned."""
        size = max(_SMALLEST, 1 << (nbytes - 1).bit_length())
        with self._lock:
            if self._free[size]:
                return self._free[size].pop()
        try:
            taken: _Bytes = pinned(self._driver, device, size).native
        except OutOfMemoryError as error:
            self._warn(error)
            return np.empty(size, np.uint8)
        return taken

    def give(self, memory: _Bytes) -> None:
        """Take memory back."""
        with self._lock:
            kept = self._free[memory.nbytes]
            if len(kept) < _KEPT:
                kept.append(memory)

    def _warn(self, error: OutOfMemoryError) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"copies go on through pageable memory: {error}", RuntimeWarning, stacklevel=2)
