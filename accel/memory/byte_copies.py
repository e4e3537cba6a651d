"""Copies of whole storages, byte by byte, between any two devices."""

from functools import partial

from accel.abc.block import Span
from accel.device import Device
from accel.dtypes import as_dtype
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.owner import Owner
from accel.memory.storage import Storage
from accel.memory.storage_work import Use, carry_out

__all__ = ["copy_elements", "copy_spans", "worker_of"]

_CPU = Device.CPU
_BYTE = as_dtype("uint8")


def copy_elements(target: Storage, source: Storage) -> None:
    """Copy between two storages of equal size and dtype, in order with all other work on them.

    Done on return if the host or two devices take part.

    Raises
    ------
    ReadOnlyError
        If the target is read-only.
    """
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
