"""`RawKernel` and `RawModule` as in CuPy, on a simulated device."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from accel.abc import Executable, Stream
from accel.device import Device
from accel.errors import AccelError, KernelLaunchError, KernelSignatureError, KernelSyntaxError
from accel.kernels.grids import as_block, as_grid
from accel.kernels.raw.parameters import Parameter, parameters_of
from accel.kernels.raw.sources import KernelSource
from accel.memory import heap_of
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.testing.cupy_simulation.launch_arguments import arrays_in, passed
from accel.testing.cupy_simulation.places import current_device, current_native, giving
from accel.xp.array_library import library_on
from accel.xp.arrays import wrap

__all__ = ["RawKernel", "RawModule"]

_HEADERS = {
    "cupy/complex.cuh": "accel_sim/cupy_complex.h",
    "cupy/carray.cuh": "accel_sim/cupy_arrays.h",
    "cupy/float16.cuh": "accel_sim/cupy_float16.h",
}
"""What kernels include of CuPy, and what stands for it."""


class RawKernel:
    """A kernel in CUDA or HIP, called as that of CuPy: ``kernel(grid, block, arguments, shared_mem=0, stream=None)``.

    Parameters
    ----------
    code, name : str
        The source, and the name of the kernel in it; the expression of an instance of a template is a name too.
    options : sequence of str
        Options for the compiler.
    backend, translate_cucomplex, enable_cooperative_groups, jitify
        As in CuPy; the simulated device needs only ``enable_cooperative_groups``.
    """

    const_size_bytes = shared_size_bytes = local_size_bytes = num_regs = 0
    max_threads_per_block = 1024
    max_dynamic_shared_size_bytes = 48 * 1024
    preferred_shared_memory_carveout = -1
    binary_version = ptx_version = 90
    cache_mode_ca = 0

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        *,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
        file: str = "<source>",
        instances: Sequence[str] = (),
        parameters: Sequence[Parameter] | None = None,
    ) -> None:
        self.code: str = code
        self.name: str = name
        self.options: tuple[str, ...] = tuple(options)
        self.backend: str = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self.file_path: str | None = None if file == "<source>" else file
        self._source = KernelSource(code, file)
        self._instances = {"instances": tuple(instances)} if instances else {}
        self._parameters = _parsed(code, name) if parameters is None else tuple(parameters)
        self._executables: dict[Device, Executable] = {}

    @property
    def kernel(self) -> "RawKernel":
        """The kernel itself, compiled."""
        self.compile()
        return self

    @property
    def attributes(self) -> Mapping[str, int]:
        """What is known of the kernel."""
        names = ("max_threads_per_block", "const_size_bytes", "shared_size_bytes", "local_size_bytes", "num_regs")
        return {name: getattr(self, name) for name in names}

    def compile(self, log_stream: Any = None) -> None:
        """Compile the kernel for the current device.

        Raises
        ------
        KernelSyntaxError
            If the source does not compile.
        """
        self._executable(current_device())

    def _executable(self, device: Device) -> Executable:
        executable = self._executables.get(device)
        if executable is None:
            backend: Any = heap_of(device).backend
            unit = _unit(self._source)
            try:
                executable = backend.compile_raw(
                    device, unit, self.name, self.options, self._parameters, **self._instances
                )
            except KernelSyntaxError as error:
                raise self._source.located_error(self.name, error) from None
            executable = self._executables.setdefault(device, executable)
        return executable

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch the kernel on a stream, by default the current one, and return at once.

        Arrays and `MemoryPointer` are passed as addresses, NumPy scalars by their dtype, and Python numbers as 8 bytes.

        Raises
        ------
        KernelLaunchError
            If the kernel would read other bytes than those of an argument, or the grid or block is too large.
        KernelSyntaxError
            If the source does not compile.
        """
        device = next((array.device for array in arrays_in(args)), None) or current_device()
        executable, heap = self._executable(device), heap_of(device)
        threads = as_block(tuple(map(int, block)))
        blocks = as_grid(tuple(map(int, grid)), threads, heap.backend.limits(device))
        values = tuple(passed(self.name, *pair) for pair in zip_longest(self._parameters[: len(args)], args))
        queue: Stream = current_native(device) if stream is None else stream.native
        try:
            self._launch(executable, blocks, threads, values, int(shared_mem), queue)
        except KernelLaunchError as error:
            raise _explained(error, args) from None

    def _launch(self, executable: Any, grid: Any, block: Any, values: Any, shared: int, queue: Stream) -> None:
        further = {"cooperative": True} if self.enable_cooperative_groups else {}
        with giving(queue):
            executable.launch(grid, block, values, shared=shared, stream=queue, **further)

    def __repr__(self) -> str:
        return f"<RawKernel {self.name} on a simulated device>"


