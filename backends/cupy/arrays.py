"""CuPy's arrays on the backend's memory, and CuPy as a namespace of the array standard for one device."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from accel.device import Device
from accel.memory import Operand

from .driver import Driver
from .memory import DeviceBlock

__all__ = ["Namespace", "array_on", "root_of"]


class Namespace:
    """A module of functions that run with one device current, and whose errors are in our own terms."""

    def __init__(self, module: ModuleType, driver: Driver, device: Device) -> None:
        self._module = module
        self._driver = driver
        self._device = device

    def __getattr__(self, name: str) -> Any:
        # Only what is not there yet is asked for here: each name once.
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            found = Namespace(found, self._driver, self._device)
        elif callable(found) and not isinstance(found, type):
            found = self._entering(found)
        setattr(self, name, found)
        return found

    def _entering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            with self._driver.on(self._device):
                return function(*arguments, **keywords)

        return call


def array_on(driver: Driver, operand: Operand, block: DeviceBlock, keep: object) -> Any:
    """Return an array of CuPy's on a block; it and all its views keep an object alive."""
    cupy = driver.cupy
    block.lent = True
    with driver.on(block.device):
        memory = cupy.cuda.UnownedMemory(block.pointer, block.nbytes, (keep, block.native), block.device.index)
        first = cupy.cuda.MemoryPointer(memory, operand.span.start + operand.start)
        return cupy.ndarray(operand.extents, operand.dtype, first, operand.strides)


def root_of(array: Any) -> Any:
    """Return the array at the end of the chain of bases."""
    while array.base is not None:
        array = array.base
    return array
