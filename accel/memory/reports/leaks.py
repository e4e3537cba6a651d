"""`assert_no_leak`: a block of code must free all memory that it allocates."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from heapq import nlargest
from typing import NamedTuple
from weakref import WeakSet

from accel.config import debugging, using
from accel.device import Device
from accel.memory.heap import Heap, heaps
from accel.memory.holder import Holder, holders

__all__ = ["Baseline", "Usage", "assert_no_leak", "baseline", "refuse_growth"]

_SHOWN = 10


class Usage(NamedTuple):
    """The memory in use on one device.

    Attributes
    ----------
    blocks : int
        The number of blocks with an owner.
    nbytes : int
        The bytes in use, perhaps counted by the device itself, and then of more than these blocks.
    """

    blocks: int
    nbytes: int


class Baseline(NamedTuple):
    """The memory in use at one moment, after all was freed that could be.

    Attributes
    ----------
    devices : dict of Device to Usage
        The amounts, by device.
    owners : weak set of Holder
        The owners.
    """

    devices: dict[Device, Usage]
    owners: WeakSet[Holder]


def _live_bytes(heap: Heap) -> int:
    return heap.live_bytes


def baseline(in_use: Callable[[Heap], int] = _live_bytes) -> Baseline:
    """Return the memory in use; ``in_use`` counts the bytes of a device."""
    for heap in heaps():
        heap.wait()
    gc.collect()
    for heap in heaps():
        heap.retire_finished()
    devices = {heap.device: Usage(heap.live_blocks, in_use(heap)) for heap in heaps()}
    return Baseline(devices, WeakSet(holders(external=False)))


def refuse_growth(before: Baseline, after: Baseline) -> None:
    """Raise `AssertionError` if more memory is in use than before; names the owners."""
    __tracebackhide__ = True
    grown = list(_grown(before, after))
    if grown:
        raise AssertionError("\n  ".join(["; ".join(grown), *_named(before, after)]))


def _grown(before: Baseline, after: Baseline) -> Iterator[str]:
    for device, usage in after.devices.items():
        earlier = before.devices.get(device, Usage(0, 0))
        blocks, nbytes = usage.blocks - earlier.blocks, usage.nbytes - earlier.nbytes
        if blocks > 0:
            yield f"{device}: {blocks} block{'s' * (blocks != 1)} more in use than before, {nbytes} bytes"
        elif nbytes > 0 and any(owner.heap.device is device for owner in _new(before, after)):
            yield f"{device}: larger blocks in use than before, {nbytes} bytes more"
        elif nbytes > 0:
            yield f"{device}: results of computations more in use than before, {nbytes} bytes"


def _new(before: Baseline, after: Baseline) -> list[Holder]:
    return [owner for owner in after.owners if owner not in before.owners]


def _named(before: Baseline, after: Baseline) -> Iterator[str]:
    new = _new(before, after)
    for owner in nlargest(_SHOWN, new, key=lambda owner: owner.nbytes):
        yield f"{owner.heap.device}: {owner.in_words()}"
    if len(new) > _SHOWN:
        yield f"and {len(new) - _SHOWN} more"
    if new and not debugging():
        yield "ACCEL_DEBUG=1 tells where they were made"


@contextmanager
def assert_no_leak() -> Iterator[None]:
    """Fail if a block of code, or as a decorator a function, leaves memory in use on any device.

    Debug mode is on inside, so that the error can name the line that allocated the memory. Work in flight is waited for
    before memory is counted. Results of computations in `accel.xp` are not counted here; `accel.testing.no_leaks`
    counts them too, on a simulated device.

    Returns
    -------
    iterator of None
        A context manager, and a decorator.

    Raises
    ------
    AssertionError
        If more blocks or bytes are in use at the end than at the beginning; with numbers, devices and owners.

    Examples
    --------
    >>> import accel
    >>> with accel.memory.assert_no_leak():
    ...     kept = accel.empty(1024)
    Traceback (most recent call last):
        ...
    AssertionError: cpu: 1 block more in use than before, 8192 bytes
      cpu: 8192 bytes, 1 handle, made at ...
    >>> kept.release()
    """
    __tracebackhide__ = True
    before = baseline()
    with using(debug=True):
        yield
        refuse_growth(before, baseline())
