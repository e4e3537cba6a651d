"""Asynchronous copies between the host and a device: without an event until somebody asks, in order on their stream.

What such a copy uses is covered by the open submission of its stream, as for work within a device; see
`accel.memory.stream_order`. If other streams have used the memory, this one waits for their events first. The host's
memory is covered too: whoever uses it asks for the event of that submission. Unlike the device's, it is not freed in
the order of a stream, so the submission also keeps it alive.

**The invariant.** Each use of the host's memory that an open submission covers is kept alive by an open submission of
the same stream, from before the copy is given to the stream until the event that ends that submission is reached. A
submission ends with the gate held, and the copies of its stream are recorded and given with the gate held. So no copy
is given to a stream whose submission has ended.

Memory that is not pinned is read by the driver before its function returns, if it is small, and written by it only
while the caller waits. A copy to such memory is done at once if the stream is idle. Everything else goes the general
way.
"""

from typing import Any

from accel import config
from accel.abc.direct import DOWNLOAD, UPLOAD
from accel.memory.captures import ACTIVE
from accel.memory.hazards import IDLE, Access, HazardRecord, Hazards, followed, forget, forget_some
from accel.memory.heap import Heap
from accel.memory.link_copies import Transport, copied_over_link, used_on
from accel.memory.storage import Storage
from accel.memory.storage_work import see_sound
from accel.memory.stream_order import NOT_COVERED, covered, record_again
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
    heap, source, settings = mine.heap, other.allocation, config.current()
    if source is None or not nbytes or not getattr(queue, "awaitable", False) or queue.device is not heap.device:
        return None
    # In debug mode each copy has its place in the program.
    if queue.timed or not heap.plain or settings.strict or settings.debug:
        return None
    here = source.pointer + host._start
    end = here + host.size * host.dtype.itemsize
    record = other.hazard_record if other.hazard_record is not IDLE else other.own_hazard_record()
    if not upload or give is not None or nbytes > queue.buffered:
        pinned = getattr(other.heap.source_of(source), "pinned_for", None) is heap.device
        if not pinned and (upload or nbytes > queue.buffered):
            return None
        if not pinned:
            if not queue.idle():
                return None
            for each in (mine.hazard_record, record):
                if each.hazards is not None:
                    forget(each)  # what the stream has done
            memory = here, end, record, other
            done = copied_over_link(device, memory, nbytes, upload=False, give=give, stream=queue)
            return Submission() if done else None
    before = mine.hazard_record.hazards, record.hazards
    with heap.lock:  # it is that of the gate
        if heap.changing:
            return None
        heap.changing = True
        try:
            opened = heap.last_opened if heap.last_opened.queue is queue else heap.opened(queue)
            there = covered(device, upload, queue, opened)
            if there == NOT_COVERED:
                there = _on_device(device, upload, queue, opened)
            if there == NOT_COVERED or not _on_host(host, not upload, opened, heap, here, end):
                return None
            closings = heap.gate.closings
            if opened.queue is None:  # a signal handler has asked for the event
                return None
            if give is not None:
                give(queue, there, here)
            elif upload:
                queue.copy_bytes(there, here, nbytes, UPLOAD)
            else:
                queue.copy_bytes(here, there, nbytes, DOWNLOAD)
            if heap.gate.closings != closings:  # as above, after the copy was recorded
                heap.hold(heap.opened(queue), other)
                opened = record_again(heap, queue, ((device, upload, False), (host, not upload, False)))
        finally:
            heap.changing = False
    if mine.hazard_record.hazards is not before[0] or record.hazards is not before[1]:
        forget_some(mine.hazard_record)
        forget_some(record)
        heap.retire_if_many()
    if heap.deferred:
        heap.run_deferred()
    return opened


def _on_device(device: Storage, writing: bool, queue: Any, opened: Submission) -> int:
    """Return the address on the device, as `covered` does, after the stream was let wait for others."""
    owner = device.owner
    block = owner.allocation
    if block is None or not (block.stream is queue or used_on(owner.heap, block, queue)):
        return NOT_COVERED
    address: int = block.pointer + device._start
    access = address, address + device.size * device.dtype.itemsize, opened
    return address if _recorded(owner.own_hazard_record(), access, queue, writing) else NOT_COVERED


def _on_host(host: Storage, writing: bool, opened: Submission, heap: Heap, low: int, high: int) -> bool:
    """Record a use of the host's memory, and keep that alive; return whether the stream has it in order now."""
    owner, queue = host.owner, opened.queue
    record = owner.own_hazard_record()
    if record.hazards is not None:
        writes, reads, unreplaced = record.hazards
        known = False
        for first, last, work in writes:
            if work.queue is not queue:
                break
            known |= first <= low and high <= last
        else:
            for first, last, work in reads:
                if work.queue is queue:
                    known |= first <= low and high <= last and not writing
                elif writing:
                    break
            else:
                if known and all(each[2].sound for each in unreplaced):
                    return True
    heap.hold(opened, owner)
    return _recorded(record, (low, high, opened), queue, writing)


def _recorded(record: HazardRecord, access: Access, queue: Any, writing: bool) -> bool:
    """Let a stream wait for earlier uses of some memory, and record its own; return whether that needed no thread."""
    before = record.hazards
    if before is None:
        after: Hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
    else:
        low, high, opened = access
        writes, reads, unreplaced = before
        see_sound([each[2] for each in unreplaced])
        if not all(each[2].sound for each in unreplaced):  # it may have failed, and what reads its result must fail too
            return False
        for first, last, work in (*writes, *reads) if writing else writes:
            if first < high and low < last and not _comes_after(queue, work):
                return False
        writes, reads, unreplaced = followed(before, access, writing=writing)
        after = _narrowed(writes, opened), _narrowed(reads, opened), _narrowed(unreplaced, opened)
    # No call between these: another thread may have recorded something.
    if record.hazards is before:
        record.hazards = after
        return True
    return False


def _comes_after(queue: Any, work: Submission) -> bool:
    """Let a stream wait for some work; return False if that takes a thread of the host, or while it is submitted."""
    source = work.queue or work.event
    if source is queue:
        return True
    if work.begun.locked() or (source is not None and source.device is not queue.device):
        return False
    if source is None:
        return not (work.streams or work.after)  # then it is done
    for event in work.submitted():
        queue.wait_for(event)
    direct: bool = queue.direct
    return direct


def _narrowed(accesses: tuple[Access, ...], opened: Submission) -> tuple[Access, ...]:
    """Return accesses of which those that are open on one stream are one, if they are many."""
    if len(accesses) <= _MANY:
        return accesses
    own = [each for each in accesses if each[2].queue is opened.queue]
    others = [each for each in accesses if each[2].queue is not opened.queue]
    return *others, (min(each[0] for each in own), max(each[1] for each in own), opened)
