"""Protocols that a backend may implement besides `Backend`; accel finds them with `isinstance`.

Each one is an ability of its own. What differs between devices only in its amount is a field of `Limits`.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from accel.abc.block import Block
from accel.abc.operand import Operand
from accel.abc.raw_parameters import RawParameter
from accel.abc.stream import Event, Stream
from accel.device import Device

__all__ = [
    "AllocatesCleared",
    "ComputesDirectly",
    "ComputesWithin",
    "Executable",
    "FreesInOrder",
    "KnowsAddresses",
    "OrdersArrays",
    "PreparedLaunches",
    "PreparesLaunches",
    "ReportsRaces",
    "ReportsRoom",
    "ReusesMemory",
    "Room",
    "SharesWork",
    "SupportsArrays",
    "SupportsPinning",
    "SupportsRawKernels",
    "SupportsSpecial",
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
class ReusesMemory(Protocol):
    """A backend that gives large arrays the memory of earlier ones, which costs less than new memory of the system."""

    smallest_reused: int
    """Bytes of the smallest array that it gives such memory."""

    def empty_array(self, shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"]) -> Any:
        """Return an array with uninitialised elements, or None if the library should allocate it.

        Raises `MemoryError` if there is no memory.

        Parameters
        ----------
        shape : tuple of int
            The shape.
        dtype : Any
            The dtype of the elements.
        order : {"C", "F"}
            C's or Fortran's.
        """
        ...

    def reusable_bytes(self, device: Device) -> int:
        """Return the bytes that are kept for later requests.

        Parameters
        ----------
        device : Device
            The device.
        """
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


@runtime_checkable
class SupportsArrays(Protocol):
    """A backend whose memory a library of the array API standard can compute on."""

    def namespace(self, device: Device) -> Any:
        """Return the namespace of that library, as the array API standard defines it.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...

    def array(self, operand: Operand, keep: object) -> Any:
        """Return an array of the library on the memory of an operand; it and its views keep an object alive.

        Parameters
        ----------
        operand : Operand
            Where the elements are.
        keep : object
            The object.
        """
        ...

    def root(self, array: Any) -> Any:
        """Return the array that owns the memory of a view; an array that is no view is its own root.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...

    def address(self, array: Any) -> int:
        """Return the address of the first element of an array.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...

    def is_readonly(self, array: Any) -> bool:
        """Tell whether an array is not to be written to: it, or one that it is a view of, is on a read-only operand.

        The library may refuse more arrays, such as broadcast ones. It need not refuse by itself to write to them.

        Parameters
        ----------
        array : Any
            An array of the library.
        """
        ...


@runtime_checkable
class SupportsSpecial(Protocol):
    """A backend with `SupportsArrays` whose library also has special functions, such as the error function."""

    def special(self, device: Device) -> Any:
        """Return a namespace of functions of the library's arrays, with the names and the arguments of `scipy.special`.

        Parameters
        ----------
        device : Device
            The device.

        Raises
        ------
        CapabilityError
            If the library that has them is not installed.
        """
        ...


@runtime_checkable
class ComputesWithin(Protocol):
    """A backend whose array library needs a context around each computation, for example the current device."""

    def computing(self, device: Device) -> Callable[..., AbstractContextManager[None]]:
        """Return a function that makes the context of one computation on a device.

        It is called with the arrays of the library that the computation uses, or with tuples and lists of them. The
        functions of the library's namespace enter the context themselves.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class ComputesDirectly(Protocol):
    """What `ComputesWithin.computing` returns, if a computation often needs no context: that takes less time."""

    def compute(self, function: Callable[..., Any], /, *operands: Any, **keywords: Any) -> Any:
        """Call a function of the library: in the context of its operands, or at once if it needs none.

        Parameters
        ----------
        function : callable
            The function.
        *operands : Any
            Its arguments by position.
        **keywords
            Its keywords.
        """
        ...

    def stream(self) -> Stream | None:
        """Return the stream on which the library computes now; None if that is none of accel's."""
        ...

    def queue(self, *operands: Any) -> Any | None:
        """Return where the library computes now, for `empty` and for `ComputesArrays`; None if the context is needed.

        The operands are the arrays that the computation uses: their memory is reused after it.

        Parameters
        ----------
        *operands : Any
            The arrays of the computation.
        """
        ...

    def empty(self, shape: tuple[int, ...], dtype: Any, queue: Any) -> Any:
        """Return an array of the library in C order with uninitialised elements, for a computation in a queue.

        Parameters
        ----------
        shape : tuple of int
            The shape.
        dtype : Any
            The dtype of the elements.
        queue : Any
            Where the library computes.

        Raises
        ------
        OutOfMemoryError
            If there is not enough memory.
        """
        ...


