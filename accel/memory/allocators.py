"""Allocators that compose by what is above them, as in ``Limit(Statistics(backend), 1 << 20)``; backends are some too.

An allocator serves one device. The house calls it with that device's gate closed, one call at a time; but a signal can
run the same calls in the midst of one. So no change of a count here has a call in it.
"""

from contextvars import ContextVar
from typing import Protocol

from accel.abc.block import Block
from accel.abc.optional import Trims
from accel.abc.stream import Stream
from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.memory.sizes import as_size

__all__ = ["Allocator", "Limit", "Scope", "Statistics", "Trims", "chosen", "trimmed"]


class Allocator(Protocol):
    """Whoever gives blocks and takes them back: a backend, or what is put before one."""

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block, as `Backend.allocate` does."""
        ...

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Take a block back, as `Backend.free` does."""
        ...


def trimmed(allocator: Allocator) -> int:
    """Let an allocator give back what it keeps, if it keeps any; returns how many bytes."""
    return allocator.trim() if isinstance(allocator, Trims) else 0


class Scope:
    """A ``with`` block in which memory comes from an allocator."""

    __slots__ = ("allocator",)

    def __init__(self, allocator: Allocator) -> None:
        self.allocator = allocator


chosen: ContextVar[tuple[Scope, ...]] = ContextVar("accel_allocators", default=())
"""The scopes that this code is in, the innermost last."""


class Limit:
    """Lets no more than so many bytes be in use at a time, of those that went through it.

    Parameters
    ----------
    upstream : Allocator
        Who gives the blocks.
    nbytes : int
        The limit. Whole blocks count, which may be larger than what was asked for.

    Attributes
    ----------
    used : int
        Bytes in use.

    Examples
    --------
    >>> import accel
    >>> from accel.memory import Limit, allocating, allocator_of
    >>> with allocating("cpu", Limit(allocator_of("cpu"), 1 << 20)):
    ...     accel.empty(1 << 20, "float64")
    Traceback (most recent call last):
        ...
    accel.errors.OutOfMemoryError: 8388608 bytes were asked for on cpu: 0 of the 1048576 bytes of a limit are in use...
    """

    def __init__(self, upstream: Allocator, nbytes: int) -> None:
        self.upstream = upstream
        self.nbytes = as_size(nbytes, 1)
        self.used = 0

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream's; `OutOfMemoryError` past the limit."""
        if self.used + nbytes > self.nbytes:
            raise self._refusal(device, nbytes)
        block = self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)
        if self.used + block.nbytes > self.nbytes:
            self.upstream.free(block, stream=stream)
            raise self._refusal(device, nbytes)
        self.used += block.nbytes
        return block

    def _refusal(self, device: Device, nbytes: int) -> OutOfMemoryError:
        return OutOfMemoryError(
            f"{nbytes} bytes were asked for on {device}: {self.used} of the {self.nbytes} bytes of a limit are in use; "
            f"release what is no longer used, or raise the limit"
        )

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Give a block back to the upstream."""
        self.used -= block.nbytes
        self.upstream.free(block, stream=stream)

    def trim(self) -> int:
        """Let the upstream give back what it keeps."""
        return trimmed(self.upstream)

    def __repr__(self) -> str:
        return f"<Limit of {self.nbytes} bytes, {self.used} of them in use>"


class Statistics:
    """Counts what goes through it.

    Parameters
    ----------
    upstream : Allocator
        Who gives the blocks.

    Attributes
    ----------
    allocations, frees : int
        Blocks that were given, and that came back.
    live_bytes, peak_bytes : int
        Bytes in use now, and the most there were at one time.

    Examples
    --------
    >>> import accel
    >>> from accel.memory import Statistics, allocating, allocator_of
    >>> counts = Statistics(allocator_of("sim"))
    >>> with allocating("sim", counts):
    ...     accel.zeros(1000, device="sim").release()
    >>> counts
    <Statistics: 1 allocation, 1 freed, 0 bytes live, 8000 at the peak>
    """

    def __init__(self, upstream: Allocator) -> None:
        self.upstream = upstream
        self.allocations = self.frees = self.live_bytes = self.peak_bytes = 0

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream's, and count it."""
        block = self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)
        self.allocations += 1
        self.live_bytes += block.nbytes
        if self.live_bytes > self.peak_bytes:  # noqa: PLR1730 - max() is a call
            self.peak_bytes = self.live_bytes
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Give a block back to the upstream, and count it."""
        self.frees += 1
        self.live_bytes -= block.nbytes
        self.upstream.free(block, stream=stream)

    def trim(self) -> int:
        """Let the upstream give back what it keeps."""
        return trimmed(self.upstream)

    def __repr__(self) -> str:
        plural = "s" * (self.allocations != 1)
        return (
            f"<Statistics: {self.allocations} allocation{plural}, {self.frees} freed, {self.live_bytes} bytes live, "
            f"{self.peak_bytes} at the peak>"
        )
