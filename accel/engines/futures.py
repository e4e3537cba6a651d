"""`Future`: what a launch gives back, to wait for it."""

from collections.abc import Sequence
from typing import Protocol

from accel.store.failures import again
from accel.store.regions import Work

__all__ = ["OVER", "Future", "WorksFuture"]


class Future(Protocol):
    """A launch that was submitted."""

    def done(self) -> bool:
        """Tell whether all points are over; never waits."""
        ...

    def wait(self) -> None:
        """Block until all points are over; raises the exception of the first color whose body failed."""
        ...

    def exception(self) -> BaseException | None:
        """Block until all points are over, and return the exception of the first color whose body failed."""
        ...


class WorksFuture:
    """The future of some works, in the order of their colors.

    An interrupt ends the wait, not the tasks.
    """

    __slots__ = ("_works",)

    def __init__(self, works: Sequence[Work]) -> None:
        self._works = works

    def done(self) -> bool:
        """Tell whether all points are over; never waits."""
        return all(work.done() for work in self._works)

    def exception(self) -> BaseException | None:
        """Block until all points are over, and return the exception of the first color whose body failed."""
        for work in self._works:
            work.settle()
        return next((work.failure for work in self._works if work.failure is not None), None)

    def wait(self) -> None:
        """Block until all points are over.

        Raises
        ------
        BaseException
            The exception of the first color whose body failed.
        StoreError
            If the caller is the body of a task, and this launch cannot end before that body does.
        """
        failure = self.exception()
        if failure is not None:
            raise again(failure)

    def __repr__(self) -> str:
        state = "done" if self.done() else "in flight"
        return f"<Future, {state}>"


OVER = WorksFuture(())
"""The future of a launch that is over, and none of whose bodies failed."""
