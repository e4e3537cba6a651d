"""The backend of einops for `Array`."""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from accel.device import Device
from accel.xp.array import Array

__all__ = ["register"]


def register(backends: ModuleType) -> None:
    """Define the backend class of einops; einops finds it among the subclasses of its own."""
    xp = import_module("accel.xp")

    class AccelBackend(backends.AbstractBackend):  # type: ignore[misc, name-defined]
        framework_name = "accel.xp"

        def is_appropriate_type(self, tensor: object) -> bool:
            return type(tensor) is Array

        def from_numpy(self, x: np.ndarray[Any, Any]) -> Array:
            return xp.asarray(x)  # type: ignore[no-any-return]

        def to_numpy(self, x: Array) -> np.ndarray[Any, Any]:
            return np.asarray(x.to_device(Device.CPU))

        def arange(self, start: int, stop: int) -> Array:
            return xp.arange(start, stop)  # type: ignore[no-any-return]

        def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
            return xp.reshape(x, tuple(shape))  # type: ignore[no-any-return]

        def transpose(self, x: Array, axes: tuple[int, ...]) -> Array:
            return xp.permute_dims(x, tuple(axes))  # type: ignore[no-any-return]

        def reduce(self, x: Array, operation: str, axes: tuple[int, ...]) -> Array:
            return getattr(xp, operation)(x, axis=tuple(axes))  # type: ignore[no-any-return]

        def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Array:
            return xp.stack(tensors)  # type: ignore[no-any-return]

        def add_axis(self, x: Array, new_position: int) -> Array:
            return xp.expand_dims(x, axis=new_position)  # type: ignore[no-any-return]

        def tile(self, x: Array, repeats: tuple[int, ...]) -> Array:
            return xp.tile(x, tuple(repeats))  # type: ignore[no-any-return]

        def concat(self, tensors: list[Array], axis: int) -> Array:
            return xp.concat(tensors, axis=axis)  # type: ignore[no-any-return]

        def is_float_type(self, x: Array) -> bool:
            return x.dtype.kind == "f" or x.dtype.name == "bfloat16"

        def einsum(self, pattern: str, *operands: Array) -> Array:
            return xp.einsum(pattern, *operands)  # type: ignore[no-any-return]

    # Classes know their subclasses by weak references.
    backends.AccelBackend = AccelBackend  # type: ignore[attr-defined]
