"""The members of CuPy's arrays and devices that ours lack, as long as a block runs."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from accel import xp
from accel.device import Device
from accel.errors import AccelError
from accel.support.locks import open_after_fork
from accel.testing.cupy_simulation.arrays import MemoryPointer, asnumpy
from accel.testing.cupy_simulation.streams import Device as CudaDevice
from accel.testing.cupy_simulation.subclasses import view
from accel.xp import versions
from accel.xp.arrays import Array
from accel.xp.display import representation

__all__ = ["array_members"]

_lock = open_after_fork(threading.Lock())
_users = 0


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


def _scattering(name: str) -> Any:
    def scatter(array: Array, slices: Any, value: Any) -> None:
        vars(sys.modules["cupyx"])[f"scatter_{name}"](array, slices, value)

    return scatter


def _shown(function: Callable[..., str]) -> Any:
    """Return a method that shows an array as CuPy does, by the same text of NumPy's."""

    def show(array: Array, *options: str) -> str:
        try:
            values = asnumpy(array)
        except AccelError:  # it was released, or is traced
            return representation(array)
        return function(values, *options)

    return show


def _namespace(array: Array, /, *, api_version: str | None = None) -> Any:
    """Return `cupy`, or the namespace of a version of the array standard."""
    if api_version is None:
        return sys.modules["cupy"]
    return versions.namespace(api_version)


def _of_device(name: str) -> Any:
    """Return a member of `cupy.cuda.Device` for devices of accel, on which arrays say that they are."""
    return property(lambda device: getattr(CudaDevice(device), name))


_OF_ARRAYS = {
    "__array_namespace__": _namespace,
    "__format__": _shown(format),
    "__repr__": _shown(repr),
    "__str__": _shown(str),
    "__module__": "cupy",
    "__name__": "ndarray",
    "__qualname__": "ndarray",
    "data": property(_data),
    "reduced_view": lambda array, dtype=None: array if dtype is None else array.view(dtype),
    "scatter_add": _scattering("add"),
    "scatter_max": _scattering("max"),
    "scatter_min": _scattering("min"),
    "toDlpack": lambda array: array.__dlpack__(),
    "get": _get,
    "set": _set,
    "view": view,
}
_OF_DEVICES = {
    "__int__": lambda device: CudaDevice(device).id,
    **{name: _of_device(name) for name in ("compute_capability", "id", "mem_info", "synchronize", "use")},
}
_MEMBERS = [
    *[(Array, name, member) for name, member in _OF_ARRAYS.items()],
    *[(Device, name, member) for name, member in _OF_DEVICES.items()],
]
_NONE = object()
_EARLIER = [
    getattr(owner, name) if name in ("__name__", "__qualname__") else vars(owner).get(name, _NONE)
    for owner, name, _ in _MEMBERS
]
"""What the classes have under these names themselves; arrays have descriptors that say what to write instead."""


@contextmanager
def array_members() -> Iterator[None]:
    """Give arrays and devices the members that those of CuPy have, as long as any block of this kind runs."""
    global _users
    with _lock:  # guards the count: the members are there as long as it is above 0
        _users += 1
        for owner, name, member in _MEMBERS:
            setattr(owner, name, member)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                for (owner, name, _), earlier in zip(_MEMBERS, _EARLIER, strict=True):
                    if earlier is _NONE:
                        delattr(owner, name)
                    else:
                        setattr(owner, name, earlier)
