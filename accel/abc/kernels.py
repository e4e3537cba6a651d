"""`SupportsKernels`: a backend that compiles kernels written in Python, from their typed form."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from accel.abc.stream import Stream
from accel.device import Device

if TYPE_CHECKING:  # most programs compile no kernels
    from accel.ir import Program

__all__ = [
    "ChecksThreads",
    "CompiledKernel",
    "ComputesArrays",
    "Failure",
    "NeedsCompiler",
    "PreparesCalls",
    "PreparesForms",
    "SupportsKernels",
]


class Failure(NamedTuple):
    """The first failed check of a launch in debug mode.

    Attributes
    ----------
    site : int
        Number in `Program.sites`.
    iteration : int
        Number of the iteration of the parallel loop; with an explicit grid, of the thread in the grid.
    axis : int
        The axis whose index is out of range.
    at, extent, offset : int
        The index, its extent, and the offset of the guard.
    failures : int
        How many checks failed in all.
    """

    site: int
    iteration: int
    axis: int
    at: int
    extent: int
    offset: int
    failures: int


class CompiledKernel(Protocol):
    """A program that is compiled for one device. Threads may launch it at once."""

    def launch(
        self,
        arguments: Sequence[Any],
        *,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        stream: Stream | None,
        explain: Callable[[Failure], Exception],
    ) -> Callable[[], tuple[Any, ...]] | None:
        """Run the steps in order, ordered by the stream.

        Parameters
        ----------
        arguments : sequence of int, float or complex
            For a view its address, then its extents, then its strides in elements; for a number the number, which fits
            the parameter's type.
        grid, block : tuple of three ints
            The blocks and the threads of a block, for a program with an explicit grid; others ignore them.
        stream : Stream, optional
            As for all methods of the backend.

        explain : callable
            Makes the error of a failed check. The error is raised where the launch is waited for: by this method, if
            the work is done when it returns.

        Returns
        -------
        callable or None
            Waits until the kernel is done, and returns the results as NumPy scalars; None for a program without any.

        Raises
        ------
        KernelLaunchError
            If the device refuses the launch; nothing was started.
        """
        ...


@runtime_checkable
class PreparesCalls(Protocol):
    """A compiled kernel of the host that has a faster way to be launched."""

    def prepared(self, *, arrays: bool = False) -> Callable[..., bool] | None:
        """Return a function that runs the kernel in the caller's thread; None if there is none for this kernel.

        Its arguments are given by position: whether the launch must be brief, the number of threads, and the numbers
        that `CompiledKernel.launch` takes; for ``arrays``, in the place of each address an array of NumPy, and how many
        bytes the address is behind that of its first element. A brief launch lets no other thread of Python run
        meanwhile. The function returns whether the kernel was run: a launch that must be brief, and might not be, is
        refused. A kernel with results, checks or an explicit grid has no such function.

        Parameters
        ----------
        arrays : bool, default False
            The arguments that are arrays.
        """
        ...


@runtime_checkable
class PreparesForms(Protocol):
    """A compiled kernel of a device that has a faster way to be launched in order."""

    def launcher(
        self, arguments: Sequence[Any], grid: tuple[int, int, int], block: tuple[int, int, int]
    ) -> Callable[..., bool] | None:
        """Return a function that starts the kernel at once, on memory of the same extents and strides as these.

        Its arguments are a stream of the device, and for each parameter its address or its number. It returns False,
        with nothing started, if the stream waits for the host. The caller holds the gate of the device. A kernel with
        results or checks, or one that needs memory of its own, has no such function.

        Parameters
        ----------
        arguments, grid, block
            As for `CompiledKernel.launch`; the addresses do not matter.
        """
        ...


@runtime_checkable
class ComputesArrays(Protocol):
    """A compiled kernel of a device that can run as a function of the array library does."""

    def computation(
        self, forms: Sequence[tuple[int, ...]], explain: Callable[[Failure], Exception]
    ) -> Callable[[Sequence[int], Sequence[Any], Any], object] | None:
        """Return a function that runs the kernel on arrays of certain forms; None if there is none for this kernel.

        The function takes the address of each view, the numbers, and a queue of `ComputesDirectly`. It may be None;
        then the function is called in the context of `ComputesWithin`.
        Its work is ordered as the work of the array library's functions: after the earlier work of the current stream.

        Parameters
        ----------
        forms : sequence of tuple of int
            For each view its extents, then its strides in elements. The loops depend on these, and on no numbers.
        explain : callable
            Makes the error of a failed check, as for `CompiledKernel.launch`; the function raises it.
        """
        ...


@runtime_checkable
class SupportsKernels(Protocol):
    """A backend that compiles programs."""

    @property
    def languages(self) -> Sequence[str]:
        """The languages of `kernel_source`; where two backends write the same one, `Kernel.inspect` asks the first."""
        ...

    def compile_kernel(self, device: Device, program: "Program") -> CompiledKernel:
        """Return a program compiled for a device.

        Parameters
        ----------
        device : Device
            The device.
        program : Program
            The program.

        Raises
        ------
        CapabilityError
            If the device cannot run it, for example because it lacks a dtype.
        """
        ...

    def kernel_source(self, program: "Program", language: str) -> str:
        """Return the source text that is compiled for a program, in one of the languages. No device is needed.

        Parameters
        ----------
        program : Program
            The program.
        language : str
            The language, such as ``"cuda"``.
        """
        ...


@runtime_checkable
class NeedsCompiler(Protocol):
    """A backend whose kernels are compiled, at least where they are to be fast, by something that may be missing."""

    def missing_compiler(self, device: Device) -> str | None:
        """Return what to do for a compiler, as in ``write pip install llvmlite``; None if it is there.

        Functions of `accel.fuse` run unfused where it is missing.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...


@runtime_checkable
class ChecksThreads(Protocol):
    """A backend that checks the accesses and the barriers of the threads of an explicit grid.

    Programs with an explicit grid have guards on its devices also outside of debug mode, so that it knows the lines.
    """

    def checks_threads(self, device: Device) -> bool:
        """Return whether it does so on a device.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...
