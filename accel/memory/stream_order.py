"""Work in the memory of a device that frees in stream order: kept in order without events and without keep-alives.

Most work uses memory that only its own stream uses. A stream does its work in order. So such work needs no event: the
open submission that is recorded for the memory covers it too. The memory needs no keep-alive: freed bytes are reused
in stream order.

**The invariant.** From the first check that a use is covered until the work is on its stream, the thread holds the gate
of the device, which is also the lock of its heap. Meanwhile no other thread closes a submission, and none frees the
memory: releases are deferred. Other work on the same stream that is recorded after an open submission passes the gate
before it is given to the stream; see `Gate.overtake`. Nothing waits with the gate held. Work that must wait for other
work is refused here, and its caller submits it in the general way.

A signal handler that runs with the gate held may close a submission. `Gate.closings` then has changed, and the work is
recorded again, for uses that begin after the handler.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from accel.abc.direct import WITHIN, DirectStream
from accel.abc.stream import Stream
from accel.dtypes import DType
from accel.memory.hazards import Access, Claim, Hazards, confirm, enter, followed
from accel.memory.heap import Heap
from accel.memory.owner import Owner
from accel.memory.submission import Submission

__all__ = [
    "NOT_COVERED",
    "covered",
    "follows",
    "record_again",
    "record_first",
    "try_copy_in_order",
    "try_fill_in_order",
    "try_in_order",
]

_ALL = 1 << 64
NOT_COVERED = -1
"""Returned by `covered` where work must wait for other work."""


Use = tuple[Any, bool, bool]
"""A storage, whether some work writes it, and whether it writes each of its bytes."""


class Handle(Protocol):
    """A storage, as far as this module needs it."""

    _owner: Owner | None
    _start: int
    dtype: DType
    size: int

    def claim(self, *, writing: bool, whole: bool = False) -> Claim:
        """Return a use of its bytes."""
        ...


# One function: each call of another costs a launch a tenth of its time.
def covered(storage: Handle, writing: bool, queue: Stream, opened: Submission) -> int:  # noqa: PLR0911
    """Return the address of a storage if the next work of a stream may use it at once, and record the use.

    The caller holds the gate.

    Parameters
    ----------
    storage : HostStorage or DeviceStorage
        The memory.
    writing : bool
        Whether the work may write it.
    queue : Stream
        The stream.
    opened : Submission
        Open on the stream; recorded for memory that nothing uses yet.

    Returns
    -------
    int
        The address of the first byte; `NOT_COVERED` if the work must be submitted in the general way.
    """
    owner = storage._owner
    block = None if owner is None or owner.external is not None else owner.allocation
    if owner is None or block is None:
        return NOT_COVERED
    low: int = block.pointer + storage._start
    high = low + storage.size * storage.dtype.itemsize
    hazards = owner.hazard_record.hazards
    if hazards is None:
        recorded = block.stream is queue and low != high and record_first(owner, (low, high, opened), writing)
        return low if recorded else NOT_COVERED
    writes, reads, unreplaced = hazards
    for _, _, work in unreplaced:
        if not work.sound:
            return NOT_COVERED  # it may have failed, and what reads its result must fail too
    begin, end = 0, _ALL
    if writes:
        begin, end, work = writes[0]
        if len(writes) > 1 or low < begin or end < high or (reads and writing):
            return low if _follows(owner, hazards, (low, high, opened), writing) else NOT_COVERED
        if work.queue is queue:  # what only reads after a write of its own stream need not wait for other reads
            return low
    for first, last, work in () if writing else reads:
        # The write is no longer open. It came before these reads, or it would have replaced them.
        if work.queue is queue and begin <= first <= low and high <= last <= end:
            return low
    return low if _follows(owner, hazards, (low, high, opened), writing) else NOT_COVERED


def follows(storage: Handle, queue: Stream | None, *, writing: bool) -> bool:
    """Tell whether the next work of a stream comes after all work on a storage anyway, without a wait."""
    owner = storage._owner
    if owner is None or queue is None:
        return False
    writes, reads, unreplaced = owner.hazard_record.hazards or ((), (), ())
    for each in (*writes, *reads) if writing else writes:
        if each[2].queue is not queue:
            return False
    return all(each[2].sound for each in unreplaced)


def _follows(owner: Owner, hazards: Hazards, access: Access, writing: bool) -> bool:
    """Record the use of memory all of whose earlier uses are open on its own stream; return whether it is so."""
    queue, (writes, reads, _) = access[2].queue, hazards
    for each in (*writes, *reads) if writing else writes:
        if each[2].queue is not queue:
            return False
    if not (writes or (reads and writing)):  # then it is not known whether the stream may use the memory
        return False
    record, after = owner.hazard_record, followed(hazards, access, writing=writing)
    # No call between these: another thread may record something.
    if record.hazards is hazards:
        record.hazards = after
        return True
    return False


def record_first(owner: Owner, access: Access, writing: bool) -> bool:
    """Record the use of memory that nothing uses; return whether that is still so."""
    record, alone = owner.own_hazard_record(), (access,)
    hazards: Hazards = (alone, (), alone) if writing else ((), alone, ())
    # No call between these: another thread may record something.
    if record.hazards is None:
        record.hazards = hazards
        return True
    return False


def try_in_order(
    heap: Heap, queue: Stream, uses: Sequence[Use], give: Callable[[Stream, Sequence[int]], object]
) -> Submission | None:
    """Submit work on the memory of one device to a stream, if it need not wait for other work.

    Parameters
    ----------
    heap : Heap
        The memory of the device.
    queue : Stream
        The stream.
    uses : sequence of (storage, bool, bool)
        The storages, whether the work writes each, and whether it writes each of its bytes.
    give : callable
        Calls the backend; gets the stream, and the addresses of the storages. If it raises, nothing was submitted.

    Returns
    -------
    Submission or None
        Covers the work. None if it was not submitted; then nothing was done.
    """
    gate = heap.gate
    with gate.lock:
        if heap.changing or not queue.direct or queue.timed:  # type: ignore[attr-defined]
            return None
        heap.changing = True
        try:
            opened, closings = heap.opened(queue), gate.closings
            addresses = []
            for storage, writing, _ in uses:
                address = covered(storage, writing, queue, opened)
                if address == NOT_COVERED:
                    return None
                addresses.append(address)
            give(queue, addresses)
            if gate.closings != closings:
                opened = record_again(heap, queue, uses)
        finally:
            heap.changing = False
    if heap.deferred:
        heap.run_deferred()
    return opened


def try_fill_in_order(
    storage: Handle,
    start: int,
    heap: Heap,
    queue: Stream,
    give: Callable[[int, int, int], object],
    byte: int,
    nbytes: int,
) -> Submission | None:
    """Submit a fill of a part of one storage to a stream that takes it directly, as `try_in_order` does.

    ``give`` gets the address of the byte ``start``, ``byte`` and ``nbytes``.
    """
    with heap.lock:  # it is that of the gate
        if heap.changing:
            return None
        heap.changing = True
        try:
            opened, closings = heap.last_opened, heap.gate.closings
            if opened.queue is not queue:
                opened = heap.opened(queue)
            address = covered(storage, True, queue, opened)
            if address == NOT_COVERED:
                return None
            give(address + start, byte, nbytes)
            if heap.gate.closings != closings:
                opened = record_again(heap, queue, ((storage, True, False),))
        finally:
            heap.changing = False
    if heap.deferred:
        heap.run_deferred()
    return opened


def try_copy_in_order(
    target: Handle, source: Handle, heap: Heap, queue: DirectStream, nbytes: int
) -> Submission | None:
    """Submit a copy of the first bytes of one storage to another one as `try_in_order` does; they share no bytes."""
    with heap.lock:  # it is that of the gate
        if heap.changing or not queue.direct:
            return None
        heap.changing = True
        try:
            opened, closings = heap.last_opened, heap.gate.closings
            if opened.queue is not queue:
                opened = heap.opened(queue)
            into = covered(target, True, queue, opened)
            if into == NOT_COVERED:
                return None
            out_of = covered(source, False, queue, opened)
            if out_of == NOT_COVERED:
                return None
            queue.copy_bytes(into, out_of, nbytes, WITHIN)
            if heap.gate.closings != closings:
                opened = record_again(heap, queue, ((target, True, False), (source, False, False)))
        finally:
            heap.changing = False
    if heap.deferred:
        heap.run_deferred()
    return opened


def record_again(heap: Heap, queue: Stream, uses: Sequence[Use]) -> Submission:
    """Record work that its stream has already, by the submission that is open now; the caller holds the gate."""
    opened = heap.opened(queue)
    enter(opened, [use[0].claim(writing=use[1]) for use in uses])
    confirm(opened, ())
    return opened
