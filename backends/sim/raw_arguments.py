"""The arguments of a launch of a user's kernel: which of them are memory, and the same with addresses on the host."""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..cuda_on_cpu.launch.allocations import Argument
from ..cuda_on_cpu.launch.execution import Arguments
from .memory import Memory
from .regions import Region

__all__ = ["MemoryArgument", "NumPyValues", "Values"]


class MemoryArgument(NamedTuple):
    """An argument that begins with an address.

    Attributes
    ----------
    name : str
        Name of the parameter; empty if it is not known.
    memory : Memory or None
        The memory; None for an address of nothing.
    region : Region
        The part of it that the kernel may use by this argument.
    writable : bool
        Whether the kernel may write it.
    dtype : NumPy dtype or None
        The type of its elements, if it is known.
    """

    name: str
    memory: Memory | None
    region: Region
    writable: bool
    dtype: "np.dtype[Any] | None" = None

    def on_host(self, address: int) -> int:
        """Return the address on the host for a simulated one; raises `ReleasedError` if the memory was released."""
        if self.memory is None:
            return address
        self.memory.refuse_freed()
        return address - self.memory.pointer + self.memory.host

    @property
    def argument(self) -> Argument | None:
        """The argument as reports name it; None for an address of nothing."""
        if self.memory is None:
            return None
        host = self.region.low - self.memory.pointer + self.memory.host
        return Argument(self.name, host, self.region.high - self.region.low)


class Values(Protocol):
    """The arguments of a launch."""

    @property
    def memory(self) -> Sequence[MemoryArgument]:
        """Those that are memory."""
        ...

    def on_host(self) -> Arguments:
        """Return all, with addresses on the host; raises `ReleasedError` if memory was released."""
        ...


class NumPyValues(NamedTuple):
    """Scalars and arrays of NumPy, of which some begin with an address."""

    values: "Sequence[np.generic | np.ndarray[Any, Any]]"
    known: Sequence[MemoryArgument | None]

    @property
    def memory(self) -> Sequence[MemoryArgument]:
        """Those that are memory."""
        return [each for each in self.known if each is not None]

    def on_host(self) -> Arguments:
        """Return all, with addresses on the host."""
        pairs = zip(self.values, self.known, strict=True)
        return Arguments.of([value if memory is None else _moved(value, memory) for value, memory in pairs])


def _moved(value: "np.generic | np.ndarray[Any, Any]", memory: MemoryArgument) -> "np.ndarray[Any, Any]":
    data = bytearray(value.tobytes())
    data[:8] = memory.on_host(int.from_bytes(data[:8], sys.byteorder)).to_bytes(8, sys.byteorder)
    return np.frombuffer(data, np.uint8)
