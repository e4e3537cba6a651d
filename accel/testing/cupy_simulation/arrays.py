"""What arrays of `accel.xp` lack of `cupy.ndarray`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import accel.xp as xp
from accel.locks import open_after_fork
from accel.xp.arrays import Array

__all__ = ["MemoryPointer", "array_members", "asnumpy", "ndarray"]

_lock = open_after_fork(threading.Lock())
_users = 0


class MemoryPointer(NamedTuple):
    """What `ndarray.data` is: an address, with the array whose memory is there.

    Attributes
    ----------
    ptr : int
        The simulated address.
    array : Array
        The array.
    """

    ptr: int
    array: Array


def asnumpy(x: Any, stream: Any = None, order: str = "C", out: Any = None, *, blocking: bool = True) -> Any:
    """Return the elements on the host, as `cupy.asnumpy` does; it always waits."""
    values = np.array(x.to_device("cpu") if isinstance(x, Array) else x, order=order)  # type: ignore[call-overload]
    if out is None:
        return values
    out[...] = values
    return out


def _get(array: Array, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
    """Return the elements on the host; of `cupy.ndarray`."""
    return asnumpy(array, stream, order, out, blocking=blocking)


def _set(array: Array, values: Any, stream: Any = None) -> None:
    """Set all elements from an array of the host; of `cupy.ndarray`."""
    array[...] = xp.asarray(np.asarray(values, array.dtype), device=array.device)


def _data(array: Array) -> MemoryPointer:
    """Return where the elements are; of `cupy.ndarray`."""
    return MemoryPointer(array.__accel_operand__().address, array)


_MEMBERS = {"get": _get, "set": _set, "data": property(_data)}


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
                    delattr(Array, name)


class _Arrays(type):
    """The type of `ndarray`: arrays of `accel.xp` are its instances."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Array)


class ndarray(metaclass=_Arrays):  # noqa: N801 - CuPy's name
    """Stands for `cupy.ndarray`: ``ndarray(shape, dtype)`` makes an array, and arrays of `accel.xp` are instances."""

    def __new__(cls, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C") -> Any:
        """Return an uninitialised array."""
        if memptr is not None or strides is not None or order != "C":
            raise NotImplementedError(
                "an array on given memory or with given strides is not simulated; slice or reshape the array"
            )
        return xp.empty(shape, dtype=np.dtype(dtype))
