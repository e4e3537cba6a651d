"""`RawKernel`: user-written CUDA or HIP kernels with checked arguments."""

import threading
from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any, SupportsIndex

from accel.abc import Event, Executable, Limits, Stream, SupportsRawKernels
from accel.device import Device, DeviceLike, resolve
from accel.errors import CapabilityError, DeviceMismatchError, KernelSyntaxError
from accel.kernels.grids import Dim3, Extents, as_block, as_grid, as_shared, blocks_over
from accel.kernels.launch_code import MISSED
from accel.kernels.raw.devices import checked_stream, device_of, refuse_others
from accel.kernels.raw.launcher import Configuration, Launchers
from accel.kernels.raw.parameters import Parameter, only_kernel, parameters_of
from accel.kernels.raw.signature import Signature
from accel.kernels.raw.sources import KernelSource, text_of
from accel.memory import Heap, heap_of
from accel.memory.storage_work import submit_in_order, submit_ordered
from accel.support.locks import open_after_fork

__all__ = ["RawKernel"]

_compiling = open_after_fork(threading.RLock())


class RawKernel:
    """A kernel in CUDA or HIP, compiled at its first launch on a device; made by `from_source` or `from_file`.

    The parameters are parsed from the source, and each launch is checked against them. Numbers are converted; one that
    does not fit is an error. Memory must have the dtype of the parameter, be on one device, and be writable unless the
    parameter is ``const``. A parameter ``accel::View<T, rank>`` takes strided memory and is indexed ``view(i, j)``; a
    bare pointer takes contiguous memory, and a pointer to vectors such as ``float4`` memory of their scalars.

    Threads may share a kernel. It is pickled as its source.

    Parameters
    ----------
    source : str
        The text.
    options : sequence of str
        Options of the compiler.
    file : str
        The file of the text, for messages.
    cooperative : bool, default False
        Whether all blocks of a launch run at once.

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

    Attributes
    ----------
    name : str
        Name of the kernel.
    parameters : tuple of Parameter
        Its parameters.
    """

    __slots__ = (
        "_cooperative",
        "_executables",
        "_launchers",
        "_options",
        "_signature",
        "_source",
        "name",
        "parameters",
    )

    def __init__(
        self, source: str, name: str | None, options: Sequence[str], file: str, cooperative: bool = False
    ) -> None:
        self.name: str = only_kernel(source) if name is None else name
        self.parameters: tuple[Parameter, ...] = parameters_of(source, self.name)
        self._signature = Signature(self.name, self.parameters)
        self._source = KernelSource(source, file)
        self._options = _as_options(options)
        self._cooperative = bool(cooperative)
        self._executables: dict[Device, Executable] = {}
        self._launchers = Launchers(self.name, self.parameters, self._checked)

    @classmethod
    def from_source(
        cls,
        source: str,
        name: str | None = None,
        *,
        options: Sequence[str] = (),
        enable_cooperative_groups: bool = False,
    ) -> "RawKernel":
        """Return a kernel of a source.

        Parameters
        ----------
        source : str
            CUDA or HIP with ``extern "C" __global__ void name(...)``.
        name : str, optional
            Name of the kernel; optional if the source has only one.
        options : sequence of str
            Options for the compiler, as in ``-DWIDTH=4``.
        enable_cooperative_groups : bool
            Launch all blocks at once, so that they may wait for each other by
            ``cooperative_groups::this_grid().sync()``. More blocks than the device runs at once are refused.

        Raises
        ------
        KernelSignatureError
            If the source does not have the kernel, or a parameter has a type that is not supported.
        TypeError
            If the options are not a sequence of str.
        """
        return cls(source, name, options, "<source>", enable_cooperative_groups)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        name: str | None = None,
        *,
        options: Sequence[str] = (),
        enable_cooperative_groups: bool = False,
    ) -> "RawKernel":
        """Return a kernel of a source file; see `from_source`.

        Parameters
        ----------
        path : str or PathLike[str]
            The file.
        name : str, optional
            The name of the kernel.
        options : sequence of str, default ()
            Options of the compiler.
        enable_cooperative_groups : bool, default False
            Whether all blocks of a launch run at once.
        """
        return cls(text_of(path), name, options, fspath(path), enable_cooperative_groups)

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

        It starts after all pending uses of its memory, also those on other streams and by the host.

        Parameters
        ----------
        *arguments
            One for each parameter.
        grid : int or tuple of up to three ints
            Number of blocks along each axis, x first.
        block : int or tuple of up to three ints
            Number of threads of a block along each axis; 1024 in total at most.
        over : int or tuple of up to three ints
            Instead of a grid: the least number of threads along each axis. The last blocks may have more threads. With
            an extent of 0, nothing is launched.
        shared : int
            Bytes of dynamic shared memory for each block; more than the device has is a KernelLaunchError.
        stream : Stream, optional
            By default the current stream of the device, or its default stream. A kernel without memory runs on the
            device of the stream, or on the first GPU.

        Returns
        -------
        Event
            Complete when the kernel is done. Reads of the memory wait for it by themselves. It is recorded when it is
            first asked for, and then also covers what the stream was given meanwhile; ``stream.record()`` right after
            the launch does not.

        Raises
        ------
        KernelSignatureError, DTypeError, OverflowError, LayoutError, ReadOnlyError, DeviceMismatchError
            If an argument does not fit. Nothing is launched, as for all other errors.
        ValueError
            If neither or both of ``grid`` and ``over`` are given, or a number is out of range.
        KernelSyntaxError
            If the source does not compile; with file, line and text.
        KernelLaunchError
            If the device refuses the launch.
        CapabilityError
            If the device does not run CUDA or HIP, or launches no cooperative kernels.
        """
        configuration = grid, over, block, shared
        for launch_in_order in self._launchers.functions:
            result = launch_in_order(arguments, configuration, stream)
            if result is not MISSED:
                return result  # type: ignore[no-any-return]
        bound = self._signature.bind(arguments)
        device = bound.device or device_of(self.name, stream)
        executable = self._executables.get(device)
        if executable is None:
            refuse_others(self.name, device, arguments)
            executable = self.compiled(device)
        queue = self._queue(device, stream)
        heap = heap_of(device)
        blocks, threads, nbytes = self._extents(configuration, heap)

        def launch() -> None:
            executable.launch(
                blocks, threads, bound.values, shared=nbytes, stream=stream, cooperative=self._cooperative
            )

        if 0 in blocks:
            return submit_ordered(queue, bound.uses, _nothing)
        event = submit_in_order(heap, queue, bound.uses, launch) or submit_ordered(queue, bound.uses, launch)
        if not self._cooperative:
            self._launchers.add(heap, executable, arguments)
        return event

    def compiled(self, device: DeviceLike) -> Executable:
        """Return the kernel compiled for a device, compiling it the first time.

        Parameters
        ----------
        device : Device or str
            The device.

        Raises
        ------
        KernelSyntaxError
            If the source does not compile; with file, line and text.
        CapabilityError
            If the device does not run CUDA or HIP.
        """
        target = resolve(device)
        executable = self._executables.get(target)
        if executable is None:
            with _compiling:  # another thread may have compiled it meanwhile
                executable = self._executables.get(target) or self._compile(target)
                self._executables[target] = executable
        return executable

    def _checked(self, configuration: Configuration, arguments: Sequence[Any], heap: Heap) -> tuple[Dim3, Dim3, int]:
        self._signature.bind(arguments)
        return self._extents(configuration, heap)

    def _extents(self, configuration: Configuration, heap: Heap) -> tuple[Dim3, Dim3, int]:
        """Return the blocks, the threads of a block, and the bytes of shared memory."""
        grid, over, block, shared = configuration
        threads = as_block(block)
        return self._blocks(heap.backend.limits(heap.device), grid, over, threads), threads, as_shared(shared)

    def _compile(self, device: Device) -> Executable:
        backend = heap_of(device).backend
        if not isinstance(backend, SupportsRawKernels):
            raise CapabilityError(f"{device} runs no CUDA or HIP; name a device that does, as in compiled('sim')")
        try:
            return backend.compile_raw(device, self._source.unit, self.name, self._options, self.parameters)
        except KernelSyntaxError as error:
            raise self._source.located_error(self.name, error) from None

    def _queue(self, device: Device, stream: Stream | None) -> Stream:
        if stream is None:
            current = heap_of(device).stream
            assert current is not None, "a backend that runs kernels has streams"
            return current
        if checked_stream(stream, device).device is not device:
            raise DeviceMismatchError(
                f"{stream!r} cannot run {self.name} on memory of {device}; write stream=accel.new_stream('{device}')"
            )
        return stream

    def _blocks(self, limits: Limits, grid: Extents | None, over: Extents | None, block: Dim3) -> Dim3:
        if grid is not None and over is None:
            return as_grid(grid, block, limits)
        if over is not None and grid is None:
            return blocks_over(over, block, limits)
        raise ValueError(
            f"a launch of {self.name} needs either over or grid: write over=threads, as in over=x.size, or grid=blocks"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._source.text, self.name, self._options, self._source.file, self._cooperative)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def __repr__(self) -> str:
        return f"<RawKernel {self}>"

    def _repr_html_(self) -> str:
        from accel.pictures.html import card, source

        about = f"({', '.join(map(str, self.parameters))})"
        options = [f"with {' '.join(self._options)}"] if self._options else []
        return card(self.name, " ".join([about, *options]), source(self._source.text))


def _nothing() -> None:
    pass


def _as_options(options: Sequence[str]) -> tuple[str, ...]:
    texts = tuple(options)
    if isinstance(options, str) or not all(isinstance(option, str) for option in texts):
        raise TypeError(f"options are a sequence of str; found {options!r}: write options=['-DWIDTH=4']")
    return texts
