"""Copies between the host and a device for which the caller waits: without an event, and without a record that stays.

All earlier work on the device's memory is on one stream, and nothing uses the host's memory. So the bytes are given to
that stream, and the host waits for the stream. Any other copy is submitted in the general way.

**The invariant.** From the moment at which the copy is recorded, with the gate of the device held, until it is given to
the stream, its submission has begun: whatever uses the same memory waits for that. Both owners are counted until the
stream has done the copy. So nothing waits with the gate held, and neither end is freed or used meanwhile.
"""

from collections.abc import Callable
from typing import Any

from accel import config
from accel.abc.block import Block
from accel.abc.direct import DOWNLOAD, UPLOAD
from accel.abc.stream import Stream
from accel.memory.captures import ACTIVE
from accel.memory.hazards import IDLE, HazardRecord, Hazards, enter_alone, leave_alone
from accel.memory.heap import Heap
from accel.memory.owner import Owner
from accel.memory.storage import Storage
from accel.memory.submission import Submission

__all__ = ["HostMemory", "Transport", "copied_over_link", "used_on"]

Transport = Callable[[Any, int, int], object]
"""Gives a copy to a stream; called with the stream, the address on the device and that on the host."""


HostMemory = tuple[int, int, HazardRecord, Owner | None]
"""Address of the first byte, address past the last one, the record of the hazards; and the owner, if its handles are
counted: the caller keeps all other memory alive."""


# One function, since each call of another costs a small copy a twentieth of its time.
def copied_over_link(  # noqa: C901, PLR0912
    device: Storage,
    host: HostMemory,
    nbytes: int,
    *,
    upload: bool,
    give: Transport | None = None,
    stream: Stream | None = None,
) -> bool:
    """Copy between memory of a device and of the host, wait for it, and return True; or do nothing, and return False.

    False means that the copy must wait for other work or is to be refused: the general way handles both. The caller has
    checked that the target may be written, and that the bytes are in their memory.

    Parameters
    ----------
    device : DeviceStorage
        The memory of the device.
    host : HostMemory
        The memory of the host.
    nbytes : int
        Number of bytes, from the start of both; at least 1.
    upload : bool
        Whether the device's memory is written.
    give : callable, optional
        Gives the copy to the stream, if it is not one of contiguous bytes.
    stream : Stream, optional
        The stream; by default the current one.
    """
    here, end, beside, other = host
    mine = device._owner
    block: Any = None if mine is None or mine.external is not None else mine.allocation
    if ACTIVE or mine is None or block is None or beside.hazards is not None:
        return False
    heap = mine.heap
    queue: Any = heap.stream if stream is None else stream
    if not getattr(queue, "awaitable", False) or not heap.plain or config.current().strict:
        return False
    there = block.pointer + device._start
    record = mine.hazard_record if mine.hazard_record is not IDLE else mine.own_hazard_record()
    claim = record, there, there + device.size * device.dtype.itemsize, upload, False
    submission, entry = Submission(), None
    access = here, end, submission
    used: Hazards = ((), (access,), ()) if upload else ((access,), (), (access,))
    # No call between these: another thread may release the memory. Memory with a handle has not been freed before.
    if not mine.handles or (other is not None and not other.handles):
        return False
    mine.keep_alives += 1
    if other is not None:
        other.keep_alives += 1
    try:
        with submission.begun:
            with heap.lock:  # it is that of the gate
                # While it changes, this is a signal handler in the midst of other work.
                if not heap.changing and (block.stream is queue or used_on(heap, block, queue)):
                    entry = enter_alone(submission, claim, queue, beside, used)
            if entry is None:
                return False
            submission.streams = (queue,)
            if give is not None:
                give(queue, there, here)
            elif upload:
                queue.copy_bytes(there, here, nbytes, UPLOAD)
            else:
                queue.copy_bytes(here, there, nbytes, DOWNLOAD)
        queue.finish()
    except BaseException:
        if submission.streams:  # an interrupt may have come before the wait, and the device still uses the memory
            queue.finish()
        raise
    finally:
        if entry is not None:
            leave_alone(submission, entry)
        # No call between these: another thread may release the last handles.
        if mine.handles and (other is None or other.handles):
            mine.keep_alives -= 1
            if other is not None:
                other.keep_alives -= 1
        else:
            _drop(mine)
            if other is not None:
                _drop(other)
    if heap.pending_work:
        heap.retire_oldest()
    return True


def used_on(heap: Heap, block: Block, queue: Any) -> bool:
    """Let a stream use a block of another one; return whether it still takes work directly."""
    in_order = heap.in_order
    if in_order is None or block.stream is None:
        return False
    in_order.use(block, queue)
    direct: bool = queue.direct
    return direct


def _drop(owner: Owner) -> None:
    """Count a keep-alive off."""
    # No call between these, as above.
    if owner.handles:
        owner.keep_alives -= 1
    else:
        owner.heap.defer(owner.drop_keep_alive)  # reports what a deleter raises, so that both are dropped
