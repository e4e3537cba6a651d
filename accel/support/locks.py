"""Locks that are free in the child of a fork, and locks that can be tried without losing them to an interrupt.

All comments about interrupts, here and elsewhere, rest on a fact about CPython: signal handlers, other threads and
(from 3.12 on) the garbage collector run only right after a call, on entry of a function, and at the end of a loop's
body. Adjacent statements with none of these between them are done together, or not at all.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import repeat
from typing import Any, TypeVar
from weakref import ref

from accel.support.system import FORKS, at_fork

__all__ = ["LockTakenError", "attempt", "forked_since", "in_child", "open_after_fork", "process", "start"]


_AnyLock = TypeVar("_AnyLock")

_LOOK = 0.05
"""Seconds between two looks at a thread that does not run yet."""


class LockTakenError(Exception):
    """Another thread holds the lock that was tried."""


class _Taken(dict[bool, object]):
    """Maps the result of `acquire` to the lock; raises if it was not taken."""

    def __missing__(self, taken: bool) -> object:
        raise LockTakenError


def attempt(lock: Any) -> AbstractContextManager[object]:
    """Return a context manager that takes a lock and never waits for it; entering raises `LockTakenError` instead.

    ``if lock.acquire(blocking=False):`` can take the lock and lose the result to an interrupt; the lock then stays
    taken. Here as in ``with lock:``, no bytecode runs between taking the lock and the block: the result of `acquire` is
    looked up in a dictionary whose only key is True.
    """
    tries = map(_Taken({True: lock}).__getitem__, map(lock.acquire, repeat(False)))
    methods = {"__slots__": (), "__enter__": staticmethod(tries.__next__), "__exit__": staticmethod(lock.__exit__)}
    context: AbstractContextManager[object] = type("attempt", (), methods)()
    return context


def in_child(action: Callable[[], object]) -> None:
    """Run an action in each child of a fork, before all else; does nothing where there are no forks."""
    at_fork(after_in_child=action)


def open_after_fork(lock: _AnyLock) -> _AnyLock:
    """Release a lock in each child of a fork, whichever thread held it in the parent; returns the lock.

    A fork does not wait for the lock, so it cannot be part of a deadlock. But the child may see the guarded data as it
    was in the middle of another thread's change: the data must be consistent at each moment.
    """
    if FORKS:
        in_child(lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock


class _NoWait(threading.Event):
    """In the place of the event for which `Thread.start` waits, for ever if the thread ends before it sets it."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002
        """Return at once: `start` waits."""
        return True


class _Entry:
    """What a new thread calls. It belongs to the thread alone, so it is gone when the thread has ended.

    Where Python's report of an error keeps it, it still says that it is over.
    """

    __slots__ = ("__weakref__", "_function", "over")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self.over = False

    def __call__(self) -> None:
        try:
            self._function()
        finally:
            self.over = True


def start(thread: threading.Thread) -> None:
    """Start a thread, and return when it runs.

    Raises
    ------
    RuntimeError
        If the system has no thread left, or no memory for what a thread does before it runs.
    """
    run, began = thread.run, threading.Lock()
    began.acquire()

    def announced() -> None:
        del thread.run  # or the thread would keep itself alive
        began.release()
        run()

    entry: Any = _Entry(thread._bootstrap)  # type: ignore[attr-defined]
    alive = ref(entry)
    thread.run, thread._bootstrap, thread._started = announced, entry, _NoWait()  # type: ignore[method-assign,attr-defined]
    del entry
    try:
        thread.start()
    except MemoryError:
        raise _no_memory() from None
    finally:
        del thread._bootstrap  # type: ignore[attr-defined]
    while not began.acquire(timeout=_LOOK):
        if getattr(alive(), "over", True) and began.locked():
            threading._limbo.pop(thread, None)  # type: ignore[attr-defined]
            raise _no_memory()


def _no_memory() -> RuntimeError:
    return RuntimeError("can't start new thread: there is too little memory for it; release memory")


class _Process:
    """The process that runs this code.

    Attributes
    ----------
    token : object
        For `forked_since`; the child of a fork has another one.
    """

    def __init__(self) -> None:
        self.token = object()


process: _Process = _Process()
in_child(process.__init__)  # type: ignore[misc]


def forked_since(token: object) -> bool:
    """Tell whether this process is a child of the process that had a token."""
    return token is not process.token
