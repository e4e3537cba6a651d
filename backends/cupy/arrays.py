"""CuPy's arrays on the backend's memory, and CuPy as a namespace of the array standard for one device."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from accel.abc import Operand

from .computing import Computing
from .driver import Driver
from .memory import DeviceBlock, LentBlock

__all__ = ["Namespace", "array_on", "root_of"]


class Namespace:
    """A module of functions that compute on one device, and whose errors are in our own terms."""

    def __init__(self, module: ModuleType, computing: Computing) -> None:
        self._module = module
        self._computing = computing

    def __getattr__(self, name: str) -> Any:
        # Only what is not there yet is asked for here: each name once.
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            found = Namespace(found, self._computing)
        elif callable(found) and not isinstance(found, type):
            found = self._entering(found)
        setattr(self, name, found)
        return found

    def _entering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            with self._computing(*arguments, *keywords.values()):
                return function(*arguments, **keywords)

        return call


def array_on(driver: Driver, operand: Operand, block: DeviceBlock, keep: object) -> Any:
    """Return an array of CuPy's on a block; it and all its views keep an object alive."""
    cupy = driver.cupy
    block.lent = True
    with driver.on(block.device):
        lent = LentBlock(block, (keep, block.native))
        memory = cupy.cuda.UnownedMemory(block.pointer, block.nbytes, lent, block.device.index)
        first = cupy.cuda.MemoryPointer(memory, operand.span.start + operand.start)
        return cupy.ndarray(operand.extents, operand.dtype, first, operand.strides)


def root_of(array: Any) -> Any:
    """Return the array at the end of the chain of bases."""
    while array.base is not None:
        array = array.base
    return array
