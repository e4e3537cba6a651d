"""`RawKernel`: CUDA or HIP of the user's own, with arguments that are checked."""

import threading
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsIndex

from accel.abc import Event, Executable, Limits, Stream, SupportsRawKernels
from accel.abc.stream import is_stream
from accel.device import Device, DeviceLike, resolve
from accel.errors import CapabilityError, DeviceMismatchError, KernelSyntaxError
from accel.kernels.arguments import Signature
from accel.kernels.grids import Extents, Three, as_block, as_grid, as_shared, blocks_over
from accel.kernels.parameters import Parameter, only_kernel, parameters_of
from accel.kernels.sources import KernelSource
from accel.locks import open_after_fork
from accel.memory import heap_of
from accel.memory.submission import submit_ordered

__all__ = ["RawKernel"]

_compiling = open_after_fork(threading.RLock())


class RawKernel:
    """A kernel in CUDA or HIP, compiled when first launched on a device; made by `from_source` or `from_file`.

    Its parameters are read from its own source, and each launch is checked against them: numbers are converted, and
    refused where they do not fit; memory must have the dtype, be on one device, and be writable unless the parameter
    is ``const``. A parameter ``accel::View<T, rank>`` takes strided memory and is indexed ``view(i, j)``; a bare
    pointer takes contiguous memory.

    Threads may share a kernel. A pickle has its source.

    Attributes
    ----------
    name : str
        Name of the kernel.
    parameters : tuple of Parameter
        What it takes.

    Examples
    --------
    >>> import accel
    >>> scale = accel.RawKernel.from_source(
    ...     '''
    ...     extern "C" __global__ void scale(accel::View<float, 1> view, float factor) {
    ...         long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    ...         if (i < view.extents[0]) view(i) *= factor;
    ...     }
    ...     '''
    ... )
    >>> print(scale)
    scale(View<float32, 1> view, float32 factor)
    >>> scale(c, 2.0, over=c.size)  # doctest: +SKIP
    """

    __slots__ = ("_executables", "_options", "_signature", "_source", "name", "parameters")

    def __init__(self, source: str, name: str | None, options: Sequence[str], file: str) -> None:
        self.name = only_kernel(source) if name is None else name
        self.parameters: tuple[Parameter, ...] = parameters_of(source, self.name)
        self._signature = Signature(self.name, self.parameters)
        self._source = KernelSource(source, file)
        self._options = _several(options)
        self._executables: dict[Device, Executable] = {}

    @classmethod
    def from_source(cls, source: str, name: str | None = None, *, options: Sequence[str] = ()) -> "RawKernel":
        """Return a kernel of some source.

        Parameters
        ----------
        source : str
            CUDA or HIP with ``extern "C" __global__ void name(...)``.
        name : str, optional
            Which kernel; may be left out where there is only one.
        options : sequence of str
            For the compiler, as in ``-DWIDTH=4``.

        Raises
        ------
        KernelSignatureError
            If the kernel is not there, or a parameter has a type that no argument can be checked against.
        TypeError
            If the options are no sequence of text.
        """
        return cls(source, name, options, "<source>")

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], name: str | None = None, *, options: Sequence[str] = ()
    ) -> "RawKernel":
        """Return a kernel of a source file; see `from_source`."""
        return cls(Path(path).read_text(encoding="utf-8"), name, options, fspath(path))

    def __call__(
        self,
        *arguments: Any,
        grid: Extents | None = None,
        block: Extents = 256,
        over: Extents | None = None,
        shared: SupportsIndex = 0,
        stream: Stream | None = None,
    ) -> Event:
        """Launch the kernel on the device of its memory, and return at once.

        It starts after what its memory is still used for, also on other streams and by the host.

        Parameters
        ----------
        *arguments
            One for each parameter.
        grid : int or tuple of up to three ints
            How many blocks, along each axis, x first.
        block : int or tuple of up to three ints
            How many threads a block has; 1024 at most.
        over : int or tuple of up to three ints
            Instead of a grid: how many threads there must be at least; the last blocks may have too many. Over nothing
            there is no launch.
        shared : int
            Bytes of dynamic shared memory for each block; more than a device has is a KernelLaunchError.
        stream : Stream, optional
            By default that which is current on the device, or its default stream; with one the event also knows when
            the kernel began. A kernel without memory runs on its device, or on the first GPU.

        Returns
        -------
        Event
            Reached when the kernel is done; whoever reads the memory waits for it anyway.

        Raises
        ------
        KernelSignatureError, DTypeError, OverflowError, LayoutError, ReadOnlyError, DeviceMismatchError
            If an argument does not fit; nothing is launched then, as for all other errors.
        ValueError
            If there is neither a grid nor ``over``, or both, or one of the numbers is out of range.
        KernelSyntaxError
            If the source does not compile; with file, line and text.
        KernelLaunchError
            If the device refuses the launch.
        CapabilityError
            If the device has no such kernels.
        """
        given = self._signature.bound(arguments)
        device = given.device or resolve("gpu" if stream is None else _checked(stream).device)
        executable = self._executables.get(device) or self.compiled(device)
        queue = self._queue(device, stream)
        threads = as_block(block)
        blocks, nbytes = self._blocks(heap_of(device).backend.limits(device), grid, over, threads), as_shared(shared)

        def launch() -> None:
            if 0 not in blocks:
                executable.launch(blocks, threads, given.values, shared=nbytes, stream=stream)

        return submit_ordered(queue, given.uses, launch)

    def compiled(self, device: DeviceLike) -> Executable:
        """Return the kernel compiled for a device: now, or before.

        Raises
        ------
        KernelSyntaxError
            If the source does not compile; with file, line and text.
        CapabilityError
            If the device has no such kernels.
        """
        found = resolve(device)
        executable = self._executables.get(found)
        if executable is None:
            with _compiling:  # another thread may have been first
                executable = self._executables.get(found) or self._compile(found)
                self._executables[found] = executable
        return executable

    def _compile(self, device: Device) -> Executable:
        backend = heap_of(device).backend
        if not isinstance(backend, SupportsRawKernels):
            raise CapabilityError(f"{device} runs no CUDA or HIP; move the arguments of {self.name}, as in x.to('gpu')")
        try:
            return backend.compile_raw(device, self._source.unit, self.name, self._options)
        except KernelSyntaxError as error:
            raise self._source.refused(self.name, error) from None

    def _queue(self, device: Device, stream: Stream | None) -> Stream:
        if stream is None:
            found = heap_of(device).stream
            assert found is not None, "a backend that runs kernels has streams"
            return found
        if _checked(stream).device is not device:
            raise DeviceMismatchError(
                f"{stream!r} cannot run {self.name} on memory of {device}; write stream=accel.new_stream('{device}')"
            )
        return stream

    def _blocks(self, limits: Limits, grid: Extents | None, over: Extents | None, block: Three) -> Three:
        if grid is not None and over is None:
            return as_grid(grid, block, limits)
        if over is not None and grid is None:
            return blocks_over(over, block, limits)
        raise ValueError(
            f"a launch of {self.name} has one extent: write over=threads, as in over=x.size, or grid=blocks"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._source.text, self.name, self._options, self._source.file)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def __repr__(self) -> str:
        return f"<RawKernel {self}>"


def _checked(stream: Stream) -> Stream:
    if not is_stream(stream):
        raise TypeError(f"{stream!r} is no stream of accel; write stream=accel.new_stream(device)")
    return stream


def _several(options: Sequence[str]) -> tuple[str, ...]:
    found = tuple(options)
    if isinstance(options, str) or not all(isinstance(option, str) for option in found):
        raise TypeError(f"options are a sequence of str; found {options!r}: write options=['-DWIDTH=4']")
    return found
