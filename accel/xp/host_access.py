"""Copies of device arrays to the host, for functions that can read only the host's memory."""

from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.errors import DeviceMismatchError

__all__ = ["on_host"]


def on_host(x: Any, what: str, *, writable: bool = False) -> np.ndarray[Any, DType]:  # noqa: ARG001 - a copy needs it
    """Return an array's elements in the host's memory.

    Raises
    ------
    DeviceMismatchError
        If the array is on another device.
    """
    if x.device is Device.CPU:
        return x.__array__()  # type: ignore[no-any-return]
    raise DeviceMismatchError(f"this array is on {x.device}, and {what} cannot read it there; write x.to_device('cpu')")
