"""Tasks on memory of the user: in order with copies and kernels that use this memory by its container or array.

`accel.store.box_order` orders tasks by boxes. The user can also reach attached memory by its container or array. That
work is ordered by `accel.memory.hazards`, by addresses. So a launch is recorded there too, as one submission for all
its points. Tasks do not wait for one another by these submissions, since tasks on columns of a matrix have no element
in common, and their addresses interleave.

**The invariant.** A later submission of tasks replaces an earlier one in the hazards of the same bytes, and the tasks
themselves may have no order. So the event of a submission also stands for the works of those it replaced that are not
over. Both records are made in one step (`order`): two launches have the same order in both.

Two stores may be attached to the same memory. The regions of one do not know the other. So their works wait for one
another, as if each used all elements that the stores share.

A body uses the memory by an alias, whose hazards are its own. Otherwise a copy in the body would wait for later work on
this memory, and that work waits for the task.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from accel.device import Device
from accel.engines.pool import POOL
from accel.engines.work import TaskWork
from accel.memory import HostStorage, hazards
from accel.memory.submission import Submission
from accel.store import box_order
from accel.store.box_order import Use
from accel.store.failures import again
from accel.store.regions import Access, Work
from accel.store.root import Root
from accel.store.shared_memory import note_overwritten, other_uses
from accel.support.locks import open_after_fork

__all__ = ["LaunchRecord", "TaskEvent", "enter_idle", "order", "record_of"]

order: threading.RLock = open_after_fork(threading.RLock())
"""Held while a launch is recorded, in the regions and in the hazards; nothing waits with it held."""


class TaskEvent:
    """The end of some tasks, as an `Event`."""

    __slots__ = ("own", "works")

    def __init__(self, own: Sequence[TaskWork], earlier: Sequence[TaskWork]) -> None:
        self.own: Sequence[TaskWork] = own
        self.works: list[TaskWork] = [*earlier, *own]

    device = Device.CPU
    began = None
    ended = None
    of_tasks = True

    @property
    def failed(self) -> bool:
        """Whether elements are invalid because a task of the launch failed."""
        return self._failure() is not None

    def _failure(self) -> BaseException | None:
        """Return the failure of elements that the launch should have written; None if they were overwritten since."""
        written = [use for work in self.own if work.failure is not None for use in work.uses if use.access.writes]
        failures = [use.root.regions.failure_of(use.box) for use in written]
        return next((each for each in failures if each is not None), None)

    def done(self) -> bool:
        """Tell whether all are over."""
        works = self.works
        for at, work in enumerate(works):
            if not work.over:
                if at:  # the launch has begun, so nothing is added any more
                    self.works = works[at:]  # or the end of each point would ask all points before it
                return False
        self.works = []
        return True

    def settle(self) -> None:
        """Block until all are over."""
        for work in self.works:
            work.settle()

    def wait(self) -> None:
        """Block until all are over; raises the failure of elements that they should have written."""
        self.settle()
        failure = self._failure()
        if failure is not None:
            raise again(failure)


def _attached_roots(uses: Sequence[Use]) -> dict[Root, bool]:
    """Return the roots whose values are in memory of the user now, and whether they are written."""
    roots: dict[Root, bool] = {}
    for root, _, access, _ in uses:
        home = root.home
        if home is not None and root.contents is home:
            roots[root] = roots.get(root, False) or access is not Access.READ
    return roots


class LaunchRecord:
    """The record of a launch in the hazards of attached memory.

    Attributes
    ----------
    after : list of Submission
        Other work on the memory that the launch must come after.
    read : list of Submission
        Other work whose results the launch reads.
    """

    def __init__(self, roots: dict[Root, bool]) -> None:
        self._roots = roots
        self._claims = [root.storage().claim(writing=writing) for root, writing in roots.items()]
        self._submission = Submission()
        self.after: list[Submission] = []
        self.read: list[Submission] = []
        self._written: list[tuple[TaskWork, Use, list[tuple[Any, Use]]]] = []

    def enter(self, works: Sequence[TaskWork], after: Sequence[list[Work]]) -> None:
        """Record the works, each of which comes after others of the same roots; the caller holds `order`."""
        submission = self._submission
        for work in works:
            work.memory = self
            self._note_writes(work)
        if self._has_alias(self._roots.items()):
            for work, earlier in zip(works, after[1:], strict=False):
                earlier.append(work)
        event = TaskEvent(works, ())
        submission.event = event
        read = hazards.enter(submission, self._claims)
        implied = {id(each) for earlier in after for each in earlier}
        for each in submission.after:
            if isinstance(each.event, TaskEvent):
                unfinished = [work for work in each.event.works if not work.over]
                # Those that these works come after anyway are over before these.
                event.works += [work for work in unfinished if id(work) not in implied]
                aliased = self._aliased(unfinished)
                for earlier in after:
                    earlier.extend(aliased)
            else:
                self.after.append(each)
        self.read = [each for each in read if not isinstance(each.event, TaskEvent) or self._aliased(each.event.own)]
        hazards.confirm(submission, self.read)

    def enter_alone(self, work: TaskWork) -> None:
        """Record the only work of a launch; the caller holds `order`, and no task uses the memory."""
        submission = self._submission
        work.memory = self
        submission.event = TaskEvent((work,), ())
        self.read = [*hazards.enter(submission, self._claims)]
        self.after = [*submission.after]
        hazards.confirm(submission, self.read)

    def _note_writes(self, work: TaskWork) -> None:
        """Record the earlier uses, by other stores, of the elements that a work writes."""
        for use in work.uses:
            if use.access is Access.WRITE and use.root in self._roots:
                earlier = other_uses(use.root, use.box)
                if earlier:
                    self._written.append((work, use, earlier))

    def _aliased(self, works: Sequence[TaskWork]) -> list[TaskWork]:
        """Return the works that use memory of this launch by another store."""
        return [
            work for work in works if self._has_alias([(use.root, use.access is not Access.READ) for use in work.uses])
        ]

    def _has_alias(self, others: Iterable[tuple[Root, bool]]) -> bool:
        """Tell whether others use memory of this launch by another store, and one of the two writes."""
        return any(
            (writing or other_writing) and root.shares_memory(other)
            for other, other_writing in others
            for root, writing in self._roots.items()
        )

    def begin(self) -> None:
        """Wait for other work on the memory, and raise its failure if the launch reads its result."""
        if not all(each.done() for each in self.after):
            with POOL.waiting():
                for each in self.after:
                    each.settle()
        hazards.refuse_failed(self.read)

    def leave(self) -> None:
        """Forget the launch, which is over."""
        event = self._submission.event
        if event is not None and event.done():
            for work, use, earlier in self._written:
                if work.failure is None:
                    note_overwritten(use, earlier)
            self._written = []
            done: set[Submission] = {self._submission}
            failed = done if event.failed else set()
            for claim in self._claims:
                hazards.forget_these(claim[0], done, failed)


def enter_idle(work: TaskWork, roots: dict[Root, bool]) -> bool:
    """Record a work if its roots, their values and their memory are idle; tell whether that is so.

    ``roots`` are those on memory of the user, and whether they are written.
    """
    with order:
        held = [root.contents for root in roots]
        idle = all(type(each) is HostStorage and each.owner.hazards is None for each in held)
        if not idle or not box_order.enter_idle(work, work.uses):
            return False
        if all(type(use.root.contents) is HostStorage for use in work.uses):
            LaunchRecord(_attached_roots(work.uses)).enter_alone(work)
            return True
    work.end_here(None)
    return False


def record_of(uses: Sequence[Use]) -> LaunchRecord | None:
    """Return the record of a launch with these uses; None if none of the memory is attached."""
    roots = _attached_roots(uses)
    return LaunchRecord(roots) if roots else None
