"""Allocators, which wrap one another: ``Limit(Statistics(backend), 1 << 20)``. Backends are allocators too.

An allocator serves one device. It is called with the lock of that device's heap held, so one call at a time. But a
signal handler can run the same calls in the middle of one. So no change of a count here contains a call.
"""

from contextvars import ContextVar
from typing import Protocol

from accel.abc.block import Block
from accel.abc.optional import Trims
from accel.abc.stream import Stream
from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.memory.sizes import as_size

__all__ = ["Allocator", "Limit", "Scope", "Statistics", "Trims", "current_scopes", "trimmed"]


class Allocator(Protocol):
    """Allocates and frees blocks: a backend, or a wrapper of another allocator."""

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block, as `Backend.allocate` does.

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
        ...

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Free a block, as `Backend.free` does.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream, optional
            The stream that uses the block first, or last; None for the host.
        """
        ...


def trimmed(allocator: Allocator) -> int:
    """Free the blocks that an allocator keeps, if it keeps any; returns how many bytes."""
    return allocator.trim() if isinstance(allocator, Trims) else 0


class Scope:
    """A ``with`` block in which memory comes from an allocator."""

    __slots__ = ("allocator",)

    def __init__(self, allocator: Allocator) -> None:
        self.allocator: Allocator = allocator


current_scopes: ContextVar[tuple[Scope, ...]] = ContextVar("accel_allocators", default=())
"""The scopes that are active in this context, the innermost last."""


class Limit:
    """An allocator that limits the bytes in use at one time, of those that it allocated.

    Parameters
    ----------
    upstream : Allocator
        The allocator of the blocks.
    nbytes : int
        The limit. The sizes of blocks count, which may be larger than the requests.

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
        self.nbytes: int = as_size(nbytes, 1)
        self.used: int = 0

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream allocator; `OutOfMemoryError` past the limit.

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

        Raises
        ------
        OutOfMemoryError
            If more bytes than the limit would be in use.
        """
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
        """Free a block in the upstream allocator.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream, optional
            The stream that uses the block first, or last; None for the host.
        """
        self.used -= block.nbytes
        self.upstream.free(block, stream=stream)

    def trim(self) -> int:
        """Free the blocks that the upstream allocator keeps."""
        return trimmed(self.upstream)

    def __repr__(self) -> str:
        return f"<Limit of {self.nbytes} bytes, {self.used} of them in use>"


class Statistics:
    """An allocator that counts blocks and bytes.

    Parameters
    ----------
    upstream : Allocator
        The allocator of the blocks.

    Attributes
    ----------
    allocations, frees : int
        Blocks that were allocated, and that were freed.
    live_bytes, peak_bytes : int
        Bytes in use now, and the most at one time.

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
        self.allocations: int = 0
        self.frees: int = 0
        self.live_bytes: int = 0
        self.peak_bytes: int = 0

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream allocator, and count it.

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
        block = self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)
        self.allocations += 1
        self.live_bytes += block.nbytes
        if self.live_bytes > self.peak_bytes:  # noqa: PLR1730 - max() is a call
            self.peak_bytes = self.live_bytes
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Free a block in the upstream allocator, and count it.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream, optional
            The stream that uses the block first, or last; None for the host.
        """
        self.frees += 1
        self.live_bytes -= block.nbytes
        self.upstream.free(block, stream=stream)

    def trim(self) -> int:
        """Free the blocks that the upstream allocator keeps."""
        return trimmed(self.upstream)

    def __repr__(self) -> str:
        plural = "s" * (self.allocations != 1)
        return (
            f"<Statistics: {self.allocations} allocation{plural}, {self.frees} freed, {self.live_bytes} bytes live, "
            f"{self.peak_bytes} at the peak>"
        )
