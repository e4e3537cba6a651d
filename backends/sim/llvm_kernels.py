"""`LlvmKernels`: the modules of a kernel of numba.cuda, compiled and loaded for a device when a launch needs it."""

from accel.device import Device
from accel.errors import CapabilityError
from accel.support.kernel_coverage import CountedText

from ..cuda_on_cpu.launch.allocations import Cells
from ..cuda_on_cpu.launch.counters import Counters
from ..cuda_on_cpu.launch.module import Module
from ..cuda_on_cpu.nvvm.building import WARP, build
from ..cuda_on_cpu.nvvm.counted import counted_modules
from ..cuda_on_cpu.nvvm.modules import Source
from .device_memory import DeviceMemory
from .memory import Memory
from .raw_sources import LoadedKernel

__all__ = ["LlvmKernels"]


class LlvmKernels:
    """The modules of one kernel on one device; it stands where the source of a kernel in CUDA does.

    Parameters
    ----------
    device : Device
        The device.
    source : Source
        The modules.
    """

    def __init__(self, device: Device, source: Source) -> None:
        self._device = device
        self._source = source
        self._loaded: dict[tuple[bool, bool], LoadedKernel] = {}
        self._variables: dict[tuple[Module, str], Memory] = {}

    def loaded(self, kernel: str, warp: int, *, checked: bool, counts: bool = False) -> LoadedKernel:
        """Return the kernel, compiled with or without checks and counters of its lines.

        Raises
        ------
        CapabilityError
            If warps have another number of threads than `WARP`.
        """
        if warp != WARP:
            raise CapabilityError(
                f"numba.cuda has warps of {WARP} threads; found sim_warp={warp}: write accel.configure(sim_warp={WARP})"
            )
        loaded = self._loaded.get((checked, counts))
        if loaded is None:
            module = Module.load(build(self._source, kernel, checked=checked, counts=counts), self._device)
            cells: Cells = {}
            made = LoadedKernel(module, module.entry(kernel), cells, self._counters(module) if counts else None)
            loaded = self._loaded.setdefault((checked, counts), made)
        return loaded

    def _counters(self, module: Module) -> Counters:
        return Counters(module, CountedText("", counted_modules(self._source.texts).points))

    def variable(self, module: Module, symbol: str, space: DeviceMemory) -> Memory | None:
        """Return the memory of a variable of a module, at an address of the device; None if there is none."""
        if (module, symbol) not in self._variables:
            variable = module.symbol(symbol)
            if variable is None:
                return None
            self._variables.setdefault((module, symbol), space.mapped(variable.offset, variable.size))
        return self._variables[module, symbol]
