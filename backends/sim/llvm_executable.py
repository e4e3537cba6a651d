"""`LlvmExecutable`: a kernel of numba.cuda for a simulated device, which runs as one in CUDA does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from accel import config
from accel.device import Device
from accel.errors import KernelLaunchError

from ..cuda_on_cpu.launch.execution import Arguments
from ..cuda_on_cpu.nvvm.modules import Parameter, Source
from .launcher import Launcher
from .llvm_kernels import LlvmKernels
from .memory import Memory
from .packing import Packing
from .raw_arguments import MemoryArgument, Values
from .raw_executable import SimRawExecutable
from .regions import Region

__all__ = ["LlvmExecutable"]

_DATA = 4
"""The place of the address among the members of an array, before its extents and strides."""


class LlvmExecutable(SimRawExecutable):
    """A kernel for one simulated device. Its parameters are the members of arrays and tuples, one by one.

    Attributes
    ----------
    constant_size, local_size : int
        Bytes of its constant arrays, and of the local ones of a thread.

    Parameters
    ----------
    device : Device
        The device.
    launcher : Launcher
        The backend.
    source : Source
        The modules.
    name : str
        What reports call it.
    rename : callable
        Returns the symbol that something has in the modules, by the one that numba-cuda gave it.
    """

    def __init__(
        self, device: Device, launcher: Launcher, source: Source, name: str, rename: Callable[[str], str]
    ) -> None:
        self._of_device = LlvmKernels(device, source)
        super().__init__(device, launcher, self._of_device, name)
        self._rename = rename
        self._names = [each.name for each in source.parameters]
        self._packing = Packing([each.kind for each in source.parameters])
        self._addresses = _addresses(source.parameters)
        for place, rank in self._addresses:
            if rank is not None:
                self._names[place] = self._names[place].rpartition(".")[0]
        self.constant_size, self.local_size = source.constant_size, source.local_size

    def converted(self, arguments: Sequence[Any]) -> bytes:
        """Return the arguments of a launch, of Python and ctypes, as the bytes of the parameters."""
        if len(arguments) != len(self._names):
            raise KernelLaunchError(
                f"{self._kernel} takes {len(self._names)} values, which are the members of its arguments; found "
                f"{len(arguments)}"
            )
        return self._packing.packed(arguments)

    @property
    def shared_size(self) -> int:
        """The bytes of its own variables in shared memory."""
        return sum(each.size for each in self._loaded(config.current()).module.shared)

    def variable(self, name: str) -> Memory | None:
        """Return a variable in the memory of the device, as launches have it with the settings of now.

        It is known by the name that numba-cuda gave it; None if there is none.
        """
        module, space = self._loaded(config.current()).module, self._launcher.spaces[self._device.index]
        return self._of_device.variable(module, self._rename(name), space)

    def _words(self) -> Mapping[str, str]:
        from ..cuda_on_cpu.findings.words import OF_NUMBA  # only reports need it

        return OF_NUMBA

    def _sizes(self, arguments: bytes) -> tuple[int, ...]:
        return self._packing.sizes

    def _values(self, arguments: bytes) -> Values:
        numbers = self._packing.numbers(arguments)
        memory = [
            (place, self._pointed(place, numbers[place]) if rank is None else self._array(place, rank, numbers))
            for place, rank in self._addresses
            if rank is not None or numbers[place]
        ]
        used = [(place, numbers[place], each) for place, each in memory if each is not None]
        return _Packed(self._packing, arguments, used)

    def _array(self, place: int, rank: int, numbers: tuple[int, ...]) -> MemoryArgument:
        itemsize, address = numbers[place - 1], numbers[place]
        shape, strides = numbers[place + 1 : place + 1 + rank], numbers[place + 1 + rank : place + 1 + 2 * rank]
        region, name = Region.at(address, shape, strides, itemsize), self._names[place]
        size = region.high - region.low
        memory = self._launcher.memory_at(region.low, size) if size > 0 else None
        if memory is None and size > 0:
            raise KernelLaunchError(
                f"the array {name} of {self._kernel} has {size} bytes at {region.low:#x}, which no simulated device "
                f"has; pass memory that is not released"
            )
        return MemoryArgument(name, memory, region, writable=True)

    def _pointed(self, place: int, address: int) -> MemoryArgument | None:
        """Return memory for an address: all that is there, as no type says how much is meant."""
        memory = self._launcher.memory_at(address, 1)
        if memory is None:
            return None
        region = Region.at(address, (memory.pointer + memory.nbytes - address,), (1,), 1)
        return MemoryArgument(self._names[place], memory, region, writable=True)


class _Packed(NamedTuple):
    """The bytes of the arguments of a launch, and which of them are addresses of memory: places, addresses, memory."""

    packing: Packing
    content: bytes
    used: Sequence[tuple[int, int, MemoryArgument]]

    @property
    def memory(self) -> Sequence[MemoryArgument]:
        return [memory for _, _, memory in self.used]

    def on_host(self) -> Arguments:
        return self.packing.arguments(
            self.content, [(place, memory.on_host(address)) for place, address, memory in self.used]
        )


def _addresses(parameters: Sequence[Parameter]) -> Sequence[tuple[int, int | None]]:
    """Return the places of the parameters that are addresses, and the ranks of the arrays that begin there."""
    ranks, names = {}, [each.name for each in parameters]
    for place, parameter in enumerate(parameters):
        base, _, member = parameter.name.rpartition(".")
        if parameter.kind == "ptr" and member == str(_DATA) and place >= _DATA:
            members = [f"{base}.{number}" for number in range(_DATA)]
            if names[place - _DATA : place] == members:
                ranks[place] = sum(name.startswith(f"{base}.{_DATA + 1}.") for name in names)
    return [(place, ranks.get(place)) for place, each in enumerate(parameters) if each.kind == "ptr"]
