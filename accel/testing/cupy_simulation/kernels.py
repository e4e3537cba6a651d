"""`RawKernel` and `RawModule` as in CuPy, on a simulated device."""

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from accel.abc import Event, Executable, Pointer, Stream, SupportsRawKernels
from accel.config import current
from accel.device import Device
from accel.errors import AccelError, KernelLaunchError, KernelSignatureError
from accel.kernels.grids import as_block, as_grid
from accel.kernels.parameters import parameters_of
from accel.kernels.sources import KernelSource
from accel.memory import heap_of
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.xp.arrays import Array

__all__ = ["RawKernel", "RawModule"]

_AT_ONCE = 64
_SPELLED = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
"""How CuPy passes Python's numbers."""


class _InFlight:
    """The arrays of launches that may not have run: dropping an array after a launch is right with CuPy."""

    def __init__(self) -> None:
        self._launches: deque[tuple[Event, Sequence[Any]]] = deque()

    def keep(self, event: Event, arrays: Sequence[Any]) -> None:
        """Keep arrays alive until an event is reached, at least."""
        self._launches.append((event, arrays))
        while len(self._launches) > _AT_ONCE:
            event, _ = self._launches.popleft()
            event.wait()


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

    Raises
    ------
    KernelSyntaxError
        When it is first launched or compiled, if the source does not compile.
    """

    max_threads_per_block = 1024
    const_size_bytes = shared_size_bytes = local_size_bytes = num_regs = 0

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
    ) -> None:
        self.code, self.name, self.options, self.backend = code, name, tuple(options), backend
        self._source = KernelSource(code, file)
        self._cooperative = enable_cooperative_groups
        self._executables: dict[Device, Executable] = {}
        self._in_flight = _InFlight()

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
        """Compile the kernel for the current device."""
        self._executable(Device(current().device))

    def _executable(self, device: Device) -> Executable:
        if device not in self._executables:
            backend = heap_of(device).backend
            assert isinstance(backend, SupportsRawKernels), "the device is simulated"
            name = self._source.file.replace("\\", r"\\").replace('"', r"\"")
            try:
                parameters = parameters_of(self.code, self.name)
            except KernelSignatureError:  # of a template, or with types of its own
                parameters = ()
            try:
                made = backend.compile_raw(
                    device, f'#line 1 "{name}"\n{self.code}', self.name, self.options, parameters
                )
            except SyntaxError as error:
                raise self._source.located_error(self.name, error) from None  # type: ignore[arg-type]
            self._executables[device] = made
        return self._executables[device]

    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch the kernel on a stream, by default the current one, and return at once.

        Arrays and `MemoryPointer` are passed as addresses, NumPy scalars by their dtype, and Python numbers as 8 bytes.

        Raises
        ------
        KernelLaunchError
            If the arguments do not have the sizes of the parameters, or the grid or block is too large.
        """
        arrays = [each.array if isinstance(each, MemoryPointer) else each for each in args]
        arrays = [each for each in arrays if isinstance(each, Array)]
        device = arrays[0].device if arrays else Device(current().device)
        executable, heap = self._executable(device), heap_of(device)
        threads = as_block(tuple(map(int, block)))
        blocks = as_grid(tuple(map(int, grid)), threads, heap.backend.limits(device))
        queue: Stream | None = getattr(stream, "native", stream) or heap.stream
        assert queue is not None, "a simulated device has streams"
        values = tuple(map(_argument, args))
        try:
            self._launch(executable, blocks, threads, values, int(shared_mem), queue)
        except KernelLaunchError as error:
            raise self._explained(error, args) from None
        self._in_flight.keep(queue.record(), arrays)

    def _launch(self, executable: Any, grid: Any, block: Any, values: Any, shared: int, queue: Stream) -> None:
        further = {"cooperative": True} if self._cooperative else {}
        executable.launch(grid, block, values, shared=shared, stream=queue, **further)

    def _explained(self, error: AccelError, args: Sequence[Any]) -> AccelError:
        """Add what to write to an error, if Python numbers are among the arguments."""
        numbers = [each for each in args if type(each) in (int, float)]
        if not numbers or "bytes" not in str(error):
            return error
        kind = "float32" if isinstance(numbers[0], float) else "int32"
        return type(error)(
            f"{error}; CuPy passes numbers of Python as 8 bytes, and would pass the wrong bytes here: write "
            f"np.{kind}({numbers[0]!r})"
        )

    def __repr__(self) -> str:
        return f"<RawKernel {self.name} on a simulated device>"


def _argument(value: Any) -> Any:
    """Return an argument as the executable takes it."""
    if isinstance(value, MemoryPointer):
        value = value.array
    if isinstance(value, Array):
        operand = value.__accel_operand__()
        steps = zip(operand.extents, operand.strides, strict=True)
        last = sum((extent - 1) * stride for extent, stride in steps if stride > 0)
        return Pointer.to(operand.address, last + operand.dtype.itemsize if value.size else 0)
    if value is None:
        return Pointer.to(0, 0)
    kind = _SPELLED.get(type(value))
    if kind is not None:
        return kind(value)
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.size == 1):
        return value
    raise TypeError(
        f"a kernel takes arrays of cupy, NumPy's scalars and Python's numbers; found {type(value).__name__}: write "
        f"cupy.asarray(x) for an array of the host"
    )


class RawModule:
    """Kernels of one source, as that of CuPy.

    Parameters
    ----------
    code, path : str
        The source, or its file.
    options, name_expressions : sequence of str
        Options for the compiler; the expressions of the instances of templates that `get_function` returns.
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
        self.code = Path(str(path)).read_text(encoding="utf-8") if code is None else code
        self.file_path, self.options, self.backend = path, tuple(options), backend
        self.name_expressions = name_expressions
        self._cooperative = enable_cooperative_groups
        self._functions: dict[str, RawKernel] = {}

    def compile(self, log_stream: Any = None) -> None:
        """Compile the expressions of the module; other kernels are compiled by `get_function`."""
        for name in self.name_expressions or ():
            self.get_function(name)

    def get_function(self, name: str) -> RawKernel:
        """Return a kernel, compiled."""
        if name not in self._functions:
            made = RawKernel(
                self.code,
                name,
                self.options,
                enable_cooperative_groups=self._cooperative,
                file=self.file_path or "<source>",
            )
            made.compile()
            self._functions[name] = made
        return self._functions[name]

    def get_global(self, name: str) -> Any:
        """Refuse: the variables of a module are not on the simulated device."""
        raise NotImplementedError(
            f"get_global({name!r}) is not simulated: give the kernel the values of {name} as an array"
        )
