"""`Pool`: an allocator that keeps freed blocks and uses them again."""

from contextlib import suppress
from functools import partial
from weakref import finalize

from accel.abc.block import Block
from accel.abc.stream import Stream
from accel.device import Device
from accel.errors import DeviceMismatchError
from accel.memory.allocators import Allocator, trimmed
from accel.memory.heap import heap_of

__all__ = ["Pool", "rounded"]

_STEP = 64


def rounded(nbytes: int) -> int:
    """Round up to a multiple of 64 with at most three significant binary digits, so that there are few sizes."""
    step = 1 << max(nbytes.bit_length() - 3, 6)
    return -(-nbytes // step) * step


_ROUNDED = tuple(rounded(steps * _STEP) for steps in range(1025))


class Pool:
    """An allocator that keeps freed blocks, by rounded size, and uses them again.

    A kept block is idle: accel frees memory when the work on it is done. A block that is freed on a stream is not kept:
    other libraries may still use it. A simulated device does not poison kept blocks, and cannot tell a late use of the
    old memory from the use of the new.

    Parameters
    ----------
    upstream : Allocator
        The allocator of the blocks. They are a little larger than the requests, so that there are few sizes.
    largest : int
        Size in bytes of the largest block that is kept.
    capacity : int
        The most bytes to keep in blocks of one size.

    Attributes
    ----------
    device : Device or None
        The device of the memory; None before the first request.

    Examples
    --------
    >>> import accel
    >>> from accel.memory import Pool, allocating, allocator_of
    >>> pool = Pool(allocator_of("sim"))
    >>> with allocating("sim", pool):
    ...     accel.zeros(1000, device="sim").release()
    >>> pool.kept_bytes, pool.trim(), pool.kept_bytes
    (8192, 8192, 0)
    """

    def __init__(self, upstream: Allocator, *, largest: int = 1 << 26, capacity: int = 1 << 28) -> None:
        self.upstream = upstream
        self.largest = largest
        self.capacity = capacity
        self.device: Device | None = None
        # Each change is a single call of a list or a dictionary, which a signal cannot interrupt.
        # A size is added with its first block: blocks of other sizes would never be requested.
        self._free: dict[int, list[Block]] = {}
        self._grown: dict[int, int] = {}

    @property
    def kept_bytes(self) -> int:
        """Bytes that are kept."""
        return sum(len(blocks) * size for size, blocks in tuple(self._free.items()))

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a kept block or a new one; for a stream or with an alignment always a new one.

        Parameters
        ----------
        device : Device
            The device.
        nbytes : int
            The size in bytes.
        alignment : int
            What the address is a multiple of.
        stream : Stream, optional
            The stream that uses the block first, or last; None for the host.
        """
        if alignment == 1 and stream is None and nbytes <= self.largest and device is self.device:
            return self.take(nbytes)
        return self._allocate_new(device, nbytes, alignment, stream)

    def take(self, nbytes: int) -> Block:
        """Return a block of at most `largest` bytes for the pool's device; a short form of `allocate`.

        Parameters
        ----------
        nbytes : int
            The size in bytes.
        """
        size = _ROUNDED[(nbytes + 63) >> 6] if nbytes <= 65_536 else rounded(nbytes)
        try:
            return self._free[size].pop()
        except LookupError:
            return self._new(size)

    def _allocate_new(self, device: Device, nbytes: int, alignment: int, stream: Stream | None) -> Block:
        if self.device is None:
            self._set_device(device)
            return self.allocate(device, nbytes, alignment=alignment, stream=stream)
        if device is not self.device:
            raise DeviceMismatchError(f"this pool keeps memory of {self.device}; make another for {device}")
        size = rounded(nbytes) if 0 < nbytes <= self.largest else nbytes
        return self.upstream.allocate(device, size, alignment=alignment, stream=stream)

    def _new(self, size: int) -> Block:
        assert self.device is not None, "a pool that searches for a block knows its device"
        if not size:
            return self.upstream.allocate(self.device, 0, alignment=1, stream=None)
        if size in self._grown:
            with suppress(IndexError):
                return self._free[self._grown[size]].pop()
        block = self.upstream.allocate(self.device, size, alignment=1, stream=None)
        if block.nbytes != size:  # the upstream rounds sizes too, and the block is freed with its actual size
            self._grown[size] = block.nbytes
        if block.nbytes not in self._free:
            self._free.setdefault(block.nbytes, [])
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Keep a block if it is idle and not too large, and its size has room; else free it upstream.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream, optional
            The stream that uses the block first, or last; None for the host.
        """
        if stream is None:
            self.give(block)
        else:
            self.upstream.free(block, stream=stream)

    def give(self, block: Block) -> None:
        """Free an idle block; a short form of `free`.

        Parameters
        ----------
        block : Block
            The block.
        """
        size = block.nbytes
        blocks = self._free.get(size)
        if blocks is not None and len(blocks) * size < self.capacity:
            blocks.append(block)
        else:
            self.upstream.free(block, stream=None)

    def trim(self) -> int:
        """Free all kept blocks, here and in the upstream allocator; returns how many bytes."""
        return _empty(self._free, self.upstream) + trimmed(self.upstream)

    def _set_device(self, device: Device) -> None:
        # When the pool itself is dropped, its blocks are freed too, under the lock of the heap.
        freeing = partial(_empty_finally, self._free, self.upstream)
        finalize(self, heap_of(device).defer, freeing).atexit = False
        self.device = device

    def __repr__(self) -> str:
        return f"<Pool that keeps {self.kept_bytes} bytes>"


def _empty(free: dict[int, list[Block]], upstream: Allocator) -> int:
    freed = 0
    for blocks in tuple(free.values()):
        with suppress(IndexError):
            while True:
                block = blocks.pop()
                freed += block.nbytes
                upstream.free(block, stream=None)
    return freed


def _empty_finally(free: dict[int, list[Block]], upstream: Allocator) -> None:
    _empty(free, upstream)
