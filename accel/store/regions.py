"""`Regions`: which work uses which boxes of a root, and which boxes are invalid because work failed.

`accel.store.box_order` records work here, and orders works that use the same elements.
"""

import threading
from typing import Protocol

from accel.store.box_tree import BoxTree
from accel.store.boxes import Box, is_empty, without
from accel.store.failures import again
from accel.support.enums import PlainEnum
from accel.support.locks import open_after_fork

__all__ = ["IDLE", "Access", "Effect", "Regions", "Work", "lock"]

lock: threading.RLock = open_after_fork(threading.RLock())
"""Guards all `Regions`; no thread waits while it holds the lock."""


class Access(PlainEnum):
    """What some work does with the elements of a box.

    ``WRITE`` writes each element and reads none. ``REDUCE`` combines values into the elements by an operator; works
    that reduce by the same operator have no order.
    """

    READ = "read"
    WRITE = "write"
    READ_WRITE = "read_write"
    REDUCE = "reduce"

    @property
    def reads(self) -> bool:
        """Whether the work needs the old values."""
        return self is not Access.WRITE

    @property
    def writes(self) -> bool:
        """Whether the work changes the elements."""
        return self is not Access.READ


class Work(Protocol):
    """A task, or the host while it reads or writes.

    Attributes
    ----------
    failure : BaseException or None
        Why the work failed; known when it is done.
    """

    failure: BaseException | None

    def done(self) -> bool:
        """Tell whether the work is over."""
        ...

    def settle(self) -> None:
        """Block until the work is over; never raises its failure."""
        ...


class Effect(Protocol):
    """What some work does with the elements of a box: an `accel.store.box_order.Use`."""

    @property
    def access(self) -> Access:
        """Whether it reads, writes or reduces."""
        ...

    @property
    def op(self) -> object:
        """The operator of a reduction."""
        ...


class Regions:
    """The works in flight and the invalid elements of a root; guarded by `lock`.

    Attributes
    ----------
    uses : BoxTree
        The uses by works in flight.
    failed : BoxTree or None
        The boxes that a work failed to write and no later work has overwritten, with the failure; None: there are none.
    """

    __slots__ = ("failed", "uses")

    def __init__(self, region: Box) -> None:
        self.uses: BoxTree[Work, Effect] = BoxTree(region)
        self.failed: BoxTree[BaseException, None] | None = None

    def make_valid(self, box: Box) -> None:
        """Note that the elements of a box were overwritten."""
        if self.failed is not None:
            with lock:
                self._cut(box)

    def make_invalid(self, box: Box, failure: BaseException) -> None:
        """Note why the elements of a box were not written."""
        if is_empty(box):
            return
        with lock:
            self._cut(box)
            if self.failed is None:
                self.failed = BoxTree(self.uses.region)
            self.failed.add(box, failure, None)

    def _cut(self, box: Box) -> None:
        """Remove the elements of a box from those that are invalid."""
        failed = self.failed
        if failed is None:
            return
        for other, failure, _ in [*failed.overlapping(box)]:
            failed.remove(other, failure)
            for rest in without(other, box):
                failed.add(rest, failure, None)
        if not failed:
            self.failed = None

    def pending(self, box: Box, *, writing: bool) -> list[Work]:
        """Return the works that the host must wait for before it reads a box, or writes it."""
        if not self.uses:
            return []
        with lock:
            overlapping = self.uses.overlapping(box)
            return [work for _, work, use in overlapping if writing or use.access.writes]

    def failure_of(self, box: Box) -> BaseException | None:
        """Return why an element of a box is invalid; None if all are valid."""
        failed = self.failed
        if failed is None:
            return None
        with lock:
            return next((failure for _, failure, _ in failed.overlapping(box)), None)

    def settle(self, box: Box, *, writing: bool) -> None:
        """Make the host wait until it may use a box.

        Raises
        ------
        BaseException
            The failure of a task that was to write elements of the box.
        """
        if self is IDLE:
            return
        for work in self.pending(box, writing=writing):
            work.settle()
        self.refuse_failed(box)

    def refuse_failed(self, box: Box) -> None:
        """Raise the failure of a task that was to write elements of a box."""
        failure = self.failure_of(box)
        if failure is not None:
            raise again(failure)


IDLE = Regions(())
"""The record of all roots that no work has used yet; it stays empty."""
