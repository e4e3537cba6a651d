"""Hazards of one allocation: its pending reads and writes, and the order of all work on it.

Each copy, fill and launch is a `Submission` from before it is submitted to a stream, or begun by the host, until it is
done. It is recorded in the hazards of all memory that it uses. These are three tuples of accesses:

- the last writes, and the reads since then: the next use of the same bytes comes after these;
- the writes whose failure a reader must see: those that may have failed, and that no later write has replaced.

**The invariant.** A submission finds what it must come after, and is recorded itself, in one step for all its memory,
under one lock. So any two submissions that use the same bytes, one of them writing, have an order. The order is the
same for all bytes they share, and the second waits for the first. A recorded submission can always be waited for: its
own lock is held until it was given to its stream, or until the host is done. That lock is taken by ``with``, so no
interrupt can leave it locked. No submission waits for one that was recorded later, so there is no deadlock.

With the lock held nothing waits, and no event is queried. A signal handler or a finaliser can run there, in the same
thread, and use the same memory. So hazards are replaced as a whole, and only if they are still the ones that were read.
Work in flight may wait for the lock. So finished work is forgotten without it: the work could never end.
"""

import threading
from collections.abc import Iterable, Sequence
from itertools import chain

from accel import config
from accel.abc.stream import Event, Stream
from accel.errors import InFlightError
from accel.memory.submission import Submission
from accel.support.locks import open_after_fork

__all__ = [
    "IDLE",
    "Access",
    "Claim",
    "Entry",
    "HazardRecord",
    "Hazards",
    "confirm",
    "enter",
    "enter_alone",
    "followed",
    "forget",
    "forget_failures",
    "forget_some",
    "forget_these",
    "leave",
    "leave_alone",
    "note",
    "pending",
    "refuse_failed",
    "refuse_in_flight",
    "settle",
]

_lock = open_after_fork(threading.RLock())

Access = tuple[int, int, Submission]
"""Address of the first byte used, address past the last one, and the work that uses them."""

Hazards = tuple[tuple[Access, ...], tuple[Access, ...], tuple[Access, ...]]
"""The last writes, the reads since then, and the writes whose failure a reader must see."""

_NONE: Hazards = (), (), ()


class HazardRecord:
    """The record of the hazards of one allocation; all external memory of a device shares one record.

    Attributes
    ----------
    hazards : tuple or None
        The hazards; None if there are none. Each access tests this one attribute.
    """

    __slots__ = ("hazards",)

    def __init__(self) -> None:
        self.hazards: Hazards | None = None


IDLE = HazardRecord()
"""The record of all memory without hazards so far; it stays empty."""

Claim = tuple[HazardRecord, int, int, bool, bool]
"""A use of bytes: the record of their hazards, the address of the first byte, the address past the last one, whether
the bytes may be written, and whether each of them is overwritten (then earlier failed writes no longer matter)."""


Entry = tuple[HazardRecord, Hazards, Hazards | None, HazardRecord, Hazards]
"""What `enter_alone` has recorded: the record of the device's memory, its hazards now and what is to remain of them;
the record of the host's memory, and its hazards now."""


def enter(work: Submission, claims: Iterable[Claim]) -> Sequence[Submission]:
    """Record a submission that has just begun, and return the submissions whose writes it reads.

    `Submission.after` then has all that it must come after. Until `confirm`, later work waits for these too.
    """
    after: list[Submission] = []
    read: list[Submission] = []
    replaced: list[Submission] = []
    work.after, work.sources = after, replaced
    with _lock:
        for claim in claims:
            _record(work, claim, after, read, replaced)
    if after and any(each.event is None for each in after):
        work.after = _effective(after)
    return read


def _effective(after: list[Submission]) -> list[Submission]:
    """Replace each submission that never took place by those it came after, so that failures form no growing chain."""
    effective: dict[Submission, None] = {}
    for each in after:
        void = each.queue is None and each.event is None and not each.streams and not each.begun.locked()
        effective.update(dict.fromkeys(each.after if void else (each,)))
    return [*effective]


def confirm(work: Submission, read: Sequence[Submission]) -> None:
    """Record that a submission is in order: it waits, or has waited, for all that it must come after."""
    work.after, work.sources = (), read


