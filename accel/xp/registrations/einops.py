"""The backend of einops for `Array`."""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from accel.device import Device
from accel.xp.arrays import Array

__all__ = ["Operations", "register"]


def register(backends: ModuleType) -> None:
    """Define the backend's class, which einops finds among the subclasses of its own."""
    # The name keeps the class alive: classes know their subclasses by weak references.
    backends.AccelBackend = type("AccelBackend", (Operations, backends.AbstractBackend), {})  # type: ignore[attr-defined]


def _xp() -> Any:
    return import_module("accel.xp")


class Operations:
    """What einops asks of a backend, with its names."""

    framework_name = "accel.xp"

    def is_appropriate_type(self, tensor: object) -> bool:
        return type(tensor) is Array

    def from_numpy(self, x: np.ndarray[Any, Any]) -> Array:
        return _xp().asarray(x)  # type: ignore[no-any-return]

    def to_numpy(self, x: Array) -> np.ndarray[Any, Any]:
        return np.asarray(x.to_device(Device.CPU))

    def arange(self, start: int, stop: int) -> Array:
        return _xp().arange(start, stop)  # type: ignore[no-any-return]

    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        return _xp().reshape(x, tuple(shape))  # type: ignore[no-any-return]

    def transpose(self, x: Array, axes: tuple[int, ...]) -> Array:
        return _xp().permute_dims(x, tuple(axes))  # type: ignore[no-any-return]

    def reduce(self, x: Array, operation: str, axes: tuple[int, ...]) -> Array:
        return getattr(_xp(), operation)(x, axis=tuple(axes))  # type: ignore[no-any-return]

    def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Array:
        return _xp().stack(tensors)  # type: ignore[no-any-return]

    def add_axis(self, x: Array, new_position: int) -> Array:
        return _xp().expand_dims(x, axis=new_position)  # type: ignore[no-any-return]

    def tile(self, x: Array, repeats: tuple[int, ...]) -> Array:
        return _xp().tile(x, tuple(repeats))  # type: ignore[no-any-return]

    def concat(self, tensors: list[Array], axis: int) -> Array:
        return _xp().concat(tensors, axis=axis)  # type: ignore[no-any-return]

    def is_float_type(self, x: Array) -> bool:
        return x.dtype.kind == "f" or x.dtype.name == "bfloat16"

    def einsum(self, pattern: str, *operands: Array) -> Array:
        return _xp().einsum(pattern, *operands)  # type: ignore[no-any-return]
