"""Where the elements of arrays are, and copies of them on the host, as in CuPy."""

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.places import current_native
from accel.xp.arrays import Array

__all__ = ["MemoryPointer", "asnumpy"]


class MemoryPointer(NamedTuple):
    """A place in the memory of an array, as ``ndarray.data``.

    Attributes
    ----------
    array : Array
        The array.
    offset : int
        Bytes from its first element.
    """

    array: Array
    offset: int = 0

    @property
    def ptr(self) -> int:
        """The simulated address."""
        address: int = self.array.__accel_operand__().address
        return address + self.offset

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, nbytes: int) -> "MemoryPointer":  # type: ignore[override]
        return MemoryPointer(self.array, self.offset + nbytes)

    def part(self, nbytes: int) -> Array:
        """Return bytes from here on as an array that shares them.

        Raises
        ------
        ValueError
            If the memory has fewer.
        """
        flat = xp.asarray(self.array.storage)
        whole: Array = flat.view(np.uint8)
        start = self.ptr - MemoryPointer(flat).ptr
        if start < 0 or start + nbytes > whole.size:
            raise ValueError(f"{nbytes} bytes were asked for at byte {start} of memory of {whole.size} bytes")
        return whole[start : start + nbytes]


def asnumpy(x: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True) -> Any:
    """Return the elements on the host, as `cupy.asnumpy` does; it always waits, also for kernels that failed."""
    if isinstance(x, Array):
        with nullcontext() if stream is None else stream:
            current_native(x.device).synchronize()
            x = x.to_device("cpu")
    values = np.array(x, order=order)  # type: ignore[call-overload]
    if out is None:
        return values
    out[...] = values
    return out
