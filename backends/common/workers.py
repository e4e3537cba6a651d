"""Helper threads that share a copy or a computation with the thread that called it.

The caller returns only when no helper uses its memory any more, also after an interrupt, since helpers write to raw
addresses. The process ends only when no copy is running, since its end frees memory.
"""

import atexit
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

from accel import config
from accel.support.locks import in_child, start

from . import thresholds
from .openmp import thread_limit

__all__ = ["WORKERS", "Cut", "Task", "Workers"]

Task = Callable[..., object]
"""Called with the arguments of a piece; by default these are the begin and the end of a part of a range."""

Cut = Callable[[Sequence[int]], Iterable[tuple[Any, ...]]]
"""Takes the places at which a range is cut, its begin and its end included; returns the arguments of each piece."""


class _Job:
    """A task cut into pieces, which the caller and its helpers take one by one.

    If it is to be done as a whole, only helpers take pieces: an interrupt, which reaches the caller alone, could make
    it lose a piece that it has taken.
    """

    def __init__(
        self, task: Task, pieces: deque[tuple[Any, ...]], keep_alive: object = None, *, whole: bool = False
    ) -> None:
        self._task = task
        self._keep_alive = keep_alive
        self._pieces = pieces
        self._whole = whole
        self._at_end: SimpleQueue[None] = SimpleQueue()  # has an item for each helper that found no piece left
        # One lock for each helper, held while it may work on a piece.
        self._helpers: list[threading.Lock] = []
        self._error: BaseException | None = None
        self.running = False

    def help(self) -> None:
        """Do pieces in a helper's thread; an error is kept for the caller."""
        helping = threading.Lock()
        with helping:
            self._helpers.append(helping)  # before a piece is taken: the caller waits for all helpers listed here
            try:
                self._take_pieces()
            except BaseException as error:
                self._error = error
                self._pieces.clear()
        self._at_end.put(None)

    def run(self, helpers: int, workers: "Workers") -> None:
        """Do pieces in the caller's thread, and return when all helpers have finished; raises what failed."""
        interrupt, unfinished = None, True
        while unfinished:
            # After an interrupt at any point the loop runs again, so the helpers are always waited for.
            try:
                if interrupt is None or self._whole:
                    self.running, workers.job = True, self
                    for _ in range(helpers):
                        workers.jobs.put(self)
                    if not self._whole:
                        self._take_pieces()
                    while self._pieces:  # an item that an interrupt loses is not missed: no pieces are left then
                        self._at_end.get()
                else:
                    self._pieces.clear()
                for helping in self._helpers:  # a helper that is added later finds no piece left
                    with helping:
                        pass
                unfinished = self.running = False
            except BaseException as error:
                interrupt = error
        del self._task, self._keep_alive  # a helper may hold the job for much longer
        failed = interrupt or self._error
        if failed is not None:
            raise failed

    def _take_pieces(self) -> None:
        while True:
            try:
                arguments = self._pieces.popleft()
            except IndexError:
                return
            self._task(*arguments)


class Workers:
    """The helper threads of the process: at most ``threads - 1`` (a setting) work, or ``threads`` if the caller waits.

    They help one caller at a time: who finds them busy does all alone, and so does work that is shared already. So
    there are no more threads than processors, unless the program itself has more.

    They are daemon threads; `close` waits for running copies at exit. A child of a fork starts its own.

    Attributes
    ----------
    callers : set of lock
        One lock for each running copy, added by its caller, which holds it during the copy: `close` waits for these.
        A caller checks `closed` after acquiring its lock, as `close` does not wait for copies that begin later.
    closed : bool
        Whether the process is about to exit, so that copies have to be done by NumPy.
    jobs : queue
        What the helpers take.
    job : _Job or None
        What was shared last.
    """

    def __init__(self) -> None:
        # Reentrant: a finaliser or a signal handler may run, and copy, while a thread is being started.
        self._lock = threading.RLock()
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.job: _Job | None = None
        self._threads = 0
        self.callers: set[threading.Lock] = set()
        self.closed = False

    def share(self, task: Task, total: int, nbytes: int, keep_alive: object = None, cut: Cut = pairwise) -> None:
        """Do a task for the range 0 to ``total``, with helpers if that is faster.

        Parameters
        ----------
        task : callable
            Called for each piece, in several threads at once.
        total : int
            End of the range.
        nbytes : int
            Bytes that the whole task moves.
        keep_alive : object
            Kept alive while any thread works: the owner of memory that the task knows by address only.
        cut : callable
            Returns the arguments of each piece.
        """
        threads = 1 if nbytes < thresholds.SHARED else self._free_threads()
        count = min(total, threads * thresholds.PIECES_EACH, nbytes // thresholds.PIECE)
        if threads == 1 or count < 2:
            (arguments,) = cut((0, total))
            task(*arguments)
            return
        job = _Job(task, deque(cut([total * piece // count for piece in range(count + 1)])), keep_alive)
        job.run(self._start_helpers(min(threads, count) - 1), self)

    def compute(self, task: Callable[[int], object], count: int, *, whole: bool = False) -> bool:
        """Call a task with the numbers from 0 to ``count``, with helpers; returns False, and calls nothing, without.

        With ``whole``, the task is done for all numbers, also after an interrupt, which is raised at the end. There is
        one helper more then, because the caller waits.
        """
        threads = min(self._free_threads(), count)
        if threads < 2:
            return False
        helpers = self._start_helpers(threads if whole else threads - 1)
        if whole and helpers < 2:
            return False
        _Job(task, deque([(number,) for number in range(count)]), whole=whole).run(helpers, self)
        return True

    def _free_threads(self) -> int:
        """Return how many threads may share work that this thread begins now, itself included."""
        if self.closed or ((job := self.job) is not None and job.running):
            return 1
        threads = config.current().threads
        return threads if threads == 1 else min(threads, thread_limit())

    def _start_helpers(self, count: int) -> int:
        """Start helpers until there are ``count``; return their number, which is smaller if the process exits."""
        with self._lock:
            try:
                while self._threads < count:
                    start(threading.Thread(target=_serve, args=(self.jobs,), name="accel-copy", daemon=True))
                    self._threads += 1
            except RuntimeError:
                pass
            return min(self._threads, count)

    def close(self) -> None:
        """Wait for the running copies; NumPy does all later ones, in their callers' threads."""
        self.closed = True
        for copying in tuple(self.callers):
            with copying:
                pass


def _serve(jobs: "SimpleQueue[_Job]") -> None:
    while True:
        jobs.get().help()


WORKERS = Workers()
"""The helpers of this process."""

atexit.register(WORKERS.close)
in_child(WORKERS.__init__)  # type: ignore[misc]
