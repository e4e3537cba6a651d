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
recorded again, for those who ask after the handler.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from accel.abc.stream import Stream
from accel.dtypes import DType
from accel.memory.hazards import Claim, confirm, enter
from accel.memory.heap import Heap
from accel.memory.owner import Owner
from accel.memory.submission import Submission

Use = tuple[Any, bool, bool]

__all__ = ["NOT_COVERED", "covered", "record_again", "try_in_order", "try_in_order_at"]

_ALL = 1 << 64
NOT_COVERED = -1
"""Returned by `covered` where work must wait for other work."""


class Handle(Protocol):
    """A storage, as far as this module needs it."""

    _owner: Owner | None
    _start: int
    dtype: DType
    size: int

    def claim(self, *, writing: bool, whole: bool = False) -> Claim:
        """Return a use of its bytes."""
        ...


# One function, since each call of another costs a launch a tenth of its time.
def covered(storage: Handle, writing: bool, queue: Stream, opened: Submission) -> int:  # noqa: C901, PLR0911, PLR0912
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
    if owner is None or owner.external is not None:
        return NOT_COVERED
    block = owner.held
    if block is None:
        return NOT_COVERED
    low: int = block.pointer + storage._start
    high = low + storage.size * storage.dtype.itemsize
    seen = owner.hazard_record.hazards
    if seen is None:
        if block.stream is not queue or low == high:
            return NOT_COVERED
        record, access = owner.own_hazard_record(), (low, high, opened)
        # No call between these: another thread may record something.
        if record.hazards is None:
            record.hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
            return low
        return NOT_COVERED
    writes, reads, unreplaced = seen
    for _, _, work in unreplaced:
        if not work.sound:
            return NOT_COVERED  # it may have failed, and what reads its result must fail too
    begin, end = 0, _ALL
    if writes:
        begin, end, work = writes[0]
        if len(writes) > 1 or low < begin or end < high:
            return NOT_COVERED
        # What only reads after this write of its own stream need not wait for other reads.
        if work.queue is queue and not (reads and writing):
            return low
    if not writing:
        for first, last, work in reads:
            # The write is no longer open. It came before these reads, or it would have replaced them.
            if work.queue is queue and first <= low and high <= last and begin <= first and last <= end:
                return low
    return NOT_COVERED


def try_in_order(heap: Heap, queue: Stream, uses: Sequence[Use], give: Callable[[], object]) -> Submission | None:
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
        Calls the backend. If it raises, nothing was submitted.

    Returns
    -------
    Submission or None
        Covers the work. None if it was not submitted; then nothing was done.
    """
    if not queue.direct:  # type: ignore[attr-defined]
        return None
    gate = heap.gate
    with gate.lock:
        if heap.changing:
            return None
        heap.changing = True
        try:
            opened, closings = heap.opened(queue), gate.closings
            for storage, writing, _ in uses:
                if covered(storage, writing, queue, opened) == NOT_COVERED:
                    return None
            give()
            if gate.closings != closings:
                opened = record_again(heap, queue, uses)
        finally:
            heap.changing = False
    if heap.deferred:
        heap.run_deferred()
    return opened


def try_in_order_at(
    heap: Heap, target: Handle, into: int, source: Handle, out_of: int, give: Callable[[Any, int, int], object]
) -> bool:
    """Submit a copy to the current stream of a device, if it need not wait for other work; see `try_in_order`.

    ``give`` is called with the stream, the address ``into`` bytes from the start of the target, and the address
    ``out_of`` bytes from the start of the source. Returns whether the copy was submitted.
    """
    queue = heap.stream
    if queue is None or not queue.direct or not heap.plain:  # type: ignore[attr-defined]
        return False
    gate = heap.gate
    with gate.lock:
        if heap.changing:
            return False
        heap.changing = True
        try:
            opened, closings = heap.opened(queue), gate.closings
            there = covered(target, True, queue, opened)
            here = covered(source, False, queue, opened)
            if NOT_COVERED in (there, here):
                return False
            give(queue, there + into, here + out_of)
            if gate.closings != closings:
                record_again(heap, queue, ((target, True, False), (source, False, False)))
        finally:
            heap.changing = False
    if heap.deferred:
        heap.run_deferred()
    return True


def record_again(heap: Heap, queue: Stream, uses: Sequence[Use]) -> Submission:
    """Record work that its stream has already, by the submission that is open now; the caller holds the gate."""
    opened = heap.opened(queue)
    enter(opened, [use[0].claim(writing=use[1]) for use in uses])
    confirm(opened, ())
    return opened