def enter_alone(work: Submission, claim: Claim, queue: Stream, beside: HazardRecord, other: Hazards) -> Entry | None:
    """Record a submission that need not wait: it uses memory of a device, and memory of the host that nothing uses.

    All uses of the device's memory must be open on a stream, or be reads that the work may be beside. The caller holds
    the gate of the device.

    Parameters
    ----------
    work : Submission
        It has begun.
    claim : Claim
        Its use of the device's memory.
    queue : Stream
        The stream.
    beside : HazardRecord
        The record of the host's memory.
    other : Hazards
        What is recorded there.

    Returns
    -------
    tuple or None
        For `leave_alone`. None, and nothing is recorded, if the work must wait.
    """
    record, low, high, writing, _ = claim
    access = low, high, work
    before, remaining = record.hazards, None
    if before is None:
        after: Hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
    else:
        writes, reads, unreplaced = before
        for each in writes:
            if each[2].queue is not queue:
                return None
        for each in reads:
            if each[2].queue is not queue:
                if writing:
                    return None
                remaining = before
        for each in unreplaced:
            if not each[2].sound:  # it may have failed, and what reads its result must fail too
                return None
        after = followed(before, access, writing=writing)
    with _lock:
        # No call between these: a signal handler or a finaliser of this thread may record something.
        if record.hazards is before and beside.hazards is None:
            record.hazards = after
            beside.hazards = other
            return record, after, remaining, beside, other
    return None


def leave_alone(work: Submission, entry: Entry) -> None:
    """Forget a submission that `enter_alone` recorded, after its stream has done it, and thus all before it."""
    record, after, remaining, beside, other = entry
    # No call between each test and what follows: another thread may have recorded something.
    if record.hazards is after:
        record.hazards = remaining
    else:
        forget_these(record, {work}, set())
    if beside.hazards is other:
        beside.hazards = None
    else:
        forget_these(beside, {work}, set())


def note(event: Event, claims: Iterable[Claim]) -> None:
    """Record work that another library submitted, after all that it must come after."""
    enter(work := Submission(event), claims)
    confirm(work, ())


def _record(
    work: Submission, claim: Claim, after: list[Submission], read: list[Submission], replaced: list[Submission]
) -> None:
    record, low, high, writing, whole = claim
    if low == high:
        return
    access = low, high, work
    while True:
        hazards = record.hazards
        if hazards is None:
            updated: Hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
        else:
            updated = (
                _writing(hazards, access, whole, after, replaced) if writing else _reading(hazards, access, after, read)
            )
        if record.hazards is hazards:  # else a signal handler or a finaliser of this thread recorded something
            record.hazards = updated
            return


def _writing(
    hazards: Hazards, access: Access, whole: bool, after: list[Submission], replaced: list[Submission]
) -> Hazards:
    writes, reads, unreplaced = hazards
    low, high, work = access
    after += [each[2] for each in chain(writes, reads) if each[0] < high and low < each[1] and each[2] is not work]
    # Accesses within these bytes need no record: what comes after them comes after this one.
    writes = tuple([each for each in writes if each[0] < low or high < each[1]])
    reads = tuple([each for each in reads if each[0] < low or high < each[1]])
    if whole:
        replaced += [each[2] for each in unreplaced if low <= each[0] and each[1] <= high]
        unreplaced = tuple([each for each in unreplaced if each[0] < low or high < each[1]])
    return (*writes, access), reads, (*[each for each in unreplaced if not each[2].sound], access)


def followed(hazards: Hazards, access: Access, *, writing: bool) -> Hazards:
    """Return the hazards after a use that comes after all earlier uses of the same bytes."""
    return _writing(hazards, access, False, [], []) if writing else _reading(hazards, access, [], [])


def _reading(hazards: Hazards, access: Access, after: list[Submission], read: list[Submission]) -> Hazards:
    writes, reads, unreplaced = hazards
    low, high, work = access
    after += [each[2] for each in writes if each[0] < high and low < each[1] and each[2] is not work]
    read += [each[2] for each in unreplaced if each[0] < high and low < each[1] and each[2] is not work]
    return writes, (*reads, access), unreplaced


