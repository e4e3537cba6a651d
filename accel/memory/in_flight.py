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


class PendingTable(LockedTable):
    """An allocation table together with the work in flight on its device.

    Attributes
    ----------
    pending_work : dict of PendingWork to str
        The work in flight, and where it was submitted: in debug mode, and not of work that its submitter waits for.
    """

    __slots__ = ("_retire_at", "pending_work")

    def __init__(self) -> None:
        super().__init__()
        self.pending_work: dict[PendingWork, str] = {}
        self._retire_at = 16

    def add_pending(self, pending: PendingWork) -> None:
        """Record work in flight; retire what is done whenever there is twice as much as the last time."""
        self.pending_work[pending] = call_site() if config.debugging() else ""
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

        It asks for a few events only, however much work is in flight.
        """
        try:
            oldest = list(islice(self.pending_work, _OLDEST))
        except RuntimeError:  # another thread changed it between the two calls; it asks for the oldest itself
            oldest = []
        for pending in oldest:
            self._retire_if_done(pending)
        self.run_deferred()

    def _retire_if_done(self, pending: PendingWork) -> None:
        if pending.event.done():
            try:
                self.retire(pending)
            except Exception as error:  # of a deleter: the caller has nothing to do with it
                report_unraisable(error)

    def retire(self, pending: PendingWork) -> None:
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
