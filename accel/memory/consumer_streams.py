"""Memory lent to other libraries: they have it after the work in flight, and after those who had its bytes before."""

from accel import config
from accel.abc.optional import SupportsStreamNumbers
from accel.device import Device
from accel.errors import InterchangeError
from accel.memory.hazards import pending, refuse_in_flight
from accel.memory.storage import Storage

__all__ = ["lend_to_any_stream", "lend_to_stream"]

_NO_ORDER = -1


def lend_to_stream(storage: Storage, number: int | None) -> None:
    """Let what a consumer's stream is given next come after the work in flight; the host waits where no stream can.

    Parameters
    ----------
    storage : Storage
        What is lent.
    number : int, optional
        The stream, by DLPack's numbers; -1 orders nothing.

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
        left = heap.backend.hold_up(owner.block, number, before)
        if config.current().strict and not all(event.done() for event in left):
            refuse_in_flight(claim)
        for event in left:
            event.settle() if writing else event.wait()
    elif number is None:
        storage.settle(writing=writing)
    elif type(number) is not int or number != _NO_ORDER or heap.device is Device.CPU:
        raise InterchangeError(f"{number!r} is no stream that DLPack has for {heap.device}; write stream=None")


def lend_to_any_stream(storage: Storage) -> None:
    """Let all streams use memory at once: the host waits for work in flight, and for what is computed on its device.

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
        left = heap.backend.hold_up(block, number, ())
        computed = heap.latest()
    for event in (*left, computed):
        if event is not None:
            event.wait()
