"""Copies of whole storages, byte by byte, between any two devices."""

from functools import partial
from typing import Any

from accel import config
from accel.abc.block import Span
from accel.abc.stream import Stream
from accel.device import Device
from accel.dtypes import as_dtype
from accel.memory.captures import ACTIVE
from accel.memory.hazards import IDLE, HazardRecord
from accel.memory.heap import Heap, heap_of
from accel.memory.host_arrays import address_of
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.link_copies import copied_over_link
from accel.memory.owner import Owner
from accel.memory.storage import Storage
from accel.memory.storage_work import Use, carry_out
from accel.memory.stream_order import try_copy_in_order
from accel.memory.submission import Submission

__all__ = [
    "copied_at_once",
    "copy_elements",
    "copy_spans",
    "downloaded",
    "submitted_within",
    "uploaded",
    "worker_of",
]

_CPU = Device.CPU
_BYTE = as_dtype("uint8")


def copy_elements(target: Storage, source: Storage) -> None:
    """Copy between two storages of equal size and dtype, in order with all other work on them.

    Done on return if the host or two devices take part.

    Parameters
    ----------
    target : Storage
        The storage that is written.
    source : Storage
        The storage that is read.

    Raises
    ------
    ReadOnlyError
        If the target is read-only.
    """
    if copied_at_once(target, source):
        return
    target.refuse_read_only()
    into, out_of = target.span, source.span
    worker = worker_of(target.owner.heap, source.owner.heap)
    if worker is not None:
        uses = Use(target, True, True), Use(source, False)
        carry_out(worker, uses, partial(worker.backend.copy, into, out_of, stream=None))
        return
    # Neither backend can access the other's memory: the bytes pass through the host.
    with HostStorage.allocated(heap_of(_CPU), into.nbytes, _BYTE) as staging:
        copy_elements(staging, source)
        copy_elements(target, staging)


def copied_at_once(target: Storage, source: Storage) -> bool:
    """Copy all bytes within a device or between it and the host without an event, and return True; else do nothing.

    See `accel.memory.stream_order` and `accel.memory.link_copies`.

    Parameters
    ----------
    target : Storage
        The storage that is written.
    source : Storage
        The storage that is read.

    Returns
    -------
    bool
        Whether they were copied.
    """
    upload = type(source) is HostStorage
    if upload is (type(target) is HostStorage):
        return not upload and submitted_within(target, source, None) is not None
    if not target.size:
        return False
    device, host = (target, source) if upload else (source, target)
    into, owner = target._owner, host._owner
    if into is None or owner is None or target._const or into.readonly:
        return False
    low, nbytes = (owner.allocation or owner.block).pointer + host._start, host.size * host.dtype.itemsize
    record = owner.hazard_record if owner.hazard_record is not IDLE else owner.own_hazard_record()
    return copied_over_link(device, (low, low + nbytes, record, owner), nbytes, upload=upload)


def submitted_within(target: Storage, source: Storage, stream: Stream | None) -> Submission | None:
    """Submit a copy of all bytes between two allocations of one device; None if its order needs an event."""
    into, out_of = target._owner, source._owner
    if into is None or out_of is None or into is out_of or out_of.heap is not into.heap or not target.size:
        return None
    heap = into.heap
    queue: Any = heap.stream if stream is None else stream
    if stream is not None and (getattr(stream, "timed", True) or stream.device is not heap.device):
        return None
    if ACTIVE or queue is None or not heap.plain or target._const or into.readonly or config.current().strict:
        return None
    return try_copy_in_order(target, source, heap, queue, target.size * target.dtype.itemsize)


def uploaded(target: Storage, array: HostArray) -> bool:
    """Copy a contiguous array of equal size and dtype to a device, as `copied_at_once` does.

    Parameters
    ----------
    target : Storage
        The storage that is written.
    array : numpy.ndarray
        The array that is read.

    Returns
    -------
    bool
        Whether it was copied.
    """
    owner = target._owner
    if type(target) is HostStorage or not target.size or owner is None or target._const or owner.readonly:
        return False
    low, nbytes = address_of(array), array.nbytes
    return copied_over_link(target, (low, low + nbytes, heap_of(_CPU).foreign, None), nbytes, upload=True)


def downloaded(array: HostArray, source: Storage) -> bool:
    """Copy from a device to a new contiguous array of equal size and dtype, as `copied_at_once` does.

    Parameters
    ----------
    array : numpy.ndarray
        The array that is written.
    source : Storage
        The storage that is read.

    Returns
    -------
    bool
        Whether it was copied.
    """
    if type(source) is HostStorage or not source.size:
        return False
    low, nbytes = address_of(array), array.nbytes
    return copied_over_link(source, (low, low + nbytes, HazardRecord(), None), nbytes, upload=False)


def worker_of(target: Heap, source: Heap) -> Heap | None:
    """Return the heap whose backend copies between two heaps; None if neither can access the memory of the other."""
    if target.backend is source.backend or source.device is _CPU:
        return target
    return source if target.device is _CPU else None


def copy_spans(target: Owner, into: Span, source: Owner, out_of: Span) -> None:
    """Copy bytes between any two devices; the caller keeps the order. Done on return."""
    worker = worker_of(target.heap, source.heap)
    if worker is not None:
        worker.carry_out(partial(worker.backend.copy, into, out_of, stream=None), target, source)
        return
    with HostStorage.allocated(heap_of(_CPU), into.nbytes, _BYTE) as staging:
        copy_spans(staging.owner, staging.span, source, out_of)
        copy_spans(target, into, staging.owner, staging.span)
