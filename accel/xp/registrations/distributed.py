"""`Array` in messages between the processes of Dask: its elements are sent as NumPy's, without a pickle."""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from accel.device import Device
from accel.xp.arrays import Array

__all__ = ["register"]

_Message = tuple[dict[str, Any], list[Any]]


def register(serialize: ModuleType) -> None:
    """Register how an array becomes a header and frames of bytes, and the way back."""
    serialize.dask_serialize.register(Array, _sent)
    serialize.dask_deserialize.register(Array, _received)


def _numpys(registry: str) -> Any:
    function = getattr(import_module("distributed.protocol.serialize"), registry)
    return function.dispatch(np.ndarray)


def _sent(x: Array, context: Any = None) -> _Message:
    header, frames = _numpys("dask_serialize")(np.asarray(x.to_device(Device.CPU)), context=context)
    return {**header, "accel-device": str(x.device)}, frames


def _received(header: dict[str, Any], frames: list[Any]) -> Array:
    """Return an array on the device from which it was sent; see the setting ``fallback`` for where that is missing."""
    values = _numpys("dask_deserialize")(header, frames)
    xp: Any = import_module("accel.xp")
    array: Array = xp.asarray(np.require(values, requirements=["C", "ALIGNED"]), device=header["accel-device"])
    return array
