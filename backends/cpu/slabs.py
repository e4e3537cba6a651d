"""`Slabs`: an allocator of host memory that cuts small blocks from large slabs."""

from collections.abc import Callable, Iterator
from mmap import ACCESS_COPY, mmap
from typing import Any

import numpy as np

from accel.abc import Block, Stream
from accel.device import Device
from accel.memory.sizes import as_alignment

__all__ = ["ALIGNMENT", "LARGEST", "Slabs", "new_block"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

ALIGNMENT = 64
"""Bytes of a cache line, and of the widest vector register."""

LARGEST = 1 << 16
"""Bytes of the largest block that is cut from a slab."""

_SLAB_BYTES = 1 << 18
_NO_BYTES: Bytes = np.empty(0, np.uint8)
_NOTHING: tuple[Block, Iterator[int]] = (Block(0, 0, _NO_BYTES), iter(()))


class Slabs:
    """Allocates aligned host memory.

    Small blocks are cut from slabs of 256 KiB, so that most need no request to the system; a slab lives as long as one
    of its blocks. Calls come one at a time, but a signal handler or a finaliser can call again in the middle of one:
    so each change here is a single call of a dictionary or an iterator.
    """

    def __init__(self) -> None:
        self._uncut: dict[int, tuple[Block, Iterator[int]]] = {}

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return an uninitialised block; raises `MemoryError` if the system has no memory."""
        if alignment == 1 and 0 < nbytes <= LARGEST:
            return self._cut(-(-nbytes // ALIGNMENT) * ALIGNMENT)
        as_alignment(alignment)
        if not nbytes:
            return Block(0, 0, _NO_BYTES)
        return new_block(nbytes, max(alignment, ALIGNMENT))

    def _cut(self, size: int) -> Block:
        slab, starts = self._uncut.get(size, _NOTHING)
        start = next(starts, None)
        if start is None:
            slab = _new_slab()
            starts = iter(range(0, slab.nbytes - size + 1, size))
            start = next(starts)
            self._uncut[size] = slab, starts
        return Block(slab.pointer + start, size, slab.native[start : start + size])

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Do nothing: NumPy frees the memory with its last reference."""

    def trim(self) -> int:
        """Drop the parts of slabs that are not allocated."""
        self._uncut.clear()
        return 0  # whether blocks in use keep the slabs alive is not known


def new_block(nbytes: int, alignment: int, make: Callable[..., Bytes] = np.empty) -> Block:
    """Return new host memory with an aligned first byte; raises `MemoryError` if the system has none."""
    try:
        native = make(nbytes + alignment - 1, np.uint8)
    except (ValueError, OverflowError):  # NumPy's errors for sizes beyond the address space
        raise MemoryError from None
    address = native.__array_interface__["data"][0]
    start = -address % alignment
    return Block(address + start, nbytes, native[start : start + nbytes])


def _new_slab() -> Block:
    try:
        # Mapped, because on the C library's heap one block in use keeps all memory below it from being returned.
        # Copy on write, because by default Python maps memory that is shared with forked children.
        native = np.frombuffer(mmap(-1, _SLAB_BYTES, access=ACCESS_COPY), np.uint8)
    except OSError:
        raise MemoryError from None
    return Block(native.__array_interface__["data"][0], _SLAB_BYTES, native)
