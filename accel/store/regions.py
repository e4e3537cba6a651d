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
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from accel.enums import PlainEnum
from accel.locks import open_after_fork
from accel.store.box_index import BoxIndex
from accel.store.boxes import Box, covers, overlap

if TYPE_CHECKING:
    from accel.store.root import Root

__all__ = [
    "IDLE",
    "Access",
    "RegionRecord",
    "Use",
    "Work",
    "enter",
    "enter_all",
    "enter_idle",
    "failure_of",
    "leave",
    "pending",
    "settle",
]

_lock = open_after_fork(threading.RLock())

# To record so many works, an index of their boxes is worth while.
_MANY = 24


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


class RegionRecord:
    """The works in flight on a root, and the boxes whose last write failed.

    Attributes
    ----------
    uses : dict
        Each use and its work, by the identity of the use, in the order in which they were recorded.
    failed : tuple
        Boxes and failures.
    """

    __slots__ = ("failed", "uses")

    def __init__(self, uses: dict[int, "Recorded"], failed: tuple[tuple[Box, BaseException], ...] = ()) -> None:
        self.uses = uses
        self.failed = failed


Recorded = tuple[Use, Work]
"""A use, and the work that has it."""

IDLE = RegionRecord({})
"""The record of a root without work in flight; it is never changed."""


def enter(work: Work, uses: Sequence[Use]) -> list[Work]:
    """Record some work, and return the works that it must come after."""
    (after,) = enter_all([(work, uses)])
    return after


def enter_all(entries: Sequence[tuple[Work, Sequence[Use]]]) -> list[list[Work]]:
    """Record some works in one step, each after those before it; return for each what it must come after."""
    found: list[list[Work]] = []
    indices: dict[int, _Index] = {}
    with _lock:
        for work, uses in entries:
            after: dict[int, Work] = {}
            for use in uses:
                seen = use.root.regions
                if len(entries) >= _MANY and id(use.root) not in indices:
                    indices[id(use.root)] = _Index.of(use.root, entries)
                index = indices.get(id(use.root))
                _record(work, use, after, [*seen.uses.values()] if index is None else index.conflicts(use))
                if index is not None:
                    index.add((use, work))
            found.append([*after.values()])
    return found


class _Index:
    """The uses of one root, while many works are recorded."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._reading: BoxIndex[Recorded] = BoxIndex(boxes)
        self._writing: BoxIndex[Recorded] = BoxIndex(boxes)

    @classmethod
    def of(cls, root: "Root", entries: Sequence[tuple[Work, Sequence[Use]]]) -> Self:
        recorded = [*root.regions.uses.values()]
        made = cls([use.box for _, uses in entries for use in uses if use.root is root])
        for each in recorded:
            made.add(each)
        return made

    def add(self, recorded: "Recorded") -> None:
        kind = self._reading if recorded[0].access is Access.READ else self._writing
        kind.add(recorded[0].box, recorded)

    def conflicts(self, use: Use) -> list["Recorded"]:
        """Return the uses that this one must come after, and perhaps others."""
        seen = use.root.regions.uses
        found = [*self._writing.near(use.box)]
        if use.access is not Access.READ:
            found += self._reading.near(use.box)
        return [each for each in found if id(each[0]) in seen]


def enter_idle(work: Work, uses: Sequence[Use]) -> bool:
    """Record some work if no root that it uses has work in flight or failed boxes; tell whether that is so."""
    with _lock:
        for use in uses:
            if use.root.regions is not IDLE:
                return False
        for use in uses:
            root = use.root
            if root.regions is IDLE:
                root.regions = RegionRecord({id(use): (use, work)})
            else:  # used twice
                root.regions.uses[id(use)] = use, work
        return True


def _record(work: Work, use: Use, after: dict[int, Work], candidates: Iterable["Recorded"]) -> None:
    root = use.root
    if root.regions is IDLE:
        root.regions = RegionRecord({id(use): (use, work)})
        return
    recorded = root.regions.uses
    for earlier, other in candidates:
        if other is not work and _ordered(earlier, use):
            after[id(other)] = other
            # What comes after an earlier use inside of this box comes after this one.
            if use.access.writes and use.access is not Access.REDUCE and covers(use.box, earlier.box):
                recorded.pop(id(earlier), None)
    recorded[id(use)] = use, work


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
            seen.uses.pop(id(use), None)
            failed = seen.failed
            if failure is not None and use.access.writes:
                seen = RegionRecord(seen.uses, (*failed, (use.box, failure)))
            elif failed and use.access is Access.WRITE:
                seen = RegionRecord(seen.uses, tuple([each for each in failed if not covers(use.box, each[0])]))
            root.regions = seen if seen.uses or seen.failed else IDLE


def pending(root: "Root", box: Box, *, writing: bool) -> list[Work]:
    """Return the works that the host must wait for before it reads a box, or writes it."""
    recorded = [*root.regions.uses.values()]  # in one step: other threads may change it
    return [work for use, work in recorded if (writing or use.access.writes) and overlap(use.box, box)]


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
