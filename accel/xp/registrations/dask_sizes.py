"""The bytes of arrays and storages, by which Dask's workers decide what to keep in memory."""

from math import prod
from types import ModuleType

from accel.memory import Storage
from accel.xp.arrays import Array

__all__ = ["register"]


def register(sizes: ModuleType) -> None:
    """Register the bytes of the elements."""
    sizes.sizeof.register(Array, lambda x: prod(x.shape) * x.dtype.itemsize)
    sizes.sizeof.register(Storage, lambda x: x.nbytes)
