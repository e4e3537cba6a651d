"""Arrays of numba-cuda for accel, by DLPack: real ones have only CUDA's array interface, and accel reads DLPack."""

from typing import Any

import numpy as np

from accel.device import Device
from accel.errors import InterchangeError
from accel.interchange.capsule import MAX_VERSION, make_capsule
from accel.memory import heap_of
from accel.testing.numba_simulation.contexts import devices
from accel.testing.numba_simulation.memory import as_simulated
from accel.testing.numba_simulation.streams import settle_device

__all__ = ["dlpack", "dlpack_device"]


class _Elements:
    """The elements of an array for NumPy, which does not touch them: only their places are passed on."""

    def __init__(self, array: Any, address: int) -> None:
        self.array = array
        self.__array_interface__ = {
            "shape": array.shape,
            "strides": array.strides,
            "typestr": array.dtype.str,
            "data": (address, False),
            "version": 3,
        }


def _address(array: Any) -> int:
    return as_simulated(int(array.device_ctypes_pointer.value or 0))


def _device(array: Any) -> Device:
    backend: Any = heap_of(devices()[0]).backend
    device: Device | None = backend.device_at(_address(array))
    return device or devices()[0]


def dlpack_device(array: Any) -> tuple[int, int]:
    """Return DLPack's numbers for the device of an array."""
    return _device(array).dlpack


def dlpack(
    array: Any,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> object:
    """Return a DLPack capsule on the elements, when the pending work of the device is done.

    Raises
    ------
    InterchangeError
        If a copy, or another device, is asked for.
    """
    device = _device(array)
    if copy or (dl_device is not None and tuple(dl_device) != device.dlpack):
        raise InterchangeError("an array of numba.cuda is exchanged without a copy; write array.copy_to_host()")
    settle_device(device)
    versioned = max_version is not None and max_version[0] >= MAX_VERSION[0]
    return make_capsule(np.asarray(_Elements(array, _address(array))), device, versioned)
