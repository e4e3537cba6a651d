"""`allocating`: which allocator a device's memory comes from."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.device import DeviceLike, resolve
from accel.memory.allocators import Allocator, Scope, chosen
from accel.memory.heap import heap_of

__all__ = ["allocating", "allocator_of", "trim"]


@contextmanager
def allocating(device: DeviceLike | None, allocator: Allocator) -> Iterator[Allocator]:
    """Let a device's memory come from an allocator inside a ``with`` block, for this thread or task only.

    A block goes back to whoever gave it, also after the ``with`` block. Results of computations in `accel.xp` do not
    come from there: the library that computes allocates them.

    Parameters
    ----------
    device : Device or str or None
        Whose; None is `Device.default`.
    allocator : Allocator
        For this device only: `Pool`, `Limit`, `Statistics`, or any object with their ``allocate`` and ``free``.

    Raises
    ------
    DeviceUnavailableError
        If the device is not here.

    Examples
    --------
    >>> import accel
    >>> from accel.memory import Pool, Statistics, allocating, allocator_of
    >>> asked = Statistics(allocator_of("sim"))
    >>> with allocating("sim", Pool(asked)):
    ...     for step in range(100):
    ...         accel.zeros(1000, device="sim").release()
    >>> asked.allocations
    1
    """
    heap = heap_of(resolve(device))
    scope = Scope(allocator)
    heap.enter(scope)
    chosen.set((*chosen.get(), scope))
    try:
        yield allocator
    finally:
        # Blocks of generators end in any order, and perhaps in another context than they began in.
        chosen.set(tuple(other for other in chosen.get() if other is not scope))
        heap.leave(scope)


def allocator_of(device: DeviceLike | None = None) -> Allocator:
    """Return what a device's memory comes from here: the innermost of `allocating`, or else its backend."""
    return heap_of(resolve(device)).allocator


def trim(device: DeviceLike | None = None) -> int:
    """Let the pools of a device give back what they keep and nobody uses; returns how many bytes.

    Examples
    --------
    >>> import accel
    >>> accel.memory.trim("sim")
    0
    """
    return heap_of(resolve(device)).trim()
