"""Asynchronous copies between the host and a device: without an event until somebody asks, in order on their stream.

What such a copy uses is covered by the open submission of its stream, as for work within a device; see
`accel.memory.stream_order`. The host's memory is covered too: whoever uses it asks for the event of that submission.
Unlike the device's, it is not freed in the order of a stream, so the submission also keeps it alive.

**The invariant.** Each use of the host's memory that an open submission covers is kept alive by an open submission of
the same stream, from before the copy is given to the stream until the event that ends that submission is reached. A
submission ends with the gate held, and the copies of its stream are recorded and given with the gate held. So no copy
is given to a stream whose submission has ended.

Memory that is not pinned is read by the driver before its function returns, if it is small, and written by it only
while the caller waits. A copy to such memory is done at once if the stream is idle; everything else goes the general way.
"""

from typing import Any

from accel import config
from accel.abc.direct import DOWNLOAD, UPLOAD
from accel.memory.captures import ACTIVE
from accel.memory.hazards import Access, Hazards, followed
from accel.memory.heap import Heap
from accel.memory.link_copies import Transport, copied_over_link, used_on
from accel.memory.owner import Owner
from accel.memory.storage import Storage
from accel.memory.stream_order import NOT_COVERED, covered, record_again, record_first
from accel.memory.submission import Submission

__all__ = ["submitted_over_link"]

_MANY = 16
"""How many uses of one allocation are recorded one by one; of more, the range that contains them."""


# One function, since each call of another costs a small copy a twentieth of its time.
def submitted_over_link(  # noqa: C901, PLR0911, PLR0912
    device: Storage, host: Storage, nbytes: int, queue: Any, *, upload: bool, give: Transport | None = None
) -> Submission | None:
    """Submit a copy between memory of a device and of the host to a stream of the device, and return what covers it.

    None, and nothing is done, if the copy must wait for other work, would block, or is to be refused. The caller has
    checked that the target may be written, and that the bytes are in their memory.

    Parameters
    ----------
    device : DeviceStorage
        The memory of the device.
    host : HostStorage
        The memory of the host.
    nbytes : int
        Number of bytes to copy.
    queue : Stream
        The stream.
    upload : bool
        Whether the device's memory is written.
    give : callable, optional
        Gives the copy to the stream, if it is not one of contiguous bytes.
    """
    mine, other = device._owner, host._owner
    if ACTIVE or mine is None or other is None or mine.external is not None or other.external is not None:
        return None
    heap, source = mine.heap, other.allocation
    if source is None or not nbytes or not getattr(queue, "awaitable", False) or queue.device is not heap.device:
        return None
    settings = config.current()
    if queue.timed or not heap.plain or settings.strict or settings.debug:  # in debug mode each copy has its place
        return None
    here = source.pointer + host._start
    end = here + host.size * host.dtype.itemsize
    if getattr(other.heap.source_of(source), "pinned_for", None) is not heap.device:
        if nbytes > queue.buffered:
            return None
        if not upload:
            memory = here, end, other.own_hazard_record(), other
            done = queue.idle() and copied_over_link(device, memory, nbytes, upload=False, give=give, stream=queue)
            return Submission() if done else None
        if give is not None:
            return None
    with heap.lock:  # it is that of the gate
        if heap.changing:
            return None
        heap.changing = True
        try:
            opened, closings = heap.opened(queue), heap.gate.closings
            there = _on_device(device, upload, queue, opened)
            if there == NOT_COVERED or not _on_host(heap, other, here, end, opened, writing=not upload):
                return None
            if give is not None:
                give(queue, there, here)
            elif upload:
                queue.copy_bytes(there, here, nbytes, UPLOAD)
            else:
                queue.copy_bytes(here, there, nbytes, DOWNLOAD)
            if heap.gate.closings != closings:  # a signal handler has asked for the event
                heap.hold(heap.opened(queue), other)
                opened = record_again(heap, queue, ((device, upload, False), (host, not upload, False)))
        finally:
            heap.changing = False
    heap.retire_if_many()
    return opened


def _on_device(device: Storage, writing: bool, queue: Any, opened: Submission) -> int:
    """Return the address on the device as `covered` does; the stream may also be another one than at the allocation."""
    owner: Any = device._owner
    block = owner.allocation
    if block is None or block.stream is queue or owner.hazard_record.hazards is not None:
        return covered(device, writing, queue, opened)
    low: int = block.pointer + device._start
    access = low, low + device.size * device.dtype.itemsize, opened
    return low if used_on(owner.heap, block, queue) and record_first(owner, access, writing) else NOT_COVERED


def _on_host(heap: Heap, owner: Owner, low: int, high: int, opened: Submission, *, writing: bool) -> bool:
    """Record a use of the host's memory, and keep that alive; return whether all earlier uses are open on the stream."""
    record, access = owner.own_hazard_record(), (low, high, opened)
    before = record.hazards
    if before is None:
        after: Hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
    else:
        writes, reads, unreplaced = before
        for each in (*writes, *reads):
            if each[2].queue is not opened.queue:
                return False
        for each in unreplaced:
            if not each[2].sound:  # it may have failed, and what reads its result must fail too
                return False
        for first, last, _ in writes if writing else (*writes, *reads):
            if first <= low and high <= last:
                return True
        after = _narrowed(followed(before, access, writing=writing), opened)
    heap.hold(opened, owner)
    # No call between these: another thread may have recorded something.
    if record.hazards is before:
        record.hazards = after
        return True
    return False


def _narrowed(hazards: Hazards, opened: Submission) -> Hazards:
    """Return hazards that are open on one stream with one access in place of many."""
    writes, reads, unreplaced = hazards
    if len(reads) <= _MANY and len(writes) <= _MANY:
        return hazards
    return _joined(writes, opened), _joined(reads, opened), _joined(unreplaced, opened)


def _joined(accesses: tuple[Access, ...], opened: Submission) -> tuple[Access, ...]:
    """Return an access to all bytes of some accesses, and to those in between."""
    return ((min(each[0] for each in accesses), max(each[1] for each in accesses), opened),) if accesses else ()
