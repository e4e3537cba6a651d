"""`Slabs`: host memory, small blocks of it cut from large ones."""

from collections.abc import Iterator
from mmap import ACCESS_COPY, mmap

import numpy as np

from accel.abc import Block, Stream
from accel.device import Device
from accel.memory.sizes import as_alignment

__all__ = ["ALIGNMENT", "LARGEST", "Slabs", "new_block"]

ALIGNMENT = 64
"""A cache line, and the widest vector."""

LARGEST = 1 << 16
"""Bytes of the largest block that is cut from a slab."""

_SLAB_BYTES = 1 << 18
_NO_BYTES = np.empty(0, np.uint8)
_NOTHING: tuple[Block, Iterator[int]] = (Block(0, 0, _NO_BYTES), iter(()))


class Slabs:
    """Fresh host memory with a known address.

    Small blocks are cut from slabs of 256 KiB, so that most cost no request to the system; a slab lives as long as one
    of its blocks. The house allocates and frees one at a time, but a signal or a collection can run these calls again
    in the midst of one: each change here is one call of a dictionary or an iterator.
    """

    def __init__(self) -> None:
        self._uncut: dict[int, tuple[Block, Iterator[int]]] = {}

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block; may raise MemoryError."""
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
        """Let a block go: NumPy frees what nobody refers to."""

    def trim(self) -> int:
        """Let what is left of the slabs go."""
        self._uncut.clear()
        return 0  # nobody knows whether other blocks keep a slab


def new_block(nbytes: int, alignment: int) -> Block:
    """Return fresh host memory whose first byte is aligned; may raise MemoryError."""
    try:
        native = np.empty(nbytes + alignment - 1, np.uint8)
    except (ValueError, OverflowError):  # as NumPy says that no address is so high
        raise MemoryError from None
    address = native.__array_interface__["data"][0]
    start = -address % alignment
    return Block(address + start, nbytes, native[start : start + nbytes])


def _new_slab() -> Block:
    try:
        # Mapped, and not from the C library's heap: there, one block that is kept would hold back all that lies below.
        # Copied on writing, because by default a process shares what it maps with the children that it forks.
        native = np.frombuffer(mmap(-1, _SLAB_BYTES, access=ACCESS_COPY), np.uint8)
    except OSError:
        raise MemoryError from None
    return Block(native.__array_interface__["data"][0], _SLAB_BYTES, native)
