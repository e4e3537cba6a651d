"""Protocols of a backend that compiles and launches kernels written in the language of its devices."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from accel.abc.raw_parameters import RawParameter
from accel.abc.stream import Stream
from accel.device import Device

__all__ = [
    "Executable",
    "PreparedLaunches",
    "PreparesLaunches",
    "SupportsRawKernels",
]


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
