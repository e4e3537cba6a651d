"""The order of all work on the boxes of a root: tasks, and the host while it reads or writes.

This is for boxes what `accel.memory.hazards` is for ranges of addresses: two tiles of a matrix that are columns have
no element in common, but their addresses interleave.

**The invariant.** Some work finds what it must come after, and is recorded itself, in one step for all the boxes it
uses, under one lock. So any two works that use the same element, one of them writing, have an order. The order is the
same for all elements they share. No work comes after one that was recorded later, so there is no deadlock. With the
lock held nothing waits.

A task leaves when all that it comes after have left, also if it failed or never began. So it takes the place of the
earlier uses inside of the boxes that it writes: what comes after it comes after these. The host takes no place,
because an interrupt may end its wait.

A work leaves before it is done for those who wait for it. So whoever has waited finds its failure.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from accel.store.box_tree import BoxTree
from accel.store.boxes import Box, covers, is_empty, without
from accel.store.failures import again
from accel.support.enums import PlainEnum
from accel.support.locks import forked_since, open_after_fork, process

if TYPE_CHECKING:
    from accel.store.root import Root

__all__ = [
    "IDLE",
    "Access",
    "HostWork",
    "Regions",
    "Use",
    "Work",
    "enter",
    "enter_idle",
    "failure_of",
    "hosting",
    "leave",
    "make_valid",
    "pending",
    "settle",
]

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


_ALONE = frozenset({Access.WRITE, Access.READ_WRITE})


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


class Regions:
    """What is recorded of a root; guarded by the lock of this module.

    Attributes
    ----------
    uses : BoxTree
        The uses by works in flight.
    failed : BoxTree
        The boxes that no work has written since one failed to, and why it failed.
    """

    __slots__ = ("failed", "uses")

    def __init__(self, region: Box) -> None:
        self.uses: BoxTree[Work, Use] = BoxTree(region)
        self.failed: BoxTree[BaseException, None] = BoxTree(region)


IDLE = Regions(())
"""The record of all roots that no work has used yet; it stays empty."""


class HostWork:
    """The host while it moves or writes the values of a root, as a `Work`.

    Attributes
    ----------
    after : sequence of Work
        What it waits for; empty when it is over.
    """

    __slots__ = ("_gate", "_over", "_process", "after", "failure")

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.after: Sequence[Work] = ()
        self._over = False
        self._process = process()
        self._gate = threading.Lock()
        self._gate.acquire()

    def done(self) -> bool:
        """Tell whether it is over; in a child of a fork, the thread that did it is not there."""
        return self._over or forked_since(self._process)

    def settle(self) -> None:
        """Block until it is over; refused in a body whose end it waits for."""
        # These refuse it; the gate does not know who waits.
        for each in self.after:
            each.settle()
        if not self.done():
            with self._gate:
                pass

    def end(self) -> None:
        """Let those go on who wait."""
        self.after = ()
        self._over = True
        self._gate.release()


def enter(work: Work, uses: Iterable[Use]) -> list[Work]:
    """Record some work, and return the works that it must come after."""
    after: dict[int, Work] = {}
    with _lock:
        for use in uses:
            if not is_empty(use.box):
                _record(work, use, after)
    return [*after.values()]


def enter_idle(work: Work, uses: Iterable[Use]) -> bool:
    """Record some work if no work uses its roots, and no elements are invalid; tell whether that is so."""
    with _lock:
        for use in uses:
            regions = use.root.regions
            if regions is not IDLE and (regions.uses or regions.failed):
                return False
        for use in uses:
            root = use.root
            if root.regions is IDLE:
                root.regions = Regions(root.box)
            if not is_empty(use.box):
                root.regions.uses.add(use.box, work, use)
        return True


def _record(work: Work, use: Use, after: dict[int, Work]) -> None:
    root = use.root
    regions = root.regions
    if regions is IDLE:
        regions = root.regions = Regions(root.box)
    takes_place = use.access in _ALONE and type(work) is not HostWork
    replaced = []
    for box, other, earlier in regions.uses.overlapping(use.box):
        if other is work or not _ordered(earlier, use):
            continue
        after[id(other)] = other
        if takes_place and covers(use.box, box):
            replaced.append((box, other))
    regions.uses.add(use.box, work, use)
    for box, other in replaced:
        regions.uses.remove(box, other)


def _ordered(earlier: Use, later: Use) -> bool:
    """Tell whether two uses of the same elements must not take place at the same time."""
    if earlier.access is not later.access:
        return True
    if earlier.access is Access.REDUCE:
        return earlier.op is not later.op
    return earlier.access is not Access.READ


def leave(work: Work, uses: Sequence[Use]) -> None:
    """Forget some work that is over; what it failed to write is invalid until other work overwrites it."""
    failure = work.failure
    with _lock:
        for use in uses:
            regions = use.root.regions
            regions.uses.remove(use.box, work)
            if failure is None:
                if use.access is Access.WRITE and regions.failed:
                    _cut(regions.failed, use.box)
            elif use.access.writes and not is_empty(use.box):
                _cut(regions.failed, use.box)
                regions.failed.add(use.box, failure, None)


def make_valid(root: "Root", box: Box) -> None:
    """Note that the elements of a box were overwritten, by whatever means."""
    if root.regions.failed:
        with _lock:
            _cut(root.regions.failed, box)


def _cut(failed: BoxTree[BaseException, None], box: Box) -> None:
    """Remove the elements of a box."""
    for other, failure, _ in [*failed.overlapping(box)]:
        failed.remove(other, failure)
        for rest in without(other, box):
            failed.add(rest, failure, None)


def pending(root: "Root", box: Box, *, writing: bool) -> list[Work]:
    """Return the works that the host must wait for before it reads a box, or writes it."""
    if not root.regions.uses:
        return []
    with _lock:
        found = root.regions.uses.overlapping(box)
        return [work for _, work, use in found if writing or use.access.writes]


def failure_of(root: "Root", box: Box) -> BaseException | None:
    """Return why an element of a box is invalid; None if all are valid."""
    if not root.regions.failed:
        return None
    with _lock:
        return next((failure for _, failure, _ in root.regions.failed.overlapping(box)), None)


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
    refuse_failed(root, box)


def refuse_failed(root: "Root", box: Box) -> None:
    """Raise the failure of a task that was to write elements of a box."""
    failure = failure_of(root, box)
    if failure is not None:
        raise again(failure)


@contextmanager
def hosting(root: "Root", box: Box, access: Access) -> Iterator[None]:
    """Let the host use a box in a ``with`` block: it waits for earlier works, and later works wait for it.

    It does not look for elements that are invalid. With ``WRITE`` they are valid after the block.
    """
    work, uses = HostWork(), [Use(root, box, access)]
    try:
        with _lock:  # who finds the work also finds what it waits for
            work.after = enter(work, uses)
        for each in work.after:
            each.settle()
        yield
    except BaseException:
        uses = [Use(root, box, Access.READ)]  # it has not written all elements
        raise
    finally:
        leave(work, uses)
        work.end()
