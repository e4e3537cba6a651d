"""Protocols of memory, streams and threads that a backend may implement besides `Backend`.

Accel finds them with `isinstance`, as those of `accel.abc.arrays`, `raw_kernels`, `kernels`, `direct` and `graphs`.
Each one is an ability of its own. What differs between devices only in its amount is a field of `Limits`.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

from accel.abc.block import Block
from accel.abc.stream import Event, Stream
from accel.device import Device

__all__ = [
    "AllocatesCleared",
    "FreesInOrder",
    "KnowsAddresses",
    "ReportsRaces",
    "ReportsRoom",
    "Room",
    "SharesWork",
    "SupportsPinning",
    "SupportsStreamNumbers",
    "SupportsStreams",
    "Trims",
]


@runtime_checkable
class SupportsStreams(Protocol):
    """A backend with streams of its own. For a backend without, accel runs the work of a stream in a thread."""

    def new_stream(self, device: Device) -> Stream:
        """Return a new stream on a device.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...

    def default_stream(self, device: Device) -> Stream:
        """Return the stream that a device uses when no stream is given; always the same object.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class AllocatesCleared(Protocol):
    """A backend that clears memory at its allocation. For a backend without, accel fills new memory like any other."""

    def allocate_cleared(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a new block as `Backend.allocate` does, whose first ``nbytes`` bytes are 0.

        All work that the backend is given on the block finds them cleared, on every stream, and in the order of a
        stream that `SupportsStreamNumbers` names: accel records no event after the clearing.

        Parameters
        ----------
        device : Device
            The device.
        nbytes : int
            The size in bytes.
        alignment : int
            What the address is a multiple of.
        stream : Stream, optional
            The stream that uses the block first; None for the host.
        """
        ...


@runtime_checkable
class FreesInOrder(Protocol):
    """A backend that reuses freed bytes only after the copies, fills and launches that it was given on them.

    So accel frees a block while such work is in flight, without waiting. It also records no event after such work,
    as long as only one stream uses the memory: an event that is recorded later comes after the work too.
    """

    def mark(self, stream: Stream) -> Event | None:
        """Return an event after the work submitted to a stream so far; None if an event recorded later will do.

        It is None if the device has the work already. Where a thread of the host has yet to submit the work, the work
        may also fail there, and only this event knows.

        Parameters
        ----------
        stream : Stream
            The stream.
        """
        ...

    def use(self, block: Block, stream: Stream) -> None:
        """Let a stream use a block from now on: its bytes are reused only after the work that the stream gets.

        Copies and fills do so themselves. Accel calls it before it launches a kernel.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream
            The stream.
        """
        ...


@runtime_checkable
class SupportsStreamNumbers(Protocol):
    """A backend whose platform has DLPack stream numbers, with which libraries name their streams to each other."""

    def hold_up(self, block: Block, number: int | None, events: Sequence[Event]) -> Sequence[Event]:
        """Let a consumer's stream wait for events before it uses a block, without blocking the host.

        What the stream is given from now on also starts after the work that the array library has submitted to its
        current stream, and after the last use of the bytes by their previous owners.

        Parameters
        ----------
        block : Block
            The memory that the consumer is given; the stream is on its device.
        number : int, optional
            Number of the consumer's stream; None means the default stream of the platform, and -1 means that no order
            is needed.
        events : sequence of Event
            Events of any device or thread.

        Returns
        -------
        sequence of Event
            The events for which no stream can wait. The host must wait for them.

        Raises
        ------
        InterchangeError
            If DLPack does not allow the number on this platform.
        """
        ...

    def consuming(self, device: Device) -> AbstractContextManager[int]:
        """Return a context in which accel asks a producer for memory of a device; it yields a stream number.

        The producer is given that number. It names the stream that gets the work for which no stream is given. The
        device is the current one inside the context.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class KnowsAddresses(Protocol):
    """A backend that can tell whether the host may read at an address."""

    def device_at(self, address: int) -> Device | None:
        """Return the device whose memory is at an address; None if the host can read it. Never raises.

        Parameters
        ----------
        address : int
            The address.
        """
        ...


@runtime_checkable
class ReportsRaces(Protocol):
    """A backend that detects races: work on two streams that uses the same bytes in no order."""

    @property
    def races(self) -> deque[str]:
        """Reports of the races seen so far; a reader removes those that it has handled."""
        ...


class Room(NamedTuple):
    """Free memory of a device.

    Attributes
    ----------
    free, total : int
        Free bytes, and all bytes of the device.
    largest : int or None
        Bytes of the largest free range, which bounds the next request; None if unknown.
    """

    free: int
    total: int
    largest: int | None = None


@runtime_checkable
class ReportsRoom(Protocol):
    """A backend that knows how much memory of a device is free."""

    def free_memory(self, device: Device) -> Room:
        """Return the free memory of a device; other processes may take it before the next request.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class Trims(Protocol):
    """A backend, or another allocator, that keeps freed blocks to give them out again."""

    def trim(self) -> int:
        """Free the blocks that are kept and not in use; returns how many bytes."""
        ...


@runtime_checkable
class SharesWork(Protocol):
    """A backend of the host that has threads for large computations."""

    def share(self, task: Callable[[int], object], count: int, *, whole: bool = False) -> bool:
        """Call a task with the numbers from 0 to ``count``, in several threads at once, and return when all are done.

        With ``whole``, the calls are made also after an interrupt of the caller, which is raised at the end.

        Returns False, with nothing called, if the caller has to do it alone: there is one thread, or others use them.
        Raises what a call raised, once no thread is in a call any more.

        Parameters
        ----------
        task : callable
            What is called with a number.
        count : int
            How many numbers.
        whole : bool, default False
            Whether the task may also be called once for all numbers.
        """
        ...


@runtime_checkable
class SupportsPinning(Protocol):
    """A backend that can pin host memory (lock its pages), so that its devices copy it at the speed of their link.

    Accel calls these two one at a time, and keeps freed blocks in a pool.
    """

    def allocate_pinned(self, device: Device, nbytes: int) -> Block:
        """Return pinned host memory, which the backend of the host can use like its own; 0 is a valid size.

        Parameters
        ----------
        device : Device
            The device.
        nbytes : int
            The size in bytes.

        Raises
        ------
        OutOfMemoryError
            If no more memory can be pinned.
        """
        ...

    def free_pinned(self, device: Device, block: Block) -> None:
        """Take back a block of `allocate_pinned`.

        Parameters
        ----------
        device : Device
            The device.
        block : Block
            The block.
        """
        ...
