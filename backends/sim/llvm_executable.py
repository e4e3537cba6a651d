"""`LlvmExecutable`: a kernel of numba.cuda for a simulated device, which runs as one in CUDA does."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from accel import config
from accel.abc import Pointer
from accel.device import Device
from accel.errors import KernelLaunchError

from ..cuda_on_cpu.nvvm.modules import Parameter, Source
from .launcher import Launcher
from .llvm_kernels import LlvmKernels
from .memory import Memory
from .raw_executable import MemoryArgument, SimRawExecutable
from .regions import Region

__all__ = ["LlvmExecutable"]

_DTYPES = {
    "i1": "?",
    **{f"i{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    "half": "f2",
    "float": "f4",
    "double": "f8",
    "ptr": "u8",
}
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
        self._kinds = source.parameters
        self._arrays = _arrays(source.parameters)
        self.constant_size, self.local_size = source.constant_size, source.local_size

    def converted(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments of a launch, of Python and ctypes, as numbers with the bytes of the parameters."""
        if len(arguments) != len(self._kinds):
            raise KernelLaunchError(
                f"{self._kernel} takes {len(self._kinds)} values, which are the members of its arguments; found "
                f"{len(arguments)}"
            )
        return tuple(_number(parameter.kind, value) for parameter, value in zip(self._kinds, arguments, strict=True))

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

    def _values(self, arguments: Sequence[Any]) -> "tuple[MemoryArgument | np.generic | np.ndarray[Any, Any], ...]":
        values = [
            self._value(place, value) if parameter.kind == "ptr" else value
            for place, (parameter, value) in enumerate(zip(self._kinds, arguments, strict=True))
        ]
        for place, (name, rank) in self._arrays.items():
            numbers = [int(each) for each in arguments[place - 1 : place + 1 + 2 * rank]]
            itemsize, address, shape, strides = numbers[0], numbers[1], numbers[2 : 2 + rank], numbers[2 + rank :]
            values[place] = self._array(name, address, tuple(shape), tuple(strides), itemsize)
        return tuple(values)

    def _array(
        self, name: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
    ) -> MemoryArgument:
        region = Region.at(address, shape, strides, itemsize)
        size = region.high - region.low
        memory = self._launcher.memory_at(region.low, size) if size > 0 else None
        if memory is None and size > 0:
            raise KernelLaunchError(
                f"the array {name} of {self._kernel} has {size} bytes at {region.low:#x}, which no simulated device "
                f"has; pass memory that is not released"
            )
        return MemoryArgument(name, np.uint64(address), memory, region, writable=True)

    def _value(self, place: int, value: Any) -> "MemoryArgument | np.generic | np.ndarray[Any, Any]":
        """Return memory for an address: all that is there, as no type says how much is meant."""
        memory = self._launcher.memory_at(int(value), 1) if int(value) else None
        if memory is None:
            number: np.generic = value
            return number
        size = memory.pointer + memory.nbytes - int(value)
        region = Region.at(int(value), (size,), (1,), 1)
        return MemoryArgument(self._kinds[place].name, Pointer.to(int(value), size), memory, region, writable=True)


def _number(kind: str, value: Any) -> Any:
    dtype = np.dtype(_DTYPES[kind])
    if isinstance(value, ctypes._SimpleCData):
        return (
            np.frombuffer(bytes(value), dtype)[0] if ctypes.sizeof(value) == dtype.itemsize else dtype.type(value.value)
        )
    if dtype.kind in "iu":
        return np.frombuffer(int(value).to_bytes(dtype.itemsize, "little", signed=int(value) < 0), dtype)[0]
    return dtype.type(value)


def _arrays(parameters: Sequence[Parameter]) -> dict[int, tuple[str, int]]:
    """Return the arrays among the parameters, by the place of their address: their names and ranks."""
    arrays, names = {}, [each.name for each in parameters]
    for place, parameter in enumerate(parameters):
        base, _, member = parameter.name.rpartition(".")
        if parameter.kind == "ptr" and member == str(_DATA) and place >= _DATA:
            members = [f"{base}.{number}" for number in range(_DATA)]
            rank = sum(name.startswith(f"{base}.{_DATA + 1}.") for name in names)
            if names[place - _DATA : place] == members:
                arrays[place] = base, rank
    return arrays
