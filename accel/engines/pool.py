"""The threads that run tasks: daemon threads, as many as the setting ``threads`` allows.

At exit the tasks that were submitted are finished, as `accel.memory.thread_stream` finishes streams. A child of a fork
starts its own threads; the works of its parent never end there, and to wait for them is an error.

A thread that waits inside of a task does not count: another takes its place. So tasks that wait for tasks, or for
copies which wait for tasks, cannot use up all threads.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from queue import SimpleQueue
from typing import Protocol

from accel.support.locks import in_child, start

__all__ = ["POOL", "Pool", "Runnable"]


class Runnable(Protocol):
    """Something that a thread of the pool runs.

    Attributes
    ----------
    limit : int
        How many of the threads may be busy with it and others.
    """

    limit: int

    def run(self) -> "Runnable | None":
        """Do the work, and return what the same thread may do next."""
        ...


class _Thread(threading.local):
    """Whether the calling thread is one of the pool; bodies run in the contexts of others."""

    of_pool = False


_thread = _Thread()


class Pool:
    """Threads that run what is ready, in the order in which it became ready.

    **The invariant.** Under the lock, ``busy`` is the number of threads that run something and do not wait. If
    something is ready, then ``busy`` is at least the limit of all that is ready, or a thread was woken for it.
    """

    def __init__(self) -> None:
        # Reentrant: a finaliser may submit a task while a thread is being started.
        self._lock = threading.RLock()
        # By limit, since few limits are in use; the numbers give the order.
        self._ready: dict[int, deque[tuple[int, Runnable]]] = {}
        self._numbers = count()
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._idle = 0
        self._busy = 0

    def put(self, work: Runnable) -> None:
        """Run something as soon as a thread is free.

        Raises
        ------
        RuntimeError
            If there is no thread and none can be started; it is not run then.
        """
        with self._lock:
            queue = self._ready.setdefault(work.limit, deque())
            queue.append((next(self._numbers), work))
            try:
                self._dispatch()
            except BaseException:
                queue.pop()
                raise

    def _dispatch(self) -> None:
        """Wake or start a thread if there is something that it may run; the caller holds the lock.

        Raises
        ------
        RuntimeError
            If no thread runs, and none can be started.
        """
        for limit, queue in self._ready.items():
            if queue and self._busy < limit:
                break
        else:
            return
        self._busy += 1
        if self._idle:
            self._idle -= 1
            self._wake.put(None)
            return
        try:
            start(threading.Thread(target=self._serve, name="accel-task", daemon=True))
        except BaseException:
            self._busy -= 1
            if not self._busy:
                raise

    def _take(self) -> Runnable | None:
        """Return the first that a busy thread may run now; the caller holds the lock."""
        allowed = [queue for limit, queue in self._ready.items() if queue and self._busy <= limit]
        return min(allowed, key=_number).popleft()[1] if allowed else None

    def _serve(self) -> None:
        _thread.of_pool = True
        while True:
            work = self._next()
            if work is None:
                self._wake.get()
            while work is not None:
                work = work.run()

    def _next(self) -> Runnable | None:
        with self._lock:
            work = self._take()
            if work is not None:
                self._dispatch()
                return work
            self._busy -= 1
            self._idle += 1
            return None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let another thread take the place of this one while it waits; does nothing outside of the pool."""
        if not _thread.of_pool:
            yield
            return
        with self._lock:
            self._busy -= 1
            with suppress(RuntimeError):  # no thread can be started: what is ready waits for this one
                self._dispatch()
        try:
            yield
        finally:
            with self._lock:
                self._busy += 1


def _number(queue: deque[tuple[int, Runnable]]) -> int:
    return queue[0][0]


POOL = Pool()
"""The threads of this process."""

in_child(POOL.__init__)  # type: ignore[misc]
