"""`Pool`: small host blocks, kept with their known address and given again."""

from collections import defaultdict

import numpy as np

from accel.memory import Block

__all__ = ["ALIGNMENT", "Pool", "new_block"]

ALIGNMENT = 64
"""A cache line, and the widest vector."""

_LARGEST = 1 << 16
_KEPT_BYTES = 1 << 24


def new_block(nbytes: int, alignment: int) -> Block:
    """Return fresh host memory whose first byte is aligned; may raise MemoryError."""
    try:
        native = np.empty(nbytes + alignment - 1, np.uint8)
    except (ValueError, OverflowError):  # as NumPy says that no address is so high
        raise MemoryError from None
    address = native.__array_interface__["data"][0]
    start = -address % alignment
    return Block(address + start, nbytes, native[start : start + nbytes])


class Pool:
    """Free blocks by size, up to 64 KiB each and 16 MiB in all.

    The house calls a backend's `allocate` and `free` one at a time, so nothing here needs a lock.
    """

    def __init__(self) -> None:
        self._free: defaultdict[int, list[Block]] = defaultdict(list)
        self._kept = 0

    def take(self, nbytes: int) -> Block:
        """Return a block with room for ``nbytes``."""
        if nbytes > _LARGEST:
            return new_block(nbytes, ALIGNMENT)
        size = (nbytes + ALIGNMENT - 1) & -ALIGNMENT
        blocks = self._free[size]
        if not blocks:
            return new_block(size, ALIGNMENT)
        self._kept -= size
        return blocks.pop()

    def give(self, block: Block) -> None:
        """Keep a block for later, if it is small and there is room."""
        size = block.nbytes
        if size <= _LARGEST and self._kept < _KEPT_BYTES:
            self._kept += size
            self._free[size].append(block)

    def clear(self) -> None:
        """Let everything go that is kept."""
        self._free.clear()
        self._kept = 0