def _unit(source: KernelSource) -> str:
    """Return what is compiled: without the views of accel, and with the lines of the file."""
    name = source.file.replace("\\", r"\\").replace('"', r"\"")
    text = source.text
    for header, here in _HEADERS.items():
        text = text.replace(header, here)
    return f'#line 1 "{name}"\n{text}'


def _parsed(code: str, name: str) -> tuple[Parameter, ...]:
    try:
        return parameters_of(code, name)
    except KernelSignatureError:  # of a template, or with types of its own
        return ()


def _explained(error: AccelError, args: Sequence[Any]) -> AccelError:
    """Add what to write to an error, if Python numbers are among the arguments."""
    numbers = [each for each in args if type(each) in (int, float)]
    if not numbers or "bytes; found" not in str(error):
        return error
    kind = "float32" if isinstance(numbers[0], float) else "int32"
    return type(error)(
        f"{error}; CuPy passes numbers of Python as 8 bytes, and would pass the wrong bytes here: write "
        f"np.{kind}({numbers[0]!r})"
    )


class RawModule:
    """Kernels of one source, as that of CuPy.

    Parameters
    ----------
    code, path : str
        The source, or its file.
    options, name_expressions : sequence of str
        Options for the compiler; the expressions of the instances of templates that `get_function` returns.

    Raises
    ------
    TypeError
        If neither or both of code and path are given.
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("RawModule takes either code or path: the source, or the file that has it")
        self.code: str = Path(str(path)).read_text(encoding="utf-8") if code is None else code
        self.file_path: str | None = path
        self.options: tuple[str, ...] = tuple(options)
        self.backend: str = backend
        self.name_expressions = name_expressions
        self._instances = tuple(name_expressions or ())
        self.enable_cooperative_groups = enable_cooperative_groups
        self._functions: dict[str, RawKernel] = {}

    def compile(self, log_stream: Any = None) -> None:
        """Compile the expressions of the module; other kernels are compiled by `get_function`."""
        for name in self.name_expressions or ():
            self.get_function(name)

    def get_function(self, name: str) -> RawKernel:
        """Return a kernel, compiled.

        Raises
        ------
        KernelSyntaxError
            If the source does not compile.
        """
        function = self._functions.get(name)
        if function is None:
            kernel = RawKernel(
                self.code,
                name,
                self.options,
                enable_cooperative_groups=self.enable_cooperative_groups,
                file=self.file_path or "<source>",
                instances=self._instances,
            )
            kernel.compile()
            function = self._functions.setdefault(name, kernel)
        return function

    def get_global(self, name: str) -> MemoryPointer:
        """Return where a ``__device__`` or ``__constant__`` variable is on the current device.

        Raises
        ------
        KernelLaunchError
            If the source has no such variable.
        """
        device = current_device()
        backend: Any = heap_of(device).backend
        unit = _unit(KernelSource(self.code, self.file_path or "<source>"))
        return MemoryPointer(
            wrap(library_on(device), backend.raw_variable(device, unit, name, self.options, self._instances))
        )
