"""`LockedTable`: the allocation table of one device, its lock, and the changes that are deferred while it is locked.

The table and the backend's `allocate` and `free` are used with the lock held. Code that frees memory never waits for
the lock. The thread that holds it may never run again: the process is ending, or it stayed behind in the parent of a
fork. Or it is this very thread, interrupted by the garbage collector or by a signal handler. Such a change is deferred:
it is queued, and the thread that releases the lock runs the queue afterwards.

An interrupt can come anywhere. So the lock is only taken by ``with``, which cannot lose it. What an interrupt kept from
being counted is found by a check of the table: when it is read, when memory runs out, and when the bytes in use have
doubled since the last check.
"""

import sys
import threading
from collections import deque
from collections.abc import Callable

from accel.abc.external import ExternalAllocation
from accel.memory.allocation_table import AllocationTable
from accel.support.locks import LockTakenError, attempt, open_after_fork

__all__ = ["Change", "LockedTable", "report_unraisable"]

Change = Callable[[], ExternalAllocation | None]
"""A change of the table. It returns external memory that is no longer used: its deleter runs without the lock."""


class LockedTable:
    """An allocation table that is changed under a lock, or later.

    Attributes
    ----------
    table : AllocationTable
        The memory in use; read and changed with the lock held.
    lock : lock
        Reentrant, and released in the child of a fork.
    changing : bool
        Whether the thread that holds the lock is in the middle of a change.
    deferred : deque of Change
        The changes to make when the lock is free.
    """

    __slots__ = ("_try_lock", "changing", "deferred", "lock", "table")

    def __init__(self) -> None:
        self.table: AllocationTable = AllocationTable()
        self.lock: threading.RLock = open_after_fork(threading.RLock())
        self._try_lock = attempt(self.lock)
        self.changing: bool = False
        self.deferred: deque[Change] = deque()

    def apply(self, change: Change) -> None:
        """Make a change now, or defer it if the table is locked; raises what a deleter raises."""
        try:
            with self._try_lock:
                deferring = self.changing  # a signal handler or a finaliser interrupts a change of this very thread
                if not deferring:
                    self.changing = True
                    try:
                        unused = change()
                    finally:
                        self.changing = False
        except LockTakenError:
            deferring = True
        if deferring:
            self.deferred.append(change)
        elif unused is not None and unused.deleter is not None:
            self.finish(unused)
        if self.deferred:
            self.run_deferred()

    def defer(self, change: Change, _is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """Make a change as `apply` does, for finalisers: errors are reported, not raised."""
        if _is_ending():  # free-threaded Python calls finalisers after it has cleared the globals of modules
            return
        self.deferred.append(change)
        self.run_deferred()

    def run_deferred(self) -> None:
        """Make the deferred changes, unless the table is locked: then the thread that holds the lock makes them."""
        while self.deferred:
            try:
                with self._try_lock:
                    if self.changing or not self.deferred:
                        return
                    self.changing = True
                    try:
                        unused = self.deferred.popleft()()
                    finally:
                        self.changing = False
                if unused is not None and unused.deleter is not None:
                    self.finish(unused)
            except LockTakenError:
                return
            except Exception as error:  # of a backend, or of a deleter: it is not the caller's
                report_unraisable(error)

    def finish(self, external: ExternalAllocation) -> None:
        """Call the deleter of external memory that nothing uses any more."""
        try:
            external.finish()
        finally:
            if external.deleter is None:  # else an interrupt came first, and a check of the table finds it again
                self.table.remove_external(external)

    def _is_changing(self) -> bool:
        """Tell whether this thread is in the middle of a change."""
        return self.changing and bool(self.lock._is_owned())  # type: ignore[attr-defined]


class _Unraisable:
    """Raises an error from its finaliser: Python hands that to `sys.unraisablehook`."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


def report_unraisable(error: Exception) -> None:
    """Report an error that has no caller to be raised to, as Python reports what a finaliser raises."""
    _Unraisable(error)
