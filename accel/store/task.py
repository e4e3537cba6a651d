"""`task_scope`: a task, which frees its scratch memory at its end."""

from contextvars import ContextVar
from typing import Self

from accel.device import DeviceLike
from accel.memory.storage import Storage
from accel.store.store_targets import Place, StoreTarget, place_of

__all__ = ["TaskScope", "current_task", "task_scope"]


class TaskScope:
    """A task, and the scratch memory that it keeps until it ends; a ``with`` block makes it the current one.

    Attributes
    ----------
    place : Place or None
        The kind of memory that its buffers get by default; None for that of `Device.default`.
    """

    __slots__ = ("_outer", "_storages", "place")

    def __init__(self, place: Place | None = None) -> None:
        self.place: Place | None = place
        self._storages: dict[int, Storage] = {}
        self._outer: TaskScope | None = None

    def __enter__(self) -> Self:
        self._outer = _current.get()
        _current.set(self)
        return self

    def __exit__(self, *exception: object) -> None:
        # Not reset by a token: a generator may end in another context than it began in.
        _current.set(self._outer)
        if self._storages:
            self.end()

    def hold(self, storage: Storage) -> None:
        """Keep some memory until the task ends.

        Parameters
        ----------
        storage : Storage
            The memory.
        """
        self._storages[id(storage)] = storage

    def add_buffer(self, storage: Storage) -> None:
        """Keep the memory of a buffer until the task ends.

        Parameters
        ----------
        storage : Storage
            The memory.
        """
        self.hold(storage)

    def drop(self, storage: Storage) -> None:
        """Forget some memory, which is not released at the end; no effect if the task does not keep it.

        Parameters
        ----------
        storage : Storage
            The memory.
        """
        self._storages.pop(id(storage), None)

    def __repr__(self) -> str:
        where = "" if self.place is None else f" on {self.place.kind.name} of {self.place.device}"
        return f"<task scope{where}, {len(self._storages)} allocations>"

    def end(self) -> None:
        """Release all memory that the task keeps."""
        while self._storages:
            _, storage = self._storages.popitem()
            storage.release()


class _Program(TaskScope):
    """The task outside of any `task_scope`: in it a buffer lives as long as it is referenced."""

    __slots__ = ()

    def add_buffer(self, storage: Storage) -> None:
        """Do nothing: the references to the buffer keep it alive."""


_current: ContextVar[TaskScope | None] = ContextVar("accel_task", default=None)
_program = _Program()


def current_task() -> TaskScope:
    """Return the innermost task of this context; outside of any, the task is the program."""
    return _current.get() or _program


def task_scope(target: Place | StoreTarget | DeviceLike | None = None) -> TaskScope:
    """Make a ``with`` block a task: memory of `ScopedAllocator` and `create_buffer` is freed when it ends.

    Engines run the body of each task in one, on the device of the task.

    Parameters
    ----------
    target : StoreTarget or Device or str, optional
        The kind of memory that buffers of the task get by default; otherwise that of the outer task, or of
        `Device.default`.

    Returns
    -------
    TaskScope
        A context manager; its value is the task.

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
    return TaskScope(current_task().place if target is None else place_of(target))
