"""The memory that the arguments of a launch mean: `Argument`."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from accel.errors import KernelLaunchError
from accel.ir import View

from ..memory import Memory
from ..regions import Region
from .memories import Cells

__all__ = ["Argument", "MemoryAt", "argument"]

MemoryAt = Callable[[int, int], Memory | None]
"""Returns the memory that contains some bytes; None if there is none."""


class Argument(NamedTuple):
    """The memory of a view.

    Attributes
    ----------
    view : View
        The parameter.
    memory : Memory or None
        The memory; None if the view is empty.
    region : Region
        The addresses of the elements.
    address, size : int
        Address of the lowest element, and how many elements lie from there to the highest.
    origin : int
        Which of these has index 0.
    extents, strides : tuple of int
        In elements; empty if they are constants of the program.
    """

    view: View
    memory: Memory | None
    region: Region
    address: int
    size: int
    origin: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]

    def cells(self, *, poisoned: bool) -> Cells:
        """Return the elements; raises `ReleasedError` if they were freed."""
        view, dtype = self.view, self.view.dtype
        values = np.empty(0, dtype)
        if self.memory is not None:
            values = self.memory.part(self.address, self.size * dtype.itemsize).view(dtype)
        values.flags.writeable = view.writable
        return Cells(view.name, values, self.origin, self.address, self.extents, self.strides, poisoned=poisoned)


def argument(view: View, values: Iterator[Any], memory_at: MemoryAt) -> Argument:
    """Return the memory of a view; its address, extents and strides are the next values.

    Raises
    ------
    KernelLaunchError
        If the elements are not memory of a simulated device.
    """
    address, itemsize = next(values), view.dtype.itemsize
    if not view.rank:
        return _without_axes(view, address, memory_at)
    extents = tuple(next(values) for _ in range(view.rank))
    strides = tuple(next(values) for _ in range(view.rank))
    low, high = _span(extents, strides)
    first = address + low * itemsize
    memory = _memory_of(view, first, (high - low) * itemsize, memory_at) if high > low else None
    region = Region.at(address, extents, tuple(stride * itemsize for stride in strides), itemsize)
    return Argument(view, memory, region, first, high - low, -low, extents, strides)


def _without_axes(view: View, address: int, memory_at: MemoryAt) -> Argument:
    """Return the memory of a view whose layout is in the program: its span, or else the whole allocation."""
    itemsize = view.dtype.itemsize
    if not address:  # of memory without bytes
        return Argument(view, None, Region.at(0, (0,), (0,), itemsize), 0, 0, 0, (), ())
    memory = _memory_of(view, address, itemsize, memory_at)
    low = -((address - memory.pointer) // itemsize)
    high = (memory.pointer + memory.nbytes - address) // itemsize
    if view.span is not None:
        low, high = max(low, view.span[0]), min(high, view.span[1])
    first = address + low * itemsize
    region = Region.at(first, (high - low,), (itemsize,), itemsize)
    return Argument(view, memory, region, first, high - low, -low, (), ())


def _memory_of(view: View, address: int, nbytes: int, memory_at: MemoryAt) -> Memory:
    memory = memory_at(address, nbytes)
    if memory is None:
        raise KernelLaunchError(
            f"parameter {view.name} was given {nbytes} bytes at {address:#x}, which no simulated device has; pass "
            f"memory of a simulated device that is not released"
        )
    return memory


def _span(extents: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """Return the first and one past the last of the elements of a view, as indices."""
    if 0 in extents:
        return 0, 0
    reaches = [(extent - 1) * stride for extent, stride in zip(extents, strides, strict=True)]
    return sum(reach for reach in reaches if reach < 0), 1 + sum(reach for reach in reaches if reach > 0)
