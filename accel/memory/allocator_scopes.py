"""`allocating`: the choice of the allocator of a device's memory."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.device import DeviceLike, resolve
from accel.memory.allocators import Allocator, Scope, current_scopes
from accel.memory.heap import heap_of

__all__ = ["allocating", "allocator_of", "trim"]


@contextmanager
def allocating(device: DeviceLike | None, allocator: Allocator) -> Iterator[Allocator]:
    """Use an allocator for a device's memory inside a ``with`` block, in this thread or task only.

    A block is freed in the allocator that it came from, also after the ``with`` block. Results of computations in
    `accel.xp` do not come from the allocator: the library that computes allocates them.

    Parameters
    ----------
    device : Device or str or None
        The device; None is `Device.default`.
    allocator : Allocator
        For this device only: `Pool`, `Limit`, `Statistics`, or any object with their ``allocate`` and ``free``.

    Returns
    -------
    iterator of Allocator
        A context manager; its value is the allocator.

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
    current_scopes.set((*current_scopes.get(), scope))
    try:
        yield allocator
    finally:
        # With generators, scopes end in any order, and perhaps in another context than they began in.
        current_scopes.set(tuple(other for other in current_scopes.get() if other is not scope))
        heap.leave(scope)


def allocator_of(device: DeviceLike | None = None) -> Allocator:
    """Return the allocator of a device's memory here: that of the innermost `allocating`, or else the backend.

    Parameters
    ----------
    device : Device or str, optional
        The device.

    Returns
    -------
    Allocator
        The allocator.
    """
    return heap_of(resolve(device)).allocator


def trim(device: DeviceLike | None = None) -> int:
    """Free the unused blocks that the pools of a device keep; returns how many bytes.

    Parameters
    ----------
    device : Device or str, optional
        The device; by default the current one.

    Returns
    -------
    int
        The number of bytes.

    Examples
    --------
    >>> import accel
    >>> accel.memory.trim("sim")
    0
    """
    return heap_of(resolve(device)).trim()