def pending(claim: Claim) -> list[Submission]:
    """Return the submissions that the host must wait for before it uses the bytes."""
    record, low, high, writing, _ = claim
    hazards = record.hazards
    if hazards is None:
        return []
    first = chain(hazards[0], hazards[1]) if writing else hazards[0]
    return [each[2] for each in first if each[0] < high and low < each[1]]


def settle(claim: Claim, *, of_tasks: bool = True) -> None:
    """Make the host wait until it may use the bytes, and raise the error of a failed write that it would read.

    Without ``of_tasks`` failures of tasks are not raised; `accel.store.regions` knows them by boxes.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting.
    """
    if config.current().strict:
        refuse_in_flight(claim)
    for work in pending(claim):
        work.settle()
    record, low, high, writing, _ = claim
    hazards = record.hazards
    if hazards is not None and not writing:
        failed = [each[2] for each in hazards[2] if each[0] < high and low < each[1]]
        refuse_failed([each for each in failed if of_tasks or not getattr(each.event, "of_tasks", False)])
    forget(record)


def refuse_in_flight(claim: Claim) -> None:
    """Raise `InFlightError` if the host would have to wait."""
    unfinished = next((work for work in pending(claim) if not work.done()), None)
    if unfinished is not None:
        verb = "write" if claim[3] else "read"
        raise InFlightError(
            f"the host would {verb} memory of {unfinished.device} while work on it is in flight; wait for its transfer"
        )


def refuse_failed(sources: Iterable[Submission]) -> None:
    """Raise the error of the first failed submission; all of them are done."""
    for source in sources:
        source.wait()


def forget(record: HazardRecord) -> None:
    """Forget finished work, except for writes that failed."""
    hazards = record.hazards
    if hazards is None:
        return
    recorded = {each[2] for each in chain(*hazards)}
    done = {work for work in recorded if work.done()}
    if done:
        forget_these(record, done, {work for work in done if work.culprit() is not None})


def forget_some(record: HazardRecord) -> None:
    """Forget finished work, if there are twice as many accesses as the last time."""
    hazards = record.hazards
    if hazards is not None and any(len(each) > 15 and not len(each) & len(each) - 1 for each in hazards):
        forget(record)


def forget_failures(record: HazardRecord, low: int, high: int) -> None:
    """Forget the failed writes of bytes that are freed: other memory at their address has nothing to do with them."""
    while True:
        hazards = record.hazards
        if hazards is None:
            return
        writes, reads, unreplaced = hazards
        pending = {each[2] for each in writes}
        others = tuple([each for each in unreplaced if each[2] in pending or each[0] < low or high < each[1]])
        if len(others) == len(unreplaced):
            return
        remaining: Hazards | None = (writes, reads, others)
        if remaining == _NONE:
            remaining = None
        # No call between these: another thread may have recorded something.
        if record.hazards is hazards:
            record.hazards = remaining
            return


def leave(work: Submission, claims: Iterable[Claim]) -> None:
    """Forget a submission that is done, and whose failure was raised to its submitter."""
    if work.after or work.sources:  # it never took place: what it replaced is still in flight, or failed
        for claim in claims:
            forget(claim[0])
        return
    for claim in claims:
        record = claim[0]
        hazards = record.hazards
        if hazards is None:
            continue
        writes, reads, unreplaced = hazards
        # The usual case: nothing else is recorded.
        alone = len(writes) + len(reads) == 1 and (writes or reads)[0][2] is work and unreplaced == writes
        # No call between these, as in `forget_these`.
        if alone and record.hazards is hazards:
            record.hazards = None
            continue
        forget_these(record, {work}, set())
        # Launches on the host are faster for memory without hazards; what is still recorded may be done.
        forget(record)


def forget_these(record: HazardRecord, done: set[Submission], failed: set[Submission]) -> None:
    """Forget finished submissions; of those that failed, the writes are kept for readers to see."""
    while True:
        hazards = record.hazards
        if hazards is None:
            return
        writes, reads, unreplaced = hazards
        remaining: Hazards | None = (
            tuple([each for each in writes if each[2] not in done]),
            tuple([each for each in reads if each[2] not in done]),
            tuple([each for each in unreplaced if each[2] not in done or each[2] in failed]),
        )
        if remaining == _NONE:
            remaining = None
        # No call between these: another thread may have recorded something.
        if record.hazards is hazards:
            record.hazards = remaining
            return
