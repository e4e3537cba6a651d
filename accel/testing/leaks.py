"""`no_leaks`: nothing that a block of code allocates may be left when it ends."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from accel.device import Device
from accel.memory.heap import heaps
from accel.testing.simulation import finish, in_use

__all__ = ["Usage", "no_leaks", "refuse_growth", "usage_by_device"]


class Usage(NamedTuple):
    """What is in use on one device.

    Attributes
    ----------
    blocks : int
        Blocks that have an owner.
    nbytes : int
        Bytes, those of results of computations included where the device counts them.
    """

    blocks: int
    nbytes: int


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail if the block leaves memory in use on any device.

    On a simulated device this includes the results of computations, and work in flight is finished before it is
    counted.

    Raises
    ------
    AssertionError
        If there are more blocks or bytes in use at the end than at the beginning; says how many, where.

    Examples
    --------
    >>> import accel
    >>> from accel.testing import no_leaks
    >>> with no_leaks():
    ...     kept = accel.empty(1024)
    Traceback (most recent call last):
        ...
    AssertionError: cpu: 1 block more in use than before, 8192 bytes
    >>> kept.release()
    """
    __tracebackhide__ = True
    before = usage_by_device()
    yield
    refuse_growth(before)


def usage_by_device() -> dict[Device, Usage]:
    """Return what is in use on each device when all that can go is gone."""
    finish()
    gc.collect()
    usage = {}
    for heap in heaps():
        heap.reap()
        usage[heap.device] = Usage(heap.live_blocks, in_use(heap))
    return usage


def refuse_growth(before: dict[Device, Usage]) -> None:
    """Raise `AssertionError` if there is more in use than before."""
    __tracebackhide__ = True
    grown = []
    for device, usage in usage_by_device().items():
        known = before.get(device, Usage(0, 0))
        blocks, nbytes = usage.blocks - known.blocks, usage.nbytes - known.nbytes
        if blocks > 0 or nbytes > 0:
            what = f"{blocks} block{'s' * (blocks != 1)}" if blocks else "results of computations"
            grown.append(f"{device}: {what} more in use than before, {nbytes} bytes")
    if grown:
        raise AssertionError("; ".join(grown))
