"""Memory lent to other libraries: their streams use it after the pending work on it."""

from accel import config
from accel.abc.optional import SupportsStreamNumbers
from accel.device import Device
from accel.errors import InterchangeError
from accel.memory.hazards import pending, refuse_in_flight
from accel.memory.storage import Storage

__all__ = ["lend_to_any_stream", "lend_to_stream"]

_NO_ORDER = -1


def lend_to_stream(storage: Storage, number: int | None) -> None:
    """Make a consumer's stream wait for the pending work on a storage; the host waits where a stream cannot.

    Parameters
    ----------
    storage : Storage
        The memory.
    number : int, optional
        The stream, by DLPack's numbers; -1 for no ordering.

    Raises
    ------
    InterchangeError
        If DLPack has no such stream for the device.
    InFlightError
        In strict mode, where the host would have to wait.
    """
    owner, writing = storage.owner, not storage.readonly
    heap = owner.heap
    if isinstance(heap.backend, SupportsStreamNumbers):
        claim = storage.claim(writing=writing)
        before = [event for work in pending(claim) for event in work.submitted()]
        unordered = heap.backend.hold_up(owner.block, number, before)
        if config.current().strict and not all(event.done() for event in unordered):
            refuse_in_flight(claim)
        for event in unordered:
            event.settle() if writing else event.wait()
    elif number is None:
        storage.settle(writing=writing)
    elif type(number) is not int or number != _NO_ORDER or heap.device is Device.CPU:
        raise InterchangeError(f"{number!r} is no stream that DLPack has for {heap.device}; write stream=None")


def lend_to_any_stream(storage: Storage) -> None:
    """Make memory ready for any stream: the host waits for pending work, and for computations on the device.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting for work in flight.
    """
    storage.settle(writing=not storage.readonly)
    block, heap = storage.owner.block, storage.owner.heap
    if not isinstance(heap.backend, SupportsStreamNumbers):
        return
    with heap.backend.consuming(heap.device) as number:
        unordered = heap.backend.hold_up(block, number, ())
        computed = heap.latest()
    for event in (*unordered, computed):
        if event is not None:
            event.wait()
