"""CuPy arrays on the backend's memory, and CuPy's functions as a namespace for one device."""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from accel.abc import Operand

from .computations import Computations, owner_of
from .driver import Driver
from .memory import DeviceBlock, LentBlock
from .ufunc_methods import methods

__all__ = ["Namespace", "array_on", "is_readonly", "root_of"]


class Namespace:
    """A module, or an object like one, whose functions compute on one device and raise the errors of `accel.errors`."""

    def __init__(self, module: Any, computing: Computations) -> None:
        self._module = module
        self._computing = computing

    def __getattr__(self, name: str) -> Any:
        # Called once for each name, as the result becomes an attribute.
        member = getattr(self._module, name)
        if isinstance(member, ModuleType):
            member = Namespace(member, self._computing)
        elif callable(member) and not isinstance(member, type):
            member = self._wrapped(member)
        setattr(self, name, member)
        return member

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            with self._computing(*arguments, *keywords.values()):
                return function(*arguments, **keywords)

        if hasattr(function, "reduceat"):
            vars(call).update({name: self._wrapped(method) for name, method in methods(function).items()})
        return call


def array_on(driver: Driver, operand: Operand, block: DeviceBlock, keep: object) -> Any:
    """Return a CuPy array on a block; the array and all its views keep ``keep`` alive."""
    cupy = driver.cupy
    block.lent = True
    with driver.on(block.device):
        owner = LentBlock(block, (keep, block.native), not operand.writable)
        memory = cupy.cuda.UnownedMemory(block.pointer, block.nbytes, owner, block.device.index)
        first = cupy.cuda.MemoryPointer(memory, operand.span.start + operand.start)
        return cupy.ndarray(operand.extents, operand.dtype, first, operand.strides)


def is_readonly(driver: Driver, array: Any) -> bool:
    """Tell whether an array is on read-only memory, or elements of it share memory; CuPy would write to both."""
    strides = array.strides
    if 0 in strides and array.size and any(e > 1 and not s for e, s in zip(array.shape, strides, strict=True)):
        return True
    owner = owner_of(driver, array)
    return isinstance(owner, LentBlock) and owner.readonly


def root_of(array: Any) -> Any:
    """Return the array at the end of the chain of bases."""
    while array.base is not None:
        array = array.base
    return array
