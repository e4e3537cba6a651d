"""CuPy arrays on the backend's memory, and CuPy's functions as a namespace for one device."""

from collections.abc import Callable
from functools import partial, update_wrapper
from types import ModuleType
from typing import Any

from accel.abc import Operand

from .computations import Computations
from .driver import Driver
from .memory import DeviceBlock, LentBlock
from .ufunc_methods import methods

__all__ = ["Namespace", "array_on", "is_readonly"]


_VIEWS = frozenset(
    {
        *("broadcast_arrays", "broadcast_to", "diagonal", "expand_dims", "flip", "matrix_transpose", "moveaxis"),
        *("permute_dims", "rot90", "squeeze", "swapaxes", "transpose"),
    }
)
"""The functions that make views, for which CuPy does not call the driver."""


_FILLED = frozenset({"empty", "ones", "zeros"})
"""The functions that take a shape and a dtype."""


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
        elif callable(member) and not isinstance(member, type) and name not in _VIEWS:
            filled = name in _FILLED
            member = _filling(self._computing.compute, member) if filled else self._wrapped(member)
        setattr(self, name, member)
        return member

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        call = update_wrapper(partial(self._computing.compute, function), function)
        if hasattr(function, "reduceat"):
            vars(call).update({name: self._wrapped(method) for name, method in methods(function).items()})
        return call


def _filling(compute: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    def fill(shape: Any, *, dtype: Any = None) -> Any:
        return compute(partial(function, shape, float if dtype is None else dtype))  # no operands are looked at

    return fill


def array_on(driver: Driver, operand: Operand, block: DeviceBlock, keep: object) -> Any:
    """Return a CuPy array on a block; the array and all its views keep ``keep`` alive."""
    cupy = driver.cupy
    block.lend()
    with driver.on(block.device):
        owner = LentBlock(block, (keep, block.native), not operand.writable)
        of_default = block.stream is not None and block.stream.native is cupy.cuda.Stream.null
        kind = driver.default_memory_type if of_default else driver.unowned_type
        memory = kind(block.pointer, block.nbytes, owner, block.device.index)
        first = cupy.cuda.MemoryPointer(memory, operand.span.start + operand.start)
        return cupy.ndarray(operand.extents, operand.dtype, first, operand.strides)


def is_readonly(array: Any) -> bool:
    """Tell whether an array is on read-only memory, or elements of it share memory; CuPy would write to both."""
    strides = array.strides
    if 0 in strides and array.size and any(e > 1 and not s for e, s in zip(array.shape, strides, strict=True)):
        return True
    owner = getattr(array.data.mem, "_owner", None)
    return isinstance(owner, LentBlock) and owner.readonly
