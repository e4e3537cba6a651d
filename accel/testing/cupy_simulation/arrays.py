"""The members of `cupy.ndarray` that arrays of `accel.xp` lack."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from math import prod
from typing import Any, NamedTuple

import numpy as np

from accel import xp
from accel.errors import CapabilityError
from accel.support.locks import open_after_fork
from accel.testing.cupy_simulation.places import current_native, visible
from accel.xp.arrays import Array

__all__ = ["MemoryPointer", "array_members", "asnumpy", "ndarray"]

_lock = open_after_fork(threading.Lock())
_users = 0


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


def _get(array: Array, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
    """Return the elements on the host; of `cupy.ndarray`."""
    return asnumpy(array, stream, order, out, blocking=blocking)


def _set(array: Array, arr: Any, stream: Any = None) -> None:
    """Set all elements from an array of the host; of `cupy.ndarray`."""
    values = np.asarray(arr, array.dtype)
    if values.shape != array.shape:
        raise ValueError(f"set() takes an array of shape {array.shape}; found one of {values.shape}")
    with nullcontext() if stream is None else stream:
        array[...] = xp.asarray(values, device=array.device)


def _data(array: Array) -> MemoryPointer:
    """Return where the elements are; of `cupy.ndarray`."""
    return MemoryPointer(array)


_MEMBERS = {"get": _get, "set": _set, "data": property(_data)}
# Arrays have descriptors under some of these names, which say what to write instead.
_EARLIER = {name: vars(Array)[name] for name in _MEMBERS if name in vars(Array)}


@contextmanager
def array_members() -> Iterator[None]:
    """Give arrays the members that those of CuPy have, as long as any block of this kind runs."""
    global _users
    with _lock:  # guards the count: the members are there as long as it is above 0
        _users += 1
        for name, member in _MEMBERS.items():
            setattr(Array, name, member)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                for name in _MEMBERS:
                    if name in _EARLIER:
                        setattr(Array, name, _EARLIER[name])
                    else:
                        delattr(Array, name)


class _Arrays(type):
    """The type of `ndarray`: arrays of `accel.xp` are its instances."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Array)


class ndarray(metaclass=_Arrays):  # noqa: N801 - CuPy's name
    """Stands for `cupy.ndarray`: ``ndarray(shape, dtype)`` makes an array, and arrays of `accel.xp` are instances."""

    def __new__(
        cls, shape: Any, dtype: Any = float, memptr: MemoryPointer | None = None, strides: Any = None, order: str = "C"
    ) -> Any:
        """Return an uninitialised array, or one on given memory."""
        visible()
        if cls is not ndarray:
            raise CapabilityError(
                f"{cls.__name__} is a subclass of cupy.ndarray, which is not simulated: results would have the type of "
                f"the array; hold the array in an attribute, or run it on a GPU"
            )
        if strides is not None or order != "C":
            raise CapabilityError("an array with given strides is not simulated; slice or reshape the array")
        if memptr is None:
            return xp.empty(shape, dtype=np.dtype(dtype))
        extents = tuple(shape) if isinstance(shape, tuple | list) else (int(shape),)
        return xp.reshape(memptr.part(prod(extents) * np.dtype(dtype).itemsize).view(np.dtype(dtype)), extents)
