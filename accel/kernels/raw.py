"""`RawKernel`: CUDA or HIP of the user's own, with arguments that are checked."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, SupportsIndex

from accel.device import Device, DeviceLike, resolve
from accel.errors import CapabilityError, DeviceMismatchError, KernelSignatureError, KernelSyntaxError
from accel.kernels.arguments import Bound, bound
from accel.kernels.grids import Extents, as_extents, blocks_over
from accel.kernels.parameters import Parameter, kernels_of, parameters_of
from accel.memory import Event, Executable, Stream, SupportsRawKernels, SupportsStreams, current_stream, heap_of
from accel.memory.work import submit_ordered

__all__ = ["RawKernel"]

_ERROR = re.compile(r"(?P<file>[^\s:()]+)[(:](?P<line>\d+)[):](?:\d+:)?\s*error:?\s*(?P<what>[^\n]*)")


class RawKernel:
    """A kernel in CUDA or HIP, compiled when first launched on a device; made by `from_source` or `from_file`.

    Its parameters are read from its own source, and each launch is checked against them: numbers are converted, and
    refused where they do not fit; memory must have the dtype, be on one device, and be writable unless the parameter
    is ``const``. A parameter ``accel::View<T, rank>`` takes strided memory and is indexed ``view(i, j)``; a bare
    pointer takes contiguous memory.

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

    def __init__(self, source: str, name: str, options: tuple[str, ...], file: str) -> None:
        self.name = name
        self.parameters: tuple[Parameter, ...] = parameters_of(source, name)
        self._source = source
        self._options = options
        self._file = file
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
        """
        return cls(source, _only_kernel(source) if name is None else name, tuple(options), "<source>")

    @classmethod
    def from_file(
        cls, path: str | PathLike[str], name: str | None = None, *, options: Sequence[str] = ()
    ) -> "RawKernel":
        """Return a kernel of a source file; see `from_source`."""
        source = Path(path).read_text(encoding="utf-8")
        return cls(source, _only_kernel(source) if name is None else name, tuple(options), fspath(path))

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

        Parameters
        ----------
        *arguments
            One for each parameter.
        grid : int or tuple of up to three ints
            How many blocks, along each axis.
        block : int or tuple of up to three ints
            How many threads a block has.
        over : int or tuple of up to three ints
            Instead of a grid: how many threads there must be at least; the last blocks may have too many.
        shared : int
            Bytes of dynamic shared memory for each block.
        stream : Stream, optional
            By default that which is current on the device, or its default stream.

        Returns
        -------
        Event
            Reached when the kernel is done; whoever reads the memory waits for it anyway.

        Raises
        ------
        KernelSignatureError, DTypeError, OverflowError, LayoutError, ReadOnlyError, DeviceMismatchError
            If an argument does not fit; nothing is launched then.
        ValueError
            If there is neither a grid nor ``over``, or one is out of range.
        KernelSyntaxError
            If the source does not compile; with file, line and text.
        CapabilityError
            If the device has no such kernels.
        """
        given = bound(self.name, self.parameters, arguments)
        device = self._device(given, stream)
        limits = heap_of(device).backend.limits(device)
        threads = as_extents(block, "block", (1024, 1024, 64))
        blocks = as_extents(blocks_over(over, threads) if grid is None else grid, "grid", limits.grid)
        executable, nbytes = self.compiled(device), index(shared)
        queue = stream or current_stream(device) or _default_stream(device)

        def launch() -> None:
            executable.launch(blocks, threads, given.values, shared=nbytes, stream=queue)

        return submit_ordered(queue, given.uses, launch)

    def compiled(self, device: DeviceLike) -> Executable:
        """Return the kernel compiled for a device: now, or before."""
        found = resolve(device)
        if found not in self._executables:
            self._executables[found] = self._compile(found)
        return self._executables[found]

    def _compile(self, device: Device) -> Executable:
        backend = heap_of(device).backend
        if not isinstance(backend, SupportsRawKernels):
            raise CapabilityError(f"{device} runs no CUDA or HIP; move the arguments, as in x.to('gpu')")
        text = f'{_prelude()}\n#line 1 "{self._file}"\n{self._source}'
        try:
            return backend.compile_raw(device, text, self.name, self._options)
        except KernelSyntaxError as error:
            self._refuse(error)

    def _refuse(self, error: KernelSyntaxError) -> NoReturn:
        """Raise what a compiler said as an error at a line of the source."""
        said = _ERROR.search(str(error))
        lines = self._source.splitlines()
        if said is None or not 0 < int(said["line"]) <= len(lines):
            raise error
        number = int(said["line"])
        place = self._file, number, 1, lines[number - 1]
        raise KernelSyntaxError(f"{self.name} does not compile: {said['what']}", place) from error

    def _device(self, given: Bound, stream: Stream | None) -> Device:
        if given.device is None:
            return resolve("gpu") if stream is None else stream.device
        if stream is not None and stream.device is not given.device:
            raise DeviceMismatchError(
                f"a stream of {stream.device} cannot run {self.name} on memory of {given.device}; write "
                f"stream=accel.new_stream('{given.device}')"
            )
        return given.device

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def __repr__(self) -> str:
        return f"<RawKernel {self}>"


def _only_kernel(source: str) -> str:
    found = kernels_of(source)
    if len(found) == 1:
        return found[0]
    raise KernelSignatureError(
        f"the source has {', '.join(found) or 'no kernel'}; write which one is meant, as in from_source(source, name)"
    )


@cache
def _prelude() -> str:
    return files("accel.kernels").joinpath("view.cuh").read_text(encoding="utf-8")


def _default_stream(device: Device) -> Stream:
    backend = heap_of(device).backend
    assert isinstance(backend, SupportsStreams), "a backend that runs kernels has streams"
    return backend.default_stream(device)
