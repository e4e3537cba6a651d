"""`task_scope`: the bounds of a task, at the end of which its scratch memory goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from accel.memory.storage import Storage

__all__ = ["TaskScope", "current_task", "task_scope"]


class TaskScope:
    """What a task was lent until it ends."""

    def __init__(self) -> None:
        self._held: dict[int, Storage] = {}

    def hold(self, storage: Storage) -> None:
        """Keep some memory until the task ends."""
        self._held[id(storage)] = storage

    def lend(self, storage: Storage) -> None:
        """Take notice of a buffer, which ends with the task."""
        self.hold(storage)

    def let_go(self, storage: Storage) -> None:
        """Keep it no longer; harmless where it was not kept."""
        self._held.pop(id(storage), None)

    def end(self) -> None:
        """Release all that is held."""
        while self._held:
            _, storage = self._held.popitem()
            storage.release()


class _Program(TaskScope):
    """The task outside of any: in it a buffer lives as long as somebody refers to it."""

    def lend(self, storage: Storage) -> None:
        """Leave a buffer to those who refer to it."""


_current: ContextVar[TaskScope | None] = ContextVar("accel_task", default=None)
_program = _Program()


def current_task() -> TaskScope:
    """Return the innermost task that this code is in; outside of any, the program is the task."""
    return _current.get() or _program


@contextmanager
def task_scope() -> Iterator[TaskScope]:
    """Let a ``with`` block be a task: what `ScopedAllocator` and `create_buffer` lent it goes when it ends.

    For engines, which run each task in one; there is none yet, so a program that wants tasks writes this itself.

    Examples
    --------
    >>> from accel.store import create_buffer, task_scope
    >>> with task_scope():
    ...     scratch = create_buffer("float64", (3, 4))
    >>> scratch.get_inline_allocation()
    Traceback (most recent call last):
        ...
    accel.errors.ReleasedError: this TaskLocalBuffer (float64, extents (3, 4)) was destroyed, or its task is over...
    """
    task, outer = TaskScope(), _current.get()
    _current.set(task)
    try:
        yield task
    finally:
        # Not by a token: a generator may end in another context than it began in.
        _current.set(outer)
        task.end()
