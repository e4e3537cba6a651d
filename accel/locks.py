"""Locks that a fork leaves open."""

import os
from typing import Any, Protocol, TypeVar

__all__ = ["across_forks"]


class _Lock(Protocol):
    def acquire(self) -> Any: ...
    def release(self) -> Any: ...


_AnyLock = TypeVar("_AnyLock", bound=_Lock)


def across_forks(lock: _AnyLock) -> _AnyLock:
    """Hold the lock around every fork, so that a child finds it open and what it guards whole.

    For locks that live as long as the process.
    """
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
