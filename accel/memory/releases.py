"""The release of a handle, and of the bytes with the last one."""

from typing import Any

from accel import config
from accel.memory.owner import Owner
from accel.support.call_sites import call_site
from accel.support.locks import LockTakenError

__all__ = ["release"]


# `LockedTable.apply` written out, since its calls would cost a release a tenth of its time.
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
                        unused = owner.free_if_unused()
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
