"""Threads that share the work of a copy with its caller.

A caller does not come back before the last helper has let go of its memory, whatever interrupts it: helpers write by
address. And the process does not end before the last caller is back: its end takes down the compiled code.
"""

import atexit
import threading
from collections import deque
from collections.abc import Callable
from itertools import pairwise
from queue import SimpleQueue

from accel import config
from accel.locks import in_child, start

from . import thresholds

__all__ = ["WORKERS", "RangeTask", "Workers"]

RangeTask = Callable[[int, int], object]
"""Does what lies between two numbers."""


class _Job:
    """A task in pieces, which the caller and some helpers take one by one."""

    def __init__(self, work: RangeTask, pieces: deque[tuple[int, int]], holds: object) -> None:
        self._work = work
        self._holds = holds
        self._pieces = pieces
        # A lock for each helper, which it holds as long as it may have a piece.
        self._helpers: list[threading.Lock] = []
        self._error: BaseException | None = None

    def help(self) -> None:
        """Do pieces in a helper's thread; what goes wrong is the caller's."""
        helping = threading.Lock()
        with helping:
            self._helpers.append(helping)  # before any piece is taken: the caller waits for those who may have one
            try:
                self._take_pieces()
            except BaseException as error:
                self._error = error
                self._pieces.clear()

    def run(self) -> None:
        """Do pieces in the caller's thread, and return when nobody is at work any more."""
        interrupt, at_work = None, True
        while at_work:
            # Wherever an interrupt comes, the loop goes round once more, and the helpers are waited for.
            try:
                if interrupt is None:
                    self._take_pieces()
                else:
                    self._pieces.clear()
                for helping in self._helpers:  # who comes later finds no piece left
                    with helping:
                        pass
                at_work = False
            except BaseException as error:
                interrupt = error
        del self._work, self._holds  # a helper may see the job much later
        failed = interrupt or self._error
        if failed is not None:
            raise failed

    def _take_pieces(self) -> None:
        while True:
            try:
                low, high = self._pieces.popleft()
            except IndexError:
                return
            self._work(low, high)


class Workers:
    """Helpers for copies, as many as the setting ``threads`` asks for besides the caller.

    They are daemons, because a copy under way at exit is waited for by `close`. A child of a fork starts its own.

    Attributes
    ----------
    callers : set of lock
        A lock for each copy under way, added by its caller, who holds it during the copy: the process does not end
        before it is released. The end does not wait for callers that come later, so a caller looks at `closed` when it
        holds its lock.
    closed : bool
        Whether the process is about to end, so that compiled code must not be used any more.
    """

    def __init__(self) -> None:
        # Reentrant: a collection or a signal may come while a thread is started, and copy.
        self._lock = threading.RLock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._threads = 0
        self.callers: set[threading.Lock] = set()
        self.closed = False

    def share(self, work: RangeTask, total: int, nbytes: int, holds: object = None) -> None:
        """Do the work from 0 to a total, that moves so many bytes; with helpers if that is faster.

        As long as anybody may be at work, an object is kept alive: the memory that the work knows by its address.
        """
        threads = 1 if nbytes < thresholds.SHARED or self.closed else config.current().threads
        count = min(total, threads * thresholds.PIECES_EACH, nbytes // thresholds.PIECE)
        if threads == 1 or count < 2:
            work(0, total)
            return
        cuts = [total * piece // count for piece in range(count + 1)]
        job = _Job(work, deque(pairwise(cuts)), holds)
        for _ in range(self._hired(min(threads, count) - 1)):
            self._jobs.put(job)
        job.run()

    def _hired(self, wanted: int) -> int:
        """Return how many helpers there are of those wanted; at the end of the process no more can be had."""
        with self._lock:
            try:
                while self._threads < wanted:
                    start(threading.Thread(target=_serve, args=(self._jobs,), name="accel-copy", daemon=True))
                    self._threads += 1
            except RuntimeError:
                pass
            return min(self._threads, wanted)

    def close(self) -> None:
        """Wait for the copies under way; those to come are done by NumPy in their callers' threads."""
        self.closed = True
        for calling in tuple(self.callers):
            with calling:
                pass


def _serve(jobs: "SimpleQueue[_Job]") -> None:
    while True:
        jobs.get().help()


WORKERS = Workers()
"""Those of the process."""

atexit.register(WORKERS.close)
in_child(WORKERS.__init__)  # type: ignore[misc]
