"""Work in flight, and the memory that it keeps alive until it is done."""

import threading
from contextlib import suppress
from itertools import islice
from typing import NamedTuple, Protocol

from accel import config
from accel.memory.hazards import HazardRecord, forget_these
from accel.memory.locked_table import LockedTable, report_unraisable
from accel.memory.submission import Submission
from accel.support.call_sites import call_site

__all__ = ["HasTraffic", "HeldMemory", "PendingTable", "PendingWork", "SupportsKeepAlive"]

_OLDEST = 4
"""How much work is asked whether it is done, by each allocation and each copy that the host waits for."""
_MOST_HELD = 64
"""Of how many allocations an open submission is to keep alive the memory."""


class HasTraffic(Protocol):
    """An owner of memory, of which hazards are recorded."""

    @property
    def hazard_record(self) -> HazardRecord:
        """The record of its hazards."""
        ...


class HeldMemory(Protocol):
    """What work in flight holds: a keep-alive."""

    @property
    def owner(self) -> HasTraffic | None:
        """The owner of the memory; None after the release."""
        ...

    def release(self) -> None:
        """End the use of the memory."""
        ...


class SupportsKeepAlive(Protocol):
    """What work uses: a storage or an owner."""

    def keep_alive(self) -> HeldMemory:
        """Keep the bytes alive until the result is released."""
        ...


class PendingWork(NamedTuple):
    """Work on a stream of a device, and the memory that it keeps alive until it is done."""

    event: Submission
    keep_alives: tuple[HeldMemory, ...]


class Holding:
    """The memory that an open submission keeps alive; more of it until the submission ends.

    Attributes
    ----------
    event : Submission
        The submission.
    held : dict
        The keep-alives, by the owners of the memory.
    """

    __slots__ = ("event", "held")

    def __init__(self, event: Submission) -> None:
        self.event: Submission = event
        self.held: dict[SupportsKeepAlive, HeldMemory] = {}

    @property
    def keep_alives(self) -> tuple[HeldMemory, ...]:
        """The keep-alives."""
        return tuple(self.held.values())


class PendingTable(LockedTable):
    """An allocation table together with the work in flight on its device.

    Attributes
    ----------
    pending_work : dict of PendingWork or Holding to str
        The work in flight, and where it was submitted: in debug mode, and not of work that its submitter waits for.
    """

    __slots__ = ("_last_holding", "_retire_at", "pending_work")

    def __init__(self) -> None:
        super().__init__()
        self.pending_work: dict[PendingWork | Holding, str] = {}
        self._last_holding = Holding(Submission())
        self._retire_at = 16

    def add_pending(self, pending: PendingWork) -> None:
        """Record work in flight; retire what is done whenever there is twice as much as the last time."""
        self.pending_work[pending] = call_site() if config.debugging() else ""
        self.retire_if_many()

    def hold(self, opened: Submission, memory: SupportsKeepAlive) -> None:
        """Keep memory alive until an open submission ends; the caller holds the gate, and calls `retire_if_many` after.

        No thread releases it before: it is released after the end, which needs the gate.
        """
        holding = self._last_holding
        if holding.event is not opened:
            holding = self._last_holding = Holding(opened)
            self.pending_work[holding] = ""
        if memory not in holding.held:
            holding.held[memory] = memory.keep_alive()

    def retire_if_many(self) -> None:
        """Retire what is done if there is twice as much as the last time, so that each piece is asked a few times.

        An open submission that keeps much memory alive ends here.
        """
        holding = self._last_holding
        if len(holding.held) >= _MOST_HELD:
            holding.event.done()
        if len(self.pending_work) > self._retire_at:
            self.retire_finished()
            self._retire_at = 2 * len(self.pending_work) + 16

    def retire_finished(self) -> None:
        """Release the memory of all work that is done, and make deferred changes."""
        for pending in list(self.pending_work):
            self._retire_if_done(pending)
        self.run_deferred()

    def retire_oldest(self) -> None:
        """Release the memory of the oldest work if it is done, and make deferred changes.

        It asks for a few events only, however much work is in flight, and lets none be recorded.
        """
        try:
            oldest = list(islice(self.pending_work, _OLDEST))
        except RuntimeError:  # another thread changed it between the two calls; it asks for the oldest itself
            oldest = []
        for pending in oldest:
            if pending.event.may_be_done:
                self._retire_if_done(pending)
        self.run_deferred()

    def _retire_if_done(self, pending: PendingWork | Holding) -> None:
        if pending.event.done():
            try:
                self.retire(pending)
            except Exception as error:  # of a deleter: the caller has nothing to do with it
                report_unraisable(error)

    def retire(self, pending: PendingWork | Holding) -> None:
        """Release the memory of work that is done; doing so again is harmless."""
        if self.pending_work.pop(pending, None) is None:  # another thread may have been first
            return
        submission, failed = pending.event, set()
        if submission.culprit() is not None:
            failed.add(submission)
        for keep_alive in pending.keep_alives:
            owner = keep_alive.owner
            if owner is not None:  # the submitter may release it at the same time
                forget_these(owner.hazard_record, {submission}, failed)
            keep_alive.release()

    def wait(self) -> None:
        """Wait for all work in flight; its errors are raised by the waits for its events.

        The thread of a stream does not wait: the work may be its own.
        """
        if threading.current_thread().name != "accel-stream":
            for pending in list(self.pending_work):
                with suppress(Exception):  # an event of the parent process, say, is never reached here
                    pending.event.settle()
        self.retire_finished()
