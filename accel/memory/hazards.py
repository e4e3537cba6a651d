"""Who comes after whom on the same memory: `Submission`, and all changes of what is noted of memory.

Each copy, fill and launch is a `Submission` from before it is given to a stream, or begun by the host, until it is
over. It is noted in the `hazards` of all memory that it uses, which are three tuples of accesses:

- the last writes, and the reads since: whoever uses the same bytes next comes after these;
- the writes whose failure would show in what is read: all that no later write has replaced, and that may have failed.

**The invariant.** A submission looks at what it must come after and is noted itself in one step, for all its memory,
behind one lock. So any two submissions that use the same bytes, one of them writing, have an order, which is the same
for all bytes they share, and the second waits for the first. Whoever finds a submission noted can wait for it: a lock
in it is closed until it was given to its stream, or until the host is done, and opened by ``with``, which no interrupt
prevents. Nobody waits for work that was noted later, so no wait goes round in a circle.

Inside the lock nothing is waited for and no event is asked anything. A signal handler or a finaliser can run there, in
the same thread, and use the same memory; so hazards are replaced as a whole, and only if they are still what was seen.
It may wait for work in flight, and so nothing takes the lock to forget what is over: the work could not end.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from itertools import chain

from accel import config
from accel.errors import InFlightError
from accel.locks import forked_since, open_after_fork, process
from accel.memory.stream import CurrentStream, Event, Stream

__all__ = [
    "IDLE",
    "Access",
    "Claim",
    "Hazards",
    "Submission",
    "Traffic",
    "confirm",
    "enter",
    "forget",
    "forget_some",
    "forget_these",
    "leave",
    "note",
    "pending",
    "refuse_failed",
    "refuse_in_flight",
    "settle",
]

_lock = open_after_fork(threading.RLock())


class Submission:
    """Some work, from before it is given to a stream or begun by the host until it is over; an `Event`.

    Attributes
    ----------
    begun : lock
        Held by whoever gives the work to a stream or, where there is no stream, does it.
    streams : tuple of Stream
        Those that may have been given some of it, as long as there is no event. An interrupt can leave them here, and
        then the first who asks records the event.
    event : Event or None
        Reached when the work is done; None before it is recorded, and for work of the host.
    after : sequence of Submission
        Whom this comes after, until that is certain: if it comes to nothing, whoever comes after this must wait for
        them.
    sources : sequence of Submission
        Those whose failure makes this one fail: they wrote what it reads.
    """

    __slots__ = ("_process", "_thread", "after", "begun", "event", "sources", "streams")

    def __init__(self, event: Event | None = None) -> None:
        self.begun = threading.Lock()
        self.streams: tuple[Stream, ...] = ()
        self.event = event
        self.after: Sequence[Submission] = ()
        self.sources: Sequence[Submission] = ()
        self._thread = threading.get_ident()
        self._process = process()

    @property
    def device(self) -> object:
        """The device that does the work; None if the host does."""
        return None if self.event is None else self.event.device

    @property
    def began(self) -> float | None:
        """When it began on its stream, as `Event.began` says; None for work of the host."""
        return None if self.event is None else self.event.began

    @property
    def ended(self) -> float | None:
        """When it ended on its stream, as `Event.ended` says; None for work of the host."""
        return None if self.event is None else self.event.ended

    def give(self, stream: Stream, work: "Callable[[Submission], object]") -> None:
        """Give the work to a stream, by what may set the event; if that raises, nothing was given after the event."""
        self.streams = (stream,)
        try:
            with stream.giving if isinstance(stream, CurrentStream) else nullcontext():
                work(self)
                if self.event is None:
                    self.event = stream.record()
        except Exception:
            self.streams = ()
            raise
        self.streams = ()  # after an interrupt they stay, for nobody knows what they were given

    def submitted(self) -> tuple[Event, ...]:
        """Wait until the work was given to its stream, or the host has done it; return what is still to wait for.

        Raises
        ------
        RuntimeError
            In a child of a fork, if another thread of the parent had begun the work.
        """
        if self.begun.locked() and not self._is_own():
            if forked_since(self._process):
                raise RuntimeError("a fork left this work behind in the parent; start processes with 'spawn'")
            with self.begun:
                pass
        if self.event is None and self.streams:
            events = tuple([stream.record() for stream in self.streams])
            if len(events) > 1:
                return events
            self.event = events[0]
        if self.event is not None:
            return (self.event,)
        return tuple([event for each in self.after for event in each.submitted()])

    def done(self) -> bool:
        """Tell whether it is over; never waits."""
        if self.begun.locked():
            return False
        if self.event is not None:
            return self.event.done()
        return all(event.done() for event in self.submitted()) if self.streams or self.after else True

    def settle(self) -> None:
        """Block until it is over; failures are left to those who `wait`."""
        for event in self.submitted():
            event.settle()

    def wait(self) -> None:
        """Block until it is over; raises what it raised, or what those raised who wrote what it reads."""
        for event in self.submitted():
            # If this came to nothing, the events are those of others, whose failures are not those of this work.
            event.wait() if event is self.event else event.settle()
        failed = self.culprit()
        if failed is not None:
            failed.wait()

    def culprit(self) -> Event | None:
        """Return the event of what failed, of this or of those who wrote what it reads; for work that is over."""
        seen, to_ask = {self}, [self]
        while to_ask:
            each = to_ask.pop()
            if each.event is not None and each.event.failed:
                self.sources = (each,) if each is not self else ()  # or a chain of refusals would keep all of them
                return each.event
            sources = {*each.sources} - seen
            to_ask += sources
            seen |= sources
        self.sources = ()  # or a chain of copies would keep all that went before
        return None

    def _is_own(self) -> bool:
        """Tell whether this is asked from inside of the work, by a signal handler or a finaliser: it cannot wait.

        Nor can the end of the process, when the threads that had begun it are gone.
        """
        return self._thread == threading.get_ident() or sys.is_finalizing()


Access = tuple[int, int, Submission]
"""The addresses of the first byte used and of that behind the last one, and by whom."""

Hazards = tuple[tuple[Access, ...], tuple[Access, ...], tuple[Access, ...]]
"""The last writes, the reads since, and the writes whose failure would show."""


_NONE: Hazards = (), (), ()


class Traffic:
    """Where the work in flight on some memory is noted; memory made elsewhere has one for all of a device.

    Attributes
    ----------
    hazards : tuple or None
        What is noted; None if nothing is, which makes it the state word that each access looks at.
    """

    __slots__ = ("hazards",)

    def __init__(self) -> None:
        self.hazards: Hazards | None = None


IDLE = Traffic()
"""That of all memory on which nothing was ever noted; nothing is noted here."""


Claim = tuple[Traffic, int, int, bool, bool]
"""The use of some bytes: where it is noted, the addresses of the first byte and of that behind the last one, whether
they may be written, and whether each of them is, so that it no longer matters what was there."""


def enter(work: Submission, claims: Iterable[Claim]) -> Sequence[Submission]:
    """Note a submission that has just begun, and return those whose writes it reads; it comes after `Submission.after`.

    Until `confirm` says that it took place, whoever comes after it waits for those too.
    """
    after: list[Submission] = []
    read: list[Submission] = []
    replaced: list[Submission] = []
    work.after, work.sources = after, replaced
    with _lock:
        for claim in claims:
            _note(work, claim, after, read, replaced)
    if after and any(each.event is None for each in after):
        work.after = _effective(after)
    return read


def _effective(after: list[Submission]) -> list[Submission]:
    """Put those in the place of what came to nothing that it came after, so that no chain of failures grows."""
    found: dict[Submission, None] = {}
    for each in after:
        gone = each.event is None and not each.streams and not each.begun.locked()
        found.update(dict.fromkeys(each.after if gone else (each,)))
    return [*found]


def confirm(work: Submission, read: Sequence[Submission]) -> None:
    """Say that a submission will come after all that it must, or has."""
    work.after, work.sources = (), read


def note(event: Event, claims: Iterable[Claim]) -> None:
    """Note work that was given to a stream elsewhere, after all that it must come after."""
    enter(work := Submission(event), claims)
    confirm(work, ())


def _note(
    work: Submission, claim: Claim, after: list[Submission], read: list[Submission], replaced: list[Submission]
) -> None:
    traffic, low, high, writing, whole = claim
    if low == high:
        return
    access = low, high, work
    while True:
        seen = traffic.hazards
        if seen is None:
            noted: Hazards = ((access,), (), (access,)) if writing else ((), (access,), ())
        else:
            noted = _writing(seen, access, whole, after, replaced) if writing else _reading(seen, access, after, read)
        if traffic.hazards is seen:  # else a signal handler or a finaliser of this thread noted something
            traffic.hazards = noted
            return


def _writing(
    seen: Hazards, access: Access, whole: bool, after: list[Submission], replaced: list[Submission]
) -> Hazards:
    writes, reads, claims = seen
    low, high, work = access
    after += [each[2] for each in chain(writes, reads) if each[0] < high and low < each[1] and each[2] is not work]
    # Whoever comes after those that lie within comes after this one.
    writes = tuple([each for each in writes if each[0] < low or high < each[1]])
    reads = tuple([each for each in reads if each[0] < low or high < each[1]])
    if whole:
        replaced += [each[2] for each in claims if low <= each[0] and each[1] <= high]
        claims = tuple([each for each in claims if each[0] < low or high < each[1]])
    return (*writes, access), reads, (*claims, access)


def _reading(seen: Hazards, access: Access, after: list[Submission], read: list[Submission]) -> Hazards:
    writes, reads, claims = seen
    low, high, work = access
    after += [each[2] for each in writes if each[0] < high and low < each[1] and each[2] is not work]
    read += [each[2] for each in claims if each[0] < high and low < each[1] and each[2] is not work]
    return writes, (*reads, access), claims


def pending(claim: Claim) -> list[Submission]:
    """Return whom the host must wait for before it uses some bytes."""
    traffic, low, high, writing, _ = claim
    seen = traffic.hazards
    if seen is None:
        return []
    first = chain(seen[0], seen[1]) if writing else seen[0]
    return [each[2] for each in first if each[0] < high and low < each[1]]


def settle(claim: Claim) -> None:
    """Make the host wait for what it must come after, and raise what failed of that which it reads.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting.
    """
    if config.current().strict:
        refuse_in_flight(claim)
    for work in pending(claim):
        work.settle()
    traffic, low, high, writing, _ = claim
    seen = traffic.hazards
    if seen is not None and not writing:
        refuse_failed([each[2] for each in seen[2] if each[0] < high and low < each[1]])
    forget(traffic)


def refuse_in_flight(claim: Claim) -> None:
    """Raise `InFlightError` if the host would have to wait."""
    found = next((work for work in pending(claim) if not work.done()), None)
    if found is not None:
        verb, where = "written" if claim[3] else "read", found.device
        raise InFlightError(
            f"memory of {where} is {verb} by the host while work on it is in flight; wait for its transfer"
        )


def refuse_failed(sources: Iterable[Submission]) -> None:
    """Raise what somebody raised who should have written what is read; all of them are over."""
    for source in sources:
        source.wait()


def forget(traffic: Traffic) -> None:
    """Forget what is over, except for writes that failed."""
    seen = traffic.hazards
    if seen is None:
        return
    asked = {each[2] for each in chain(*seen)}
    over = {work for work in asked if work.done()}
    if over:
        forget_these(traffic, over, {work for work in over if work.culprit() is not None})


def forget_some(traffic: Traffic) -> None:
    """Forget what is over, if more was noted than twice as much as the last time."""
    seen = traffic.hazards
    if seen is not None and any(len(each) > 15 and not len(each) & len(each) - 1 for each in seen):
        forget(traffic)


def leave(work: Submission, claims: Iterable[Claim]) -> None:
    """Forget a submission that is over, and whose failure whoever waited for it was told."""
    if work.after or work.sources:  # it came to nothing, so what it replaced is still under way, or failed
        for claim in claims:
            forget(claim[0])
        return
    for claim in claims:
        traffic = claim[0]
        seen = traffic.hazards
        if seen is None:
            continue
        writes, reads, claimed = seen
        # The usual case is that nothing else was noted.
        alone = len(writes) + len(reads) == 1 and (writes or reads)[0][2] is work and claimed == writes
        # No call between these, as in `forget_these`.
        if alone and traffic.hazards is seen:
            traffic.hazards = None
            continue
        forget_these(traffic, {work}, set())


def forget_these(traffic: Traffic, over: set[Submission], failed: set[Submission]) -> None:
    """Forget some that are over; of those that failed, what they should have written is remembered."""
    while True:
        seen = traffic.hazards
        if seen is None:
            return
        writes, reads, claims = seen
        left: Hazards | None = (
            tuple([each for each in writes if each[2] not in over]),
            tuple([each for each in reads if each[2] not in over]),
            tuple([each for each in claims if each[2] not in over or each[2] in failed]),
        )
        if left == _NONE:
            left = None
        # No call between these: another thread may have noted something.
        if traffic.hazards is seen:
            traffic.hazards = left
            return
