"""The order of all work on the boxes of a root: tasks, and the host while it reads or writes.

`accel.memory.hazards` orders work by ranges of addresses. Boxes need an order of their own: two columns of a matrix
have no element in common, but their addresses interleave.

**The invariant.** Under one lock, in one step for all boxes that a work uses, the earlier works that it must wait for
are looked up and the work is recorded. So any two works that use the same element, one of them writing, have an order.
The order is the same for all elements they share. No work waits for one that was recorded later, so there is no
deadlock. No thread waits while it holds the lock.

A task leaves after all tasks that it comes after, also if it failed or never began. So its use replaces their uses
inside of the boxes that it writes: work that waits for the task need not wait for these. A use by the host replaces
none, because an interrupt may end the wait of the host. None replaces it: the host records tasks that Dask will run
while it uses the root, to hand the values over.

A work leaves before the threads that wait for it go on. So they find its failure.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from accel.store.boxes import Box, covers
from accel.store.regions import IDLE, Access, Effect, Regions, Work, lock
from accel.store.root import Root
from accel.support.locks import forked_since, process

__all__ = ["HostWork", "Use", "enter", "enter_idle", "hosting", "leave"]

_ALONE = frozenset({Access.WRITE, Access.READ_WRITE})


class Use(NamedTuple):
    """A use of a box.

    Attributes
    ----------
    root : Root
        The root.
    box : Box
        The elements.
    access : Access
        Whether the work reads, writes or reduces them.
    op : object
        The operator of a reduction.
    """

    root: Root
    box: Box
    access: Access
    op: object = None


class HostWork:
    """The host while it moves or writes the values of a root, as a `Work`.

    Attributes
    ----------
    after : sequence of Work
        The works that it waits for; empty when it is over.
    """

    __slots__ = ("_gate", "_over", "_process", "after", "failure")

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.after: Sequence[Work] = ()
        self._over = False
        self._process = process.token
        self._gate = threading.Lock()
        self._gate.acquire()

    def done(self) -> bool:
        """Tell whether it is over; in a child of a fork, the thread that did it is not there."""
        return self._over or forked_since(self._process)

    def settle(self) -> None:
        """Block until it is over; an error in the body of a task that it waits for."""
        # The works raise that error; the gate does not know which thread waits.
        for each in self.after:
            each.settle()
        if not self.done():
            with self._gate:
                pass

    def end(self) -> None:
        """Let the waiting threads go on."""
        self.after = ()
        self._over = True
        self._gate.release()


def enter(work: Work, uses: Iterable[Use]) -> list[Work]:
    """Record some work, and return the works that it must come after."""
    after: dict[int, Work] = {}
    with lock:
        for use in uses:
            _record(work, use, after)
    return [*after.values()]


def enter_idle(work: Work, uses: Iterable[Use]) -> bool:
    """Record some work if no work uses its roots, and no elements are invalid; tell whether that is so."""
    with lock:
        for use in uses:
            regions = use.root.regions
            if regions is not IDLE and (regions.uses or regions.failed is not None):
                return False
        for use in uses:
            root = use.root
            if root.regions is IDLE:
                root.regions = Regions(root.box)
            root.regions.uses.add(use.box, work, use)
        return True


def _record(work: Work, use: Use, after: dict[int, Work]) -> None:
    root = use.root
    regions = root.regions
    if regions is IDLE:
        regions = root.regions = Regions(root.box)
    replaces = use.access in _ALONE and type(work) is not HostWork
    replaced = []
    for box, other, earlier in regions.uses.overlapping(use.box):
        if other is work or not _ordered(earlier, use):
            continue
        after[id(other)] = other
        if replaces and type(other) is not HostWork and covers(use.box, box):
            replaced.append((box, other))
    regions.uses.add(use.box, work, use)
    for box, other in replaced:
        regions.uses.remove(box, other)


def _ordered(earlier: Effect, later: Effect) -> bool:
    """Tell whether two uses of the same elements must not take place at the same time."""
    if earlier.access is not later.access:
        return True
    if earlier.access is Access.REDUCE:
        return earlier.op is not later.op
    return earlier.access is not Access.READ


def leave(work: Work, uses: Sequence[Use]) -> None:
    """Forget some work that is over; elements that it failed to write are invalid until other work overwrites them."""
    failure = work.failure
    with lock:
        for use in uses:
            regions = use.root.regions
            regions.uses.remove(use.box, work)
            if failure is None:
                if regions.failed is not None and use.access is Access.WRITE:
                    regions.make_valid(use.box)
            elif use.access.writes:
                regions.make_invalid(use.box, failure)


@contextmanager
def hosting(root: Root, box: Box, access: Access) -> Iterator[None]:
    """Let the host use a box in a ``with`` block: it waits for earlier works, and later works wait for it.

    It does not look for elements that are invalid. With ``WRITE`` they are valid after the block.
    """
    work, uses = HostWork(), [Use(root, box, access)]
    try:
        with lock:  # a thread that finds the work also finds the works that it waits for
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
