"""`Pool`: small host blocks, kept with their known address and given again."""

from collections import defaultdict

import numpy as np

from accel.memory import Block

__all__ = ["ALIGNMENT", "Pool", "new_block", "rounded"]

ALIGNMENT = 64
"""A cache line, and the widest vector."""

_LARGEST = 1 << 16
_KEPT_BYTES = 1 << 24
_SLAB_BYTES = 1 << 20
_LARGEST_IN_SLAB = 1 << 14


def new_block(nbytes: int, alignment: int) -> Block:
    """Return fresh host memory whose first byte is aligned; may raise MemoryError."""
    try:
        native = np.empty(nbytes + alignment - 1, np.uint8)
    except (ValueError, OverflowError):  # as NumPy says that no address is so high
        raise MemoryError from None
    address = native.__array_interface__["data"][0]
    start = -address % alignment
    return Block(address + start, nbytes, native[start : start + nbytes])


def rounded(nbytes: int) -> int:
    """Round up to whole cache lines, so that blocks of nearly one size can stand in for one another."""
    return (nbytes + ALIGNMENT - 1) & -ALIGNMENT


class Pool:
    """Free blocks by size, up to 64 KiB each and 16 MiB in all.

    Blocks up to 16 KiB are cut from slabs of 1 MiB, so that most cost no request to the system; a slab lives as long
    as one of its blocks. The house calls a backend's `allocate` and `free` one at a time, so nothing needs a lock.
    """

    def __init__(self) -> None:
        self._free: defaultdict[int, list[Block]] = defaultdict(list)
        self._kept = 0
        self._slab = new_block(0, ALIGNMENT)
        self._cut = 0

    def take(self, nbytes: int) -> Block:
        """Return a block with room for ``nbytes``; may raise MemoryError."""
        if nbytes > _LARGEST:
            return new_block(nbytes, ALIGNMENT)
        size = (nbytes + ALIGNMENT - 1) & -ALIGNMENT  # as `rounded`, whose call would show
        blocks = self._free[size]
        if blocks:
            self._kept -= size
            return blocks.pop()
        return self._cut_block(size) if size <= _LARGEST_IN_SLAB else new_block(size, ALIGNMENT)

    def _cut_block(self, size: int) -> Block:
        start, end = self._cut, self._cut + size
        if end > self._slab.nbytes:
            self._slab = new_block(_SLAB_BYTES, ALIGNMENT)
            start, end = 0, size
        self._cut = end
        return Block(self._slab.pointer + start, size, self._slab.native[start:end])

    def give(self, block: Block) -> None:
        """Keep a block for later, if it is small and there is room."""
        size = block.nbytes
        if size <= _LARGEST and self._kept + size <= _KEPT_BYTES:
            self._kept += size
            self._free[size].append(block)

    def clear(self) -> None:
        """Let everything go that is kept."""
        self._free.clear()
        self._kept = 0
