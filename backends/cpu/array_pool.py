"""`ArrayPool`: memory of large arrays on the host that is used again when nothing refers to it.

The system clears the pages of new memory at their first use, which takes longer than most functions compute. The C
library keeps freed memory too, but returns blocks of 32 MiB and more to the system, and smaller ones often.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_char, memset
from functools import partial
from itertools import islice
from sys import getrefcount
from typing import Any, Literal
from weakref import ref

import numpy as np

from accel import config

from .slabs import ALIGNMENT, new_block

__all__ = ["POISON", "SMALLEST", "ArrayPool"]

SMALLEST = 1 << 18
"""Bytes of the smallest array that is given memory of the pool."""

POISON = 0xCD
"""What each byte becomes in debug mode when nothing refers to its block any more."""

_DIGITS = 3
"""Sizes are rounded up to so many binary digits, so that there are few."""

_LOOKED_AT = 16
"""The most blocks that one request looks at."""

_LISTED_ONLY = 2
"""The references to the memory of a block that has no array: that of the block, and the argument of `getrefcount`."""


class _Block:
    """Memory and the array that has it.

    Attributes
    ----------
    memory : ctypes array
        The bytes. All views of the array refer to the array, because its base is no array of NumPy.
    array : callable
        Weak reference to the array; returns None when nothing refers to the array any more.
    """

    __slots__ = ("array", "memory")

    def __init__(self, nbytes: int) -> None:
        self.memory: Any = (c_char * nbytes).from_buffer(new_block(nbytes, ALIGNMENT).native)
        self.array: Callable[[], Any] = _no_array

    def is_free(self) -> bool:
        """Tell whether nothing refers to the memory."""
        return self.array() is None and getrefcount(self.memory) == _LISTED_ONLY


class ArrayPool:
    """Gives arrays memory that earlier arrays had.

    The pool looks at the blocks that it lists when memory is requested, so nothing is to be done when an array ends,
    and no lock is needed: a block belongs to whoever removes it from its list, in a single call of the list. An
    interrupt, or a fork, between two calls leaves at most a block that is in no list, whose memory is freed with its
    array.

    Parameters
    ----------
    capacity : int
        The most bytes to list. Beyond it, blocks of the sizes that were added least recently are forgotten.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        # By size; in each list the block that was used last comes first, as the caches may still have it.
        self._blocks: OrderedDict[int, deque[_Block]] = OrderedDict()

    @property
    def kept_bytes(self) -> int:
        """Bytes of the blocks that have no array."""
        return sum(size for size, blocks in tuple(self._blocks.items()) for each in tuple(blocks) if each.is_free())

    @property
    def listed_bytes(self) -> int:
        """Bytes of all blocks that may be used again."""
        return sum(size * len(blocks) for size, blocks in tuple(self._blocks.items()))

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Literal["C", "F"] = "C") -> Any:
        """Return an array with uninitialised elements; None for a small one, or one that is larger than the pool.

        Raises
        ------
        MemoryError
            If the system has no memory, also after the blocks without arrays were freed.
        """
        nbytes = dtype.itemsize
        for extent in shape:
            nbytes *= extent
        if not SMALLEST <= nbytes <= self.capacity:
            return None
        shift = nbytes.bit_length() - _DIGITS
        size = -(-nbytes >> shift) << shift if shift > 0 else nbytes
        blocks = self._blocks.get(size)
        if blocks is None:
            blocks = self._blocks.setdefault(size, deque())
        block = _taken(blocks) or self._new(size)
        array: Any = np.ndarray(shape, dtype, block.memory, 0, None, order)
        block.array = ref(array, partial(_poison, block)) if config.debugging() else ref(array)
        blocks.appendleft(block)
        return array

    def _new(self, size: int) -> _Block:
        """Return a new block, and forget others such that it can be listed."""
        self._blocks.move_to_end(size)
        excess = self.listed_bytes + size - self.capacity
        for other, blocks in tuple(self._blocks.items()):
            for _ in range(min(len(blocks), -(-excess // other))):
                with suppress(IndexError):  # another thread was first
                    blocks.pop()
                excess -= other
        try:
            return _Block(size)
        except MemoryError:
            self.trim()
            return _Block(size)

    def trim(self) -> int:
        """Free the blocks that have no array; returns how many bytes."""
        freed = 0
        for size, blocks in tuple(self._blocks.items()):
            for block in tuple(blocks):
                if block.is_free():
                    freed += size
            blocks.clear()
        return freed


def _taken(blocks: deque[_Block]) -> _Block | None:
    """Remove a block that nothing uses, and return it; None if there is none among the first."""
    try:
        for block in islice(blocks, _LOOKED_AT):
            if block.array() is None:
                blocks.remove(block)
                # If something uses it, it is forgotten.
                return block if getrefcount(block.memory) == _LISTED_ONLY else None
    except (IndexError, RuntimeError, ValueError):  # another thread changed the list
        return None
    if len(blocks) > _LOOKED_AT:
        blocks.rotate(-_LOOKED_AT)  # the next request looks at others
    return None


def _no_array() -> None:
    """Return None, as the weak reference to an array that is gone."""


def _poison(block: _Block, _: object) -> None:
    """Overwrite the memory of an array that is gone, unless somebody refers to that memory itself."""
    if getrefcount(block.memory) <= _LISTED_ONLY + 1:  # the array still refers to it
        memset(block.memory, POISON, len(block.memory))
