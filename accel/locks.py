"""Locks that a fork leaves open, and locks that can be tried without losing them to an interrupt.

What is said about interrupts, here and elsewhere, rests on a fact about CPython: signal handlers, other threads and
(from 3.12 on) the collector get their turn only right after a call, on entry of a function, and where a loop goes back.
Statements that stand next to each other with none of these between them are done together, or not at all.
"""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import repeat
from typing import Any, TypeVar

__all__ = ["BusyError", "attempt", "forked_since", "in_child", "open_after_fork", "process", "start"]


_AnyLock = TypeVar("_AnyLock")


class BusyError(Exception):
    """Another thread holds the lock that was tried."""


class _Taken(dict[bool, object]):
    """What `acquire` returns, if it took the lock."""

    def __missing__(self, taken: bool) -> object:
        raise BusyError


def attempt(lock: Any) -> AbstractContextManager[object]:
    """Return a context manager that takes a lock and never waits for it; entering raises `BusyError` instead.

    ``if lock.acquire(blocking=False):`` can take the lock and lose the answer to an interrupt, and the lock then stays
    closed. Here as in ``with lock:``, no bytecode is run between taking the lock and the block: what `acquire` returns
    is looked up in a dictionary that has only True.
    """
    tries = map(_Taken({True: lock}).__getitem__, map(lock.acquire, repeat(False)))
    methods = {"__slots__": (), "__enter__": staticmethod(tries.__next__), "__exit__": staticmethod(lock.__exit__)}
    made: AbstractContextManager[object] = type("attempt", (), methods)()
    return made


def in_child(action: Callable[[], object]) -> None:
    """Let something be done in each child of a fork, before all else; never where there are no forks."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=action)


def open_after_fork(lock: _AnyLock) -> _AnyLock:
    """Let a child of a fork find a lock open, whoever held it in the parent.

    A fork does not wait for the lock, so it cannot be part of a deadlock. But the child may find what the lock guards
    as another thread had it at any moment: it must be whole at each.
    """
    in_child(lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock


def start(thread: threading.Thread) -> None:
    """Start a thread; an interrupt is raised as such.

    It can come inside a `threading.Condition` that `Thread.start` waits with, and is then a RuntimeError about a lock.

    Raises
    ------
    RuntimeError
        If no thread can be had.
    """
    try:
        thread.start()
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


class _Process:
    """Stands for this process; a child of a fork has another one."""


_process = _Process()


def process() -> object:
    """Return what stands for this process, for `forked_since`."""
    return _process


def forked_since(before: object) -> bool:
    """Tell whether this is a child of the process that something stands for."""
    return before is not _process


def _start_anew() -> None:
    global _process
    _process = _Process()


in_child(_start_anew)
