"""The release of a handle, by hand or by its finaliser, and of the bytes with the last one."""

import sys
from collections.abc import Callable
from typing import Any

from accel import config
from accel.abc.external import ExternalAllocation
from accel.memory.heap import Heap
from accel.memory.locked_table import report_unraisable
from accel.memory.owner import Owner
from accel.support.call_sites import call_site
from accel.support.locks import LockTakenError

__all__ = ["drop", "release"]


# One function, since each call of another costs a release a tenth of its time.
def release(handle: Any) -> None:
    """Release this handle; the last one frees the bytes. Doing so again is harmless.

    Exports (NumPy arrays, memoryviews) and work in flight keep the bytes alive until they end. An error of the
    deleter of external memory is raised here.
    """
    owner: Owner | None = handle._owner
    if owner is None:
        return
    # Without the lock: with it, the release of their keep-alives would be deferred.
    handle._array = handle._lent = None
    if config.debugging():
        handle._released_at = f" at {call_site()}"
    heap, unused = owner.heap, None
    try:
        with heap._try_lock:
            deferring = heap.changing  # a signal handler or a finaliser interrupts a change of this very thread
            if not deferring:
                heap.changing = True
                try:
                    # Again: two threads may release it. No call between these: an interrupt finds all done, or nothing.
                    owner = handle._owner
                    if owner is not None:
                        handle._owner = None
                        owner.handles -= 1
                        handle._array = handle._lent = None
                        unused = _free(owner, heap)
                finally:
                    heap.changing = False
    except LockTakenError:
        deferring = True
    if deferring:
        # The handle is released now all the same; only freeing may wait.
        counted = handle._drop_owner()
        if counted is not None:
            heap.apply(counted.free_if_unused)
    elif unused is not None and unused.deleter is not None:
        heap.finish(unused)
    if heap.deferred:
        heap.run_deferred()


def drop(owner: Owner, _is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
    """Free the bytes of a handle that its finaliser has counted off, if that was the last; errors are reported."""
    heap = owner.heap
    if heap.deferred or _is_ending():
        heap.defer(owner.free_if_unused)
        return
    unused, deferring = None, False
    try:
        with heap._try_lock:
            deferring = heap.changing  # as in `release`
            if not deferring:
                heap.changing = True
                try:
                    unused = _free(owner, heap)
                finally:
                    heap.changing = False
        if unused is not None and unused.deleter is not None:
            heap.finish(unused)
    except LockTakenError:
        deferring = True
    except Exception as error:  # of a backend, or of a deleter: nobody called this
        report_unraisable(error)
    if deferring:
        heap.defer(owner.free_if_unused)
    elif heap.deferred:
        heap.run_deferred()


def _free(owner: Owner, heap: Heap) -> ExternalAllocation | None:
    """Do as `Owner.free_if_unused` and `Heap.free`, in the usual case in one function; the caller holds the lock."""
    block, table = owner.allocation, heap.table
    if type(owner) is not Owner or block is None or not heap.plain or owner.handles or owner.keep_alives or table.kept:
        return owner.free_if_unused()
    owner.allocation = None
    del table.blocks[id(block)]
    table.live -= block.nbytes
    direct = heap.direct
    if direct is None or not direct[1](block):
        heap.backend.free(block, stream=None)
    return None
