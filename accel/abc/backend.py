"""The backend protocol: what a device must be able to do, and what it may offer besides.

A different *ability* is a protocol of its own, asked for with `isinstance`; a different *amount* is a field of
`Limits`. `accel.testing.BackendConformance` is the definition in the form of tests.
"""

import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, runtime_checkable

from accel.abc.block import Block, Span
from accel.abc.external import ExternalAllocation
from accel.abc.operand import Operand
from accel.abc.plan import Plan
from accel.abc.stream import Event, Stream
from accel.device import Device
from accel.dtypes import DType

__all__ = [
    "Backend",
    "ComputesWithin",
    "FreesInOrder",
    "KnowsAddresses",
    "Limits",
    "ReportsRaces",
    "ReportsRoom",
    "Room",
    "SupportsArrays",
    "SupportsPinning",
    "SupportsRawKernels",
    "SupportsStreamNumbers",
    "SupportsStreams",
]


class Limits(NamedTuple):
    """Amounts in which devices differ.

    Attributes
    ----------
    memory : int
        Memory of the device in bytes.
    alignment : int
        Alignment in bytes of every block that is allocated without asking for more.
    warp : int
        Threads that run in step; 1 on a CPU.
    dtypes : set of numpy.dtype
        Element types the device computes with.
    grid : tuple of three ints
        Blocks of threads that one launch may have, along each axis; one on a CPU.
    threads : int
        Threads of all blocks together that one launch may have along each axis, where that is less.
    """

    memory: int
    alignment: int
    warp: int
    dtypes: AbstractSet[DType]
    grid: tuple[int, int, int] = (1, 1, 1)
    threads: int = sys.maxsize


class Room(NamedTuple):
    """What a device can still give.

    Attributes
    ----------
    free, total : int
        Bytes that are free, and that there are in all.
    largest : int or None
        Bytes of the largest hole, which is the largest request that can be met; None where nobody knows.
    """

    free: int
    total: int
    largest: int | None = None


@runtime_checkable
class Backend(Protocol):
    """What serves the devices of one kind.

    The house calls `allocate` and `free` of one device one at a time. Errors of the library underneath are
    translated into those of `accel.errors`.
    """

    @property
    def name(self) -> str:
        """A short name, as in ``cpu``."""
        ...

    def devices(self) -> Sequence[Device]:
        """Return the devices that can be used here and now."""
        ...

    def why_unavailable(self) -> Mapping[str, str]:
        """Return, for each missing device or type of device, the reason and the remedy."""
        ...

    def limits(self, device: Device) -> Limits:
        """Return the amounts of a device."""
        ...

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return uninitialised bytes, ``nbytes`` or more of them; 0 is a valid request.

        They are aligned as `Limits.alignment` says, or as ``alignment`` asks, whichever is more. No two blocks in use
        are the same object, also where they have no bytes.

        Raises
        ------
        OutOfMemoryError
            If they cannot be had; nothing is left half done.
        """
        ...

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Take back what `allocate` gave."""
        ...

    def adopt(self, external: ExternalAllocation) -> Block:
        """Return a block over memory made elsewhere; it is never given to `free`."""
        ...

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes between two spans of equal size, of this backend or of the host; they may overlap.

        Ordered by the stream, and may return before it is done.
        """
        ...

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements of equal dtype as planned; ordered by the stream, and may return before it is done.

        Both are of this backend, or one is of the host.
        """
        ...

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element of the target to a scalar of its dtype."""
        ...

    def synchronize(self, device: Device) -> None:
        """Wait until all work on the device is done."""
        ...


@runtime_checkable
class SupportsStreams(Protocol):
    """A backend with streams of its own; one without gets the house's, whose work is done by threads."""

    def new_stream(self, device: Device) -> Stream:
        """Return a new stream on a device."""
        ...

    def default_stream(self, device: Device) -> Stream:
        """Return the stream on which a device works when none is given."""
        ...


@runtime_checkable
class FreesInOrder(Protocol):
    """A backend that lets nobody have freed bytes before the copies and fills are done that it was given on them."""

    def mark(self, stream: Stream) -> Event:
        """Return an event that is reached when all is done that a stream was given so far, or given until it is asked.

        Most such events are never asked for anything, and cost the device nothing then.
        """
        ...


