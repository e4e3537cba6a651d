"""`Pool`: free blocks, kept and given again."""

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
    """Round up to a multiple of 64 with at most three leading binary digits, so that few sizes serve all."""
    step = 1 << max(nbytes.bit_length() - 3, 6)
    return -(-nbytes // step) * step


_ROUNDED = tuple(rounded(steps * _STEP) for steps in range(1025))


class Pool:
    """Keeps blocks that come back, by rounded size, and gives them again.

    A kept block is idle: the house frees memory when the work on it is over. What is freed on a stream, as memory is
    that other libraries may still use, is not kept. Memory in a pool is not poisoned, and a simulated device cannot
    tell its last use from its next.

    Parameters
    ----------
    upstream : Allocator
        Who gives the blocks, a little larger than asked for, so that few sizes serve all.
    largest : int
        Bytes of the largest block that is kept.
    kept : int
        Most bytes that are kept of blocks of one size.

    Attributes
    ----------
    device : Device or None
        The device that is served; None before the first request.

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

    def __init__(self, upstream: Allocator, *, largest: int = 1 << 26, kept: int = 1 << 28) -> None:
        self.upstream = upstream
        self.largest = largest
        self.kept = kept
        self.device: Device | None = None
        # Here too each change is one call of a list or a dictionary, which a signal cannot divide.
        # A size is known when a block of it was given: only under these could a block be found again.
        self._free: dict[int, list[Block]] = {}
        self._grown: dict[int, int] = {}

    @property
    def kept_bytes(self) -> int:
        """Bytes that are kept."""
        return sum(len(blocks) * size for size, blocks in tuple(self._free.items()))

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block that is kept, or a new one; those for a stream, or with an alignment, are new."""
        if alignment == 1 and stream is None and nbytes <= self.largest and device is self.device:
            return self.take(nbytes)
        return self._special(device, nbytes, alignment, stream)

    def take(self, nbytes: int) -> Block:
        """Return a block for the device that is served, of at most `largest` bytes; short for `allocate`."""
        size = _ROUNDED[(nbytes + 63) >> 6] if nbytes <= 65_536 else rounded(nbytes)
        try:
            return self._free[size].pop()
        except LookupError:
            return self._new(size)

    def _special(self, device: Device, nbytes: int, alignment: int, stream: Stream | None) -> Block:
        if self.device is None:
            self._serve(device)
            return self.allocate(device, nbytes, alignment=alignment, stream=stream)
        if device is not self.device:
            raise DeviceMismatchError(f"this pool keeps memory of {self.device}; make another for {device}")
        size = rounded(nbytes) if 0 < nbytes <= self.largest else nbytes
        return self.upstream.allocate(device, size, alignment=alignment, stream=stream)

    def _new(self, size: int) -> Block:
        assert self.device is not None, "a pool that looked for a block knows its device"
        if not size:
            return self.upstream.allocate(self.device, 0, alignment=1, stream=None)
        if size in self._grown:
            with suppress(IndexError):
                return self._free[self._grown[size]].pop()
        block = self.upstream.allocate(self.device, size, alignment=1, stream=None)
        if block.nbytes != size:  # the upstream has sizes of its own, under which the block will come back
            self._grown[size] = block.nbytes
        if block.nbytes not in self._free:
            self._free.setdefault(block.nbytes, [])
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Keep a block for later, if it is not too large, there is room, and nothing is to be waited for."""
        if stream is None:
            self.give(block)
        else:
            self.upstream.free(block, stream=stream)

    def give(self, block: Block) -> None:
        """Take a block back that is idle; short for `free`."""
        size = block.nbytes
        blocks = self._free.get(size)
        if blocks is not None and len(blocks) * size < self.kept:
            blocks.append(block)
        else:
            self.upstream.free(block, stream=None)

    def trim(self) -> int:
        """Give back all that is kept, and let the upstream do so too; returns how many bytes."""
        return _emptied(self._free, self.upstream) + trimmed(self.upstream)

    def _serve(self, device: Device) -> None:
        # What is kept goes back also when the pool itself is dropped, by way of the gate.
        giving_back = partial(_emptied_for_good, self._free, self.upstream)
        finalize(self, heap_of(device).defer, giving_back).atexit = False
        self.device = device

    def __repr__(self) -> str:
        return f"<Pool that keeps {self.kept_bytes} bytes>"


def _emptied(free: dict[int, list[Block]], upstream: Allocator) -> int:
    given_back = 0
    for blocks in tuple(free.values()):
        with suppress(IndexError):
            while True:
                block = blocks.pop()
                given_back += block.nbytes
                upstream.free(block, stream=None)
    return given_back


def _emptied_for_good(free: dict[int, list[Block]], upstream: Allocator) -> None:
    _emptied(free, upstream)
