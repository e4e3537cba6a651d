"""The order of all work on the boxes of a root: tasks, and the host while it reads or writes.

This is for boxes what `accel.memory.hazards` is for ranges of addresses: two tiles of a matrix that are columns have
no element in common, but their addresses interleave.

**The invariant.** Some work finds what it must come after, and is recorded itself, in one step for all the boxes it
uses, under one lock. So any two works that use the same element, one of them writing, have an order. The order is the
same for all elements they share. No work comes after one that was recorded later, so there is no deadlock. With the
lock held nothing waits.

A work leaves before it is done for those who wait for it. So whoever has waited finds its failure.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from accel.enums import PlainEnum
from accel.locks import open_after_fork
from accel.store.boxes import Box, covers, overlap

if TYPE_CHECKING:
    from accel.store.root import Root

__all__ = ["IDLE", "Access", "RegionRecord", "Use", "Work", "enter", "failure_of", "leave", "pending", "settle"]

_lock = open_after_fork(threading.RLock())


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


class Use(NamedTuple):
    """A use of a box.

    Attributes
    ----------
    root : Root
        The root.
    box : Box
        The elements.
    access : Access
        What is done with them.
    op : object
        The operator of a reduction.
    """

    root: "Root"
    box: Box
    access: Access
    op: object = None


class RegionRecord(NamedTuple):
    """The works in flight on a root in the order in which they were recorded, and the boxes whose last write failed."""

    uses: tuple[tuple[Use, Work], ...]
    failed: tuple[tuple[Box, BaseException], ...]


IDLE = RegionRecord((), ())
"""The record of a root without work in flight."""


def enter(work: Work, uses: Iterable[Use]) -> list[Work]:
    """Record some work, and return the works that it must come after."""
    after: dict[int, Work] = {}
    with _lock:
        for use in uses:
            _record(work, use, after)
    return [*after.values()]


def _record(work: Work, use: Use, after: dict[int, Work]) -> None:
    root = use.root
    seen = root.regions
    if seen is IDLE:
        root.regions = RegionRecord(((use, work),), ())
        return
    kept = []
    for each in seen.uses:
        earlier, other = each
        if other is not work and _ordered(earlier, use):
            after[id(other)] = other
            # What comes after an earlier use inside of this box comes after this one.
            if use.access.writes and use.access is not Access.REDUCE and covers(use.box, earlier.box):
                continue
        kept.append(each)
    root.regions = RegionRecord((*kept, (use, work)), seen.failed)


def _ordered(earlier: Use, later: Use) -> bool:
    """Tell whether two uses must not take place at the same time."""
    if earlier.access is later.access and (
        later.access is Access.READ or (later.access is Access.REDUCE and earlier.op is later.op)
    ):
        return False
    return overlap(earlier.box, later.box)


def leave(work: Work, uses: Sequence[Use]) -> None:
    """Forget some work that is over; what it failed to write is invalid until other work overwrites it."""
    failure = work.failure
    with _lock:
        for use in uses:
            root = use.root
            seen = root.regions
            remaining = tuple([each for each in seen.uses if each[1] is not work])
            failed = seen.failed
            if use.access.writes and failure is not None:
                failed = (*failed, (use.box, failure))
            elif use.access is Access.WRITE and failed:
                failed = tuple([each for each in failed if not covers(use.box, each[0])])
            root.regions = RegionRecord(remaining, failed) if remaining or failed else IDLE


def pending(root: "Root", box: Box, *, writing: bool) -> list[Work]:
    """Return the works that the host must wait for before it reads a box, or writes it."""
    return [work for use, work in root.regions.uses if (writing or use.access.writes) and overlap(use.box, box)]


def failure_of(root: "Root", box: Box) -> BaseException | None:
    """Return why an element of a box is invalid; None if all are valid."""
    return next((failure for failed, failure in root.regions.failed if overlap(failed, box)), None)


def settle(root: "Root", box: Box, *, writing: bool) -> None:
    """Make the host wait until it may use a box.

    Raises
    ------
    BaseException
        The failure of a task that was to write what the host would read.
    """
    if root.regions is IDLE:
        return
    for work in pending(root, box, writing=writing):
        work.settle()
    failure = failure_of(root, box)
    if failure is not None:
        raise failure
