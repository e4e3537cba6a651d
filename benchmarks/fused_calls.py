"""Calls of fused functions on small arrays, whose time is that of the host; for `fuse.py` and `host_path.py`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import accel
from accel import xp
from accel.device import Device

__all__ = ["calls"]


def calls(device: Device) -> Mapping[str, Callable[[], object]]:
    """Return calls of fused functions with arrays of a thousand elements on a device."""
    containers = accel.zeros(1000, device=device), accel.zeros(1000, device=device)
    x, out = (xp.zeros(1000, device=device) for _ in range(2))
    wrapped = [xp.asarray(each) for each in containers]
    host = np.zeros(1000), np.zeros(1000)

    @accel.fuse
    def into(x: Any, out: Any) -> None:
        out[...] = x * 2.0

    @accel.fuse
    def scaled(x: Any, out: Any, factor: float) -> None:
        out[...] = x * factor

    @accel.fuse
    def doubled(x: Any) -> Any:
        return x * 2.0

    @accel.fuse
    def several(x: Any) -> Any:
        return x * 2.0, x[1:] + x[:-1], x[::2] - 1.0

    @accel.fuse
    def total(x: Any) -> Any:
        return xp.sum(x * 2.0)

    rows = {
        "one loop": lambda: into(x, out),
        "one loop, a number": lambda: scaled(x, out, 3.0),
        "one loop, new result": lambda: doubled(x),
        "three loops": lambda: several(x),
        "a total": lambda: total(x),
        "one loop, containers": lambda: into(*containers),
        "one loop, arrays of containers": lambda: into(*wrapped),
    }
    return rows | ({"one loop, arrays of NumPy": lambda: into(*host)} if device is Device.CPU else {})
