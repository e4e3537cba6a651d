"""`Pool`: small host blocks, kept with their known address and given again."""

from collections import defaultdict
from collections.abc import Iterator
from mmap import mmap

import numpy as np

from accel.memory import Block

__all__ = ["ALIGNMENT", "Pool", "new_block", "rounded"]

ALIGNMENT = 64
"""A cache line, and the widest vector."""

_LARGEST = 1 << 16
_SLAB_BYTES = 1 << 18
_KEPT_BYTES = 1 << 19


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
    """Round up to a multiple of 64 with at most three leading binary digits, so that few sizes serve all."""
    step = 1 << max(nbytes.bit_length() - 3, 6)
    return -(-nbytes // step) * step


_ROUNDED = tuple(rounded(lines * ALIGNMENT) for lines in range(_LARGEST // ALIGNMENT + 1))


def _new_slab() -> Block:
    try:
        # Mapped, and not from the C library's heap: there, one block that is kept would hold back all that lies below.
        native = np.frombuffer(mmap(-1, _SLAB_BYTES), np.uint8)
    except OSError:
        raise MemoryError from None
    return Block(native.__array_interface__["data"][0], _SLAB_BYTES, native)


_NOTHING: tuple[Block, Iterator[int]] = (Block(0, 0, np.empty(0, np.uint8)), iter(()))


class Pool:
    """Free blocks by rounded size, up to 64 KiB each and 512 KiB of each size.

    They are cut from slabs of 256 KiB, so that most cost no request to the system; a slab lives as long as one of its
    blocks. The house calls a backend's `allocate` and `free` one at a time, but a signal or a collection can run them
    again in the midst of either: each change here is one call of a list or an iterator.
    """

    def __init__(self) -> None:
        self._free: defaultdict[int, list[Block]] = defaultdict(list)
        self._uncut: dict[int, tuple[Block, Iterator[int]]] = {}

    def take(self, nbytes: int) -> Block:
        """Return a block with room for ``nbytes``; may raise MemoryError."""
        if nbytes > _LARGEST:
            return new_block(nbytes, ALIGNMENT)
        size = _ROUNDED[(nbytes + ALIGNMENT - 1) // ALIGNMENT]
        try:
            return self._free[size].pop()
        except IndexError:
            return self._cut(size)

    def _cut(self, size: int) -> Block:
        slab, starts = self._uncut.get(size, _NOTHING)
        start = next(starts, None)
        if start is None:
            slab = _new_slab()
            starts = iter(range(0, slab.nbytes - size + 1, size))
            start = next(starts)
            self._uncut[size] = slab, starts
        return Block(slab.pointer + start, size, slab.native[start : start + size])

    def give(self, block: Block) -> None:
        """Keep a block for later, if it is small and there is room."""
        size = block.nbytes
        if size <= _LARGEST:
            blocks = self._free[size]
            if len(blocks) * size < _KEPT_BYTES:
                blocks.append(block)

    def clear(self) -> None:
        """Let everything go that is kept."""
        self._free.clear()
        self._uncut.clear()