@runtime_checkable
class SupportsStreamNumbers(Protocol):
    """A backend on whose platform DLPack has numbers for streams, by which libraries tell each other of theirs."""

    def hold_up(self, block: Block, number: int | None, events: Sequence[Event]) -> Sequence[Event]:
        """Let a consumer's stream use a block after some events, without blocking the host.

        What the stream is given from now on starts after them, after what the library of arrays was given on the
        stream that is current, and after the last use of those who had the bytes before.

        Parameters
        ----------
        block : Block
            What the consumer is given; its device has the stream.
        number : int, optional
            Of the stream; None is the platform's default one, and with -1 nothing is ordered.
        events : sequence of Event
            Of any device or thread.

        Returns
        -------
        sequence of Event
            Those for which no stream can wait, but the host must.

        Raises
        ------
        InterchangeError
            If DLPack forbids the number on the platform.
        """
        ...

    def consuming(self, device: Device) -> AbstractContextManager[int]:
        """Return a context in which a producer is asked for memory of a device; it gives the number to ask with.

        That is the number of the stream to which work goes without one. The device is current in the context.
        """
        ...


@runtime_checkable
class KnowsAddresses(Protocol):
    """A backend that can tell whether the host may follow an address."""

    def device_at(self, address: int) -> Device | None:
        """Return the device that has memory at an address, if the host cannot read it there; never raises."""
        ...


@runtime_checkable
class ReportsRaces(Protocol):
    """A backend that knows which work on two streams shared bytes and had no order."""

    @property
    def races(self) -> deque[str]:
        """The reports of the races seen; to be taken by whoever asks."""
        ...


@runtime_checkable
class ReportsRoom(Protocol):
    """A backend that knows how much of a device's memory is free."""

    def free_memory(self, device: Device) -> Room:
        """Return what a device can still give; others may take it before it is asked for."""
        ...


@runtime_checkable
class SupportsPinning(Protocol):
    """A backend that can lock pages of host memory, which its devices then copy at the speed of their link.

    The house calls both one at a time, and keeps what it gets in a pool.
    """

    def allocate_pinned(self, device: Device, nbytes: int) -> Block:
        """Return pinned host memory, which the host's backend can use like its own; 0 is a valid request.

        Raises
        ------
        OutOfMemoryError
            If no more can be pinned.
        """
        ...

    def free_pinned(self, device: Device, block: Block) -> None:
        """Take back what `allocate_pinned` gave."""
        ...


@runtime_checkable
class SupportsArrays(Protocol):
    """A backend whose memory a library of the array standard can compute on."""

    def namespace(self, device: Device) -> Any:
        """Return that library as a namespace of the standard."""
        ...

    def array(self, operand: Operand, keep: object) -> Any:
        """Return an array of the library on this memory that keeps an object alive, as do all views of it."""
        ...

    def root(self, array: Any) -> Any:
        """Return the array that has the memory which this array is a view of."""
        ...

    def address(self, array: Any) -> int:
        """Return the address of an array's first element."""
        ...

    def is_readonly(self, array: Any) -> bool:
        """Tell whether the library refuses to write into an array."""
        ...


@runtime_checkable
class ComputesWithin(Protocol):
    """A backend whose library of arrays must be told where it computes, and with what."""

    def computing(self, device: Device) -> Callable[..., AbstractContextManager[None]]:
        """Return what makes the context of one computation on a device.

        It is called with the library's arrays that are used, or tuples and lists of them. The functions of the
        library's namespace enter it themselves.
        """
        ...


class Executable(Protocol):
    """A kernel that is compiled for one device."""

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        arguments: tuple[Any, ...],
        *,
        shared: int,
        stream: Stream | None,
    ) -> None:
        """Start it, ordered by the stream.

        The arguments are NumPy scalars, and structures as arrays of one element, all passed by value; ``shared`` is in
        bytes, for each block of threads.

        Raises
        ------
        KernelLaunchError
            If the device refuses it.
        """
        ...


@runtime_checkable
class SupportsRawKernels(Protocol):
    """A backend that compiles kernels in the language of its devices."""

    def compile_raw(self, device: Device, source: str, kernel: str, options: tuple[str, ...]) -> Executable:
        """Compile a kernel of some source, or return what was compiled before.

        Raises
        ------
        KernelSyntaxError
            If the compiler refuses it; its message is what the compiler said.
        """
        ...
