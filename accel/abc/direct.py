"""Protocols that a backend may implement for streams that take work directly: see `CurrentStream.direct`.

They name memory by addresses. Accel keeps such work in order, and its memory alive, without a record for each piece.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

from accel.abc.block import Block
from accel.abc.operand import Operand
from accel.abc.plan import Plan
from accel.abc.stream import Stream
from accel.device import Device

__all__ = [
    "DOWNLOAD",
    "UPLOAD",
    "WITHIN",
    "DirectAllocator",
    "DirectStream",
    "PreparedCopy",
    "PreparedFill",
    "PreparesAllocation",
    "PreparesCopies",
    "PreparesFills",
]

WITHIN, UPLOAD, DOWNLOAD = range(3)
"""The ways of a copy: within the device, to it from the host, and from it to the host."""


class DirectStream(Stream, Protocol):
    """A stream that takes work directly, while `CurrentStream.direct` is true.

    The memory that it copies may be pinned or not. The caller keeps it alive, and neither reads nor writes it, until
    `finish` has returned: `copy_bytes` may return before or after the copy.
    """

    buffered: int
    """Bytes of memory of the host that need not be pinned: the driver takes so many before `copy_bytes` returns."""

    @property
    def direct(self) -> bool:
        """Whether work reaches the device before the call that submits it returns."""
        ...

    @property
    def awaitable(self) -> bool:
        """Whether it is `direct`, and the host may wait for its work: nobody records that in a graph."""
        ...

    def copy_bytes(self, into: int, out_of: int, nbytes: int, way: int) -> None:
        """Submit a copy between bytes that do not overlap; the way is `WITHIN`, `UPLOAD` or `DOWNLOAD`.

        Parameters
        ----------
        into : int
            The address that is written.
        out_of : int
            The address that is read.
        nbytes : int
            How many bytes.
        way : int
            Where the ends are.
        """
        ...

    def set_bytes(self, address: int, byte: int, nbytes: int) -> None:
        """Submit a fill of memory of the device with one byte.

        Parameters
        ----------
        address : int
            The address.
        byte : int
            The byte.
        nbytes : int
            How many bytes.
        """
        ...

    def idle(self) -> bool:
        """Return whether the device has done all work so far; False if that cannot be told without an event."""
        ...

    def finish(self) -> None:
        """Block until all work is done that the device has; raises as its wait does."""
        ...


class DirectAllocator(NamedTuple):
    """Allocates and frees memory of a device in the usual case; accel asks the backend in all others.

    Attributes
    ----------
    allocate : callable
        Called with a number of bytes, and whether they are to be cleared: does what `Backend.allocate` and
        `AllocatesCleared.allocate_cleared` do for the current stream. None if there is another case, or no memory.
    free : callable
        Called with a block: does what `Backend.free` does without a stream, and returns True; or returns False.
    """

    allocate: Callable[[int, bool], Block | None]
    free: Callable[[Block], bool]


@runtime_checkable
class PreparesAllocation(Protocol):
    """A backend with short functions for the usual case of an allocation, which take less time."""

    def prepare_allocation(self, device: Device) -> DirectAllocator | None:
        """Return the functions for a device, of which memory was allocated before; None if there are none now.

        It is called with the lock of the heap held.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


PreparedCopy = Callable[[Any, int, int], object]
"""Submits a copy; called with a stream of the device that takes work directly, the address of the target's start,
and the address of the source's."""


@runtime_checkable
class PreparesCopies(Protocol):
    """A backend that prepares a copy once for many operands, which takes less time."""

    def prepare_copy(self, device: Device, target: Operand, source: Operand, plan: Plan) -> PreparedCopy | None:
        """Return a function that copies as planned, between operands that differ from these in their addresses only.

        The operands have neither swizzle nor table, and share no bytes. Both are in the memory of the device, and other
        addresses have the same remainders by 16 as these; or one is in the host's memory, at any address, and the
        caller waits for the stream. None if such a copy is faster in another way.

        Parameters
        ----------
        device : Device
            The device.
        target : Operand
            An operand that is written.
        source : Operand
            An operand that is read.
        plan : Plan
            How to copy.
        """
        ...


PreparedFill = Callable[[int, Any, int, int, int], object]
"""Submits a fill; called with the address of the operand's start, a stream of the device that takes work directly, each
byte of the value if they are equal or else -1, and the 16 bytes of the value, repeated, as two integers."""


@runtime_checkable
class PreparesFills(Protocol):
    """A backend that prepares a fill once for many operands and values, which takes less time."""

    def prepare_fill(self, device: Device, target: Operand) -> PreparedFill:
        """Return a function that fills operands that differ from this one in their addresses only.

        The operand has neither swizzle nor table. Other addresses have the same remainders by 16.

        Parameters
        ----------
        device : Device
            The device.
        target : Operand
            An operand that is written.
        """
        ...
