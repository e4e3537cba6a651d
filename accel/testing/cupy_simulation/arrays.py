"""Where the elements of arrays are, and copies of them on the host, as in CuPy."""

import ctypes
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.places import current_native, number_of
from accel.xp.arrays import Array

__all__ = ["MemoryPointer", "asnumpy", "missing"]


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

    @property
    def device(self) -> Any:
        """The device of the memory."""
        return self.array.device

    @property
    def device_id(self) -> int:
        """The number of the device."""
        return number_of(self.array.device)

    def copy_from_device(self, src: "MemoryPointer", size: int) -> None:
        """Copy bytes of a device here."""
        self.part(size)[...] = src.part(size).to_device(self.array.device)

    def copy_from_host(self, mem: Any, size: int) -> None:
        """Copy bytes from an address of the host here."""
        self.part(size)[...] = xp.asarray(_bytes_at(mem, size), device=self.array.device)

    def copy_from(self, mem: Any, size: int) -> None:
        """Copy bytes of a device, or from an address of the host."""
        (self.copy_from_device if isinstance(mem, MemoryPointer) else self.copy_from_host)(mem, size)

    def copy_to_host(self, mem: Any, size: int) -> None:
        """Copy bytes from here to an address of the host."""
        _bytes_at(mem, size)[...] = asnumpy(self.part(size))

    def memset(self, value: int, size: int) -> None:
        """Set bytes to a value."""
        self.part(size)[...] = value

    def copy_from_device_async(self, src: "MemoryPointer", size: int, stream: Any = None) -> None:
        """Copy bytes of a device here, on a stream."""
        with nullcontext() if stream is None else stream:
            self.copy_from_device(src, size)

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes from an address of the host here, on a stream."""
        with nullcontext() if stream is None else stream:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes of a device or of the host here, on a stream."""
        with nullcontext() if stream is None else stream:
            self.copy_from(mem, size)

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        """Copy bytes from here to an address of the host; here, at once."""
        with nullcontext() if stream is None else stream:
            self.copy_to_host(mem, size)

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        """Set bytes to a value, on a stream."""
        with nullcontext() if stream is None else stream:
            self.memset(value, size)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.MemoryPointer", name, "use the array, as in x[...] = y and x.get()")

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


def _bytes_at(place: Any, nbytes: int) -> Any:
    """Return bytes of the host, at an address or a `ctypes.c_void_p`."""
    address = getattr(place, "value", None) or getattr(place, "ptr", place)
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(int(address)))


def missing(owner: str, name: str, instead: str) -> AttributeError:
    """Return the error for a name that is not simulated; other protocols ask for names with underscores."""
    return AttributeError(name if name.startswith("__") else f"{owner}.{name} is not simulated; {instead}", name=name)


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