@runtime_checkable
class OrdersArrays(Protocol):
    """A backend with `FreesInOrder` whose library of arrays reuses memory in stream order too."""

    def block_of(self, device: Device, array: Any) -> tuple[Block, object] | None:
        """Return the memory of an array that is no view, as a block that `Backend.free` takes, and what identifies it.

        Arrays on the same memory have the same identity, which they keep alive. None if it is not known when
        the library reuses the memory. To free the block leaves the memory to the library: it reuses the memory once no
        array is left on it, and after all work that was ordered by the block.

        Parameters
        ----------
        device : Device
            The device.
        array : Any
            An array of the library.
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
        cooperative: bool = False,
    ) -> None:
        """Start the kernel, ordered by the stream.

        Parameters
        ----------
        grid, block : tuple of three ints
            Number of blocks, and of threads in each block, along each axis.
        arguments : tuple
            NumPy scalars, and structures as arrays of one element; all are passed by value.
        shared : int
            Bytes of shared memory for each block of threads.
        stream : Stream, optional
            A stream of the device.
        cooperative : bool
            All blocks run at once, and may wait for each other.

        Raises
        ------
        KernelLaunchError
            If the device refuses the launch, as one of more blocks than it runs at once, if they are to.
        CapabilityError
            If the device has no cooperative launches.
        """
        ...


class PreparedLaunches(Protocol):
    """Launches of one kernel whose arguments are in memory already, to be overwritten for each launch."""

    @property
    def memory(self) -> Any:
        """A writable buffer: the arguments, each at its offset. Whoever writes there holds the gate of the device."""
        ...

    def launcher(self, grid: tuple[int, int, int], block: tuple[int, int, int], shared: int) -> Callable[[Any], bool]:
        """Return a function that starts the kernel at once on a stream of the device; ``memory`` is free on return.

        The function returns False, with nothing started, if the stream waits for the host. Otherwise as
        `Executable.launch`.

        Parameters
        ----------
        grid : tuple of int
            The blocks along each axis.
        block : tuple of int
            The threads of a block along each axis.
        shared : int
            The bytes of shared memory.
        """
        ...


@runtime_checkable
class PreparesLaunches(Protocol):
    """An `Executable` that can be launched with arguments that are in memory already, which takes less time."""

    def prepare(self, offsets: Sequence[int], nbytes: int) -> PreparedLaunches:
        """Return launches, and memory of ``nbytes`` bytes for their arguments at some offsets.

        Parameters
        ----------
        offsets : sequence of int
            Where each argument is in the memory.
        nbytes : int
            The bytes of all arguments.
        """
        ...


@runtime_checkable
class SupportsRawKernels(Protocol):
    """A backend that compiles kernels written in the language of its devices."""

    def compile_raw(
        self,
        device: Device,
        source: str,
        kernel: str,
        options: tuple[str, ...],
        parameters: Sequence[RawParameter] = (),
    ) -> Executable:
        """Return a kernel of some source, compiled now or before.

        The parameters are for backends that check kernels.

        Parameters
        ----------
        device : Device
            The device.
        source : str
            The text.
        kernel : str
            The name of the kernel.
        options : tuple of str
            Options of the compiler.
        parameters : sequence of RawParameter, default ()
            What the parameters are.

        Raises
        ------
        KernelSyntaxError
            If the compiler refuses the source; the message is the compiler's.
        """
        ...
