"""`Kernels`: a user's source, compiled and loaded for a device when a launch needs it."""

from typing import NamedTuple, Protocol

from accel.device import Device
from accel.errors import KernelLaunchError
from accel.support.kernel_coverage import CountedText

from ..cuda_on_cpu.build.building import build_with, kernel_names
from ..cuda_on_cpu.launch.allocations import Cells
from ..cuda_on_cpu.launch.counters import Counters
from ..cuda_on_cpu.launch.module import Entry, Module
from .device_memory import DeviceMemory
from .memory import Memory

__all__ = ["Kernels", "LoadedKernel", "Loads", "refuse_cooperative"]

_STATIC = 48 * 1024
_SHARED = {32: 227 * 1024, 64: 64 * 1024}
"""Bytes of shared memory that a block can have: on NVIDIA's GPUs since Hopper, and on AMD's."""
_PROCESSORS, _THREADS, _BLOCKS, _RESERVED = 8, 2048, 32, 1024
"""Multiprocessors; threads, blocks, and reserved bytes of shared memory for each block, of one of them."""


class LoadedKernel(NamedTuple):
    """A kernel in the memory of a device.

    Attributes
    ----------
    module, entry : Module, Entry
        The module, and the kernel in it.
    cells : dict
        The shadows of the module's variables.
    counters : Counters or None
        Those of its lines, if it was compiled with them.
    """

    module: Module
    entry: Entry
    cells: Cells
    counters: Counters | None = None

    def refuse_shared(self, kernel: str, shared: int, warp: int) -> None:
        """Raise `KernelLaunchError` if a block cannot have so much dynamic shared memory."""
        static, most = sum(each.size for each in self.module.shared), _SHARED[warp]
        if shared and static + shared > most:
            raise KernelLaunchError(
                f"{kernel} was launched with {shared} bytes of dynamic shared memory, and has {static} bytes of its "
                f"own; a block has at most {most}: use smaller blocks, or keep less in shared memory"
            )


class Loads(Protocol):
    """Where kernels of one device come from: a source in CUDA, or what another compiler has made."""

    def loaded(self, kernel: str, warp: int, *, checked: bool, counts: bool = False) -> LoadedKernel:
        """Return a kernel, compiled for a width of warps, with or without checks and counters of its lines."""
        ...


class Kernels:
    """A source on one device. The modules of a source are shared by its kernels, and so are its variables.

    Parameters
    ----------
    device : Device
        The device.
    source : str
        CUDA or HIP.
    options : tuple of str
        For the compiler.
    instances : tuple of str
        Expressions of instances of templates, which share the variables with the other kernels.
    """

    def __init__(self, device: Device, source: str, options: tuple[str, ...], instances: tuple[str, ...] = ()) -> None:
        self._device = device
        self._source = source
        self._options = options
        self._instances = instances
        self._variables: dict[tuple[Module, str], Memory] = {}
        self._cells: dict[Module, Cells] = {}
        self._counters: dict[Module, Counters] = {}
        self._loaded: dict[tuple[str, int, bool, bool], LoadedKernel] = {}

    def loaded(self, kernel: str, warp: int, *, checked: bool, counts: bool = False) -> LoadedKernel:
        """Return a kernel, compiled for a width of warps, with or without checks and counters of its lines.

        Raises
        ------
        KernelSyntaxError
            If the source does not compile.
        KernelLaunchError
            If it has more shared memory than a block can have.
        """
        key = kernel, warp, checked, counts
        loaded = self._loaded.get(key)
        if loaded is None:
            built = build_with(
                kernel,
                self._source,
                instances=self._instances,
                options=self._options,
                warp=warp,
                checked=checked,
                counts=counts,
            )
            module = Module.load(built, self._device)
            for variable in module.shared:
                _refuse_static(kernel, variable.name, variable.size)
            cells = self._cells.setdefault(module, {})
            counters = self._counters_of(module) if counts else None
            loaded = self._loaded.setdefault(key, LoadedKernel(module, module.entry(kernel), cells, counters))
        return loaded

    def _counters_of(self, module: Module) -> Counters:
        """Return the counters of a module, which its kernels share."""
        if module not in self._counters:
            from ..cuda_on_cpu.text.counted import counted  # other launches need none of it

            text = CountedText(self._source, counted(self._source).points)
            self._counters.setdefault(module, Counters(module, text))
        return self._counters[module]

    def variable(self, name: str, space: DeviceMemory, warp: int, *, checked: bool, counts: bool = False) -> Memory:
        """Return the memory of a ``__device__`` or ``__constant__`` variable, at an address of the device.

        Raises
        ------
        KernelLaunchError
            If the source has no kernel, or no such variable.
        """
        names = kernel_names(self._source, self._instances)
        if not names:
            raise KernelLaunchError(f"a source without kernels has no variable {name}; name the instances of templates")
        module = self.loaded(names[0], warp, checked=checked, counts=counts).module
        if (module, name) not in self._variables:
            variable = next((each for each in module.globals if each.name == name.rpartition("::")[2]), None)
            if variable is None:
                variables = ", ".join(each.name for each in module.globals) or "none"
                raise KernelLaunchError(
                    f"there is no __device__ or __constant__ variable {name}; there are: {variables}"
                )
            self._variables.setdefault((module, name), space.mapped(variable.offset, variable.size))
        return self._variables[module, name]


def refuse_cooperative(kernel: str, blocks: int, threads: int, shared: int, warp: int) -> None:
    """Raise `KernelLaunchError` if a device cannot run so many blocks at once."""
    by_threads = _THREADS // (-(-threads // warp) * warp)
    by_shared = (_SHARED[warp] + _RESERVED) // (shared + _RESERVED)
    most = _PROCESSORS * min(by_threads, by_shared, _BLOCKS)
    if blocks > most:
        raise KernelLaunchError(
            f"{kernel} was launched cooperatively with {blocks} blocks of {threads} threads, which must run at once; a "
            f"simulated device runs {most} of them: use a smaller grid, and let each thread do more"
        )


def _refuse_static(kernel: str, name: str, nbytes: int) -> None:
    if nbytes > _STATIC:
        raise KernelLaunchError(
            f"{kernel} is in a source with {name}, {nbytes} bytes of __shared__ memory; {_STATIC} are possible: write "
            f"extern __shared__ and launch it with shared={nbytes}"
        )
