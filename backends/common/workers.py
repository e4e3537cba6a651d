"""Threads that share the work of a copy with its caller."""

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue

from accel import config

__all__ = ["WORKERS", "Work", "Workers"]

Work = Callable[[int, int], object]
"""Does what lies between two numbers."""

# Below this, a thread wakes too late to be of use.
_SHARED = 1 << 20
_PIECE = 1 << 18
_PIECES_EACH = 8


class _Job:
    """Work in pieces, which the caller and some helpers take one by one."""

    def __init__(self, work: Work, pieces: deque[tuple[int, int]]) -> None:
        self._work = work
        self._pieces = pieces
        self._helpers = 0
        self._changed = threading.Condition()
        self._error: BaseException | None = None

    def help(self) -> None:
        """Do pieces in a helper's thread; what goes wrong is the caller's."""
        self._count(1)  # before any piece is taken: the caller waits for those who may have one
        try:
            self._take_pieces()
        except BaseException as error:
            self._error = error
            self._pieces.clear()
        self._count(-1)

    def run(self) -> None:
        """Do pieces in the caller's thread, and return when nobody is at work any more."""
        try:
            self._take_pieces()
        finally:
            self._pieces.clear()
            self._wait()
            del self._work  # a helper may see the job much later, and the work holds the memory
        if self._error is not None:
            raise self._error

    def _take_pieces(self) -> None:
        while True:
            try:
                low, high = self._pieces.popleft()
            except IndexError:
                return
            self._work(low, high)

    def _count(self, helpers: int) -> None:
        with self._changed:
            self._helpers += helpers
            self._changed.notify_all()

    def _wait(self) -> None:
        interrupt = None
        while True:
            try:
                with self._changed:
                    self._changed.wait_for(lambda: not self._helpers)
                break
            except KeyboardInterrupt as error:  # the helpers still write to the caller's memory
                interrupt = error
        if interrupt is not None:
            raise interrupt


class Workers:
    """Helpers for copies, as many as the setting ``threads`` asks for besides the caller.

    They are daemons, because a copy under way at exit is waited for by `close`. A child of a fork starts its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._threads = 0
        self._users = 0
        self._closed = False

    @contextmanager
    def at_work(self) -> Iterator[bool]:
        """Hold back the end of the process; tells whether it has not begun, so that compiled code outlives its use."""
        with self._lock:
            usable = not self._closed
            self._users += usable
        if not usable:  # nor would the end ever come, if each new copy held it back
            yield False
            return
        try:
            yield True
        finally:
            with self._lock:
                self._users -= 1
                self._idle.notify_all()

    def share(self, work: Work, total: int, nbytes: int) -> None:
        """Do the work from 0 to a total, that moves so many bytes; with helpers if that is faster."""
        threads = 1 if nbytes < _SHARED or self._closed else config.current().threads
        count = min(total, threads * _PIECES_EACH, nbytes // _PIECE)
        if threads == 1 or count < 2:
            work(0, total)
            return
        cuts = [total * piece // count for piece in range(count + 1)]
        job = _Job(work, deque(pairwise(cuts)))
        for _ in range(min(self._hired(threads - 1), count - 1)):
            self._jobs.put(job)
        job.run()

    def _hired(self, wanted: int) -> int:
        """Return how many helpers there are of those wanted; at the end of the process no more can be had."""
        with self._lock:
            try:
                while self._threads < wanted:
                    threading.Thread(target=_serve, args=(self._jobs,), name="accel-copy", daemon=True).start()
                    self._threads += 1
            except RuntimeError:
                pass
            return min(self._threads, wanted)

    def close(self) -> None:
        """Wait for the copies under way; those to come are done by NumPy in their callers' threads."""
        with self._idle:
            self._closed = True
            self._idle.wait_for(lambda: not self._users)


def _serve(jobs: "SimpleQueue[_Job]") -> None:
    while True:
        jobs.get().help()


WORKERS = Workers()
"""Those of the process."""

atexit.register(WORKERS.close)
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=WORKERS.__init__)  # type: ignore[misc]
