"""Work that reads and writes storages: kept alive until it is over, and in order with all other work."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from accel import config
from accel.abc.stream import Event, Stream
from accel.device import Device
from accel.memory.hazards import (
    Claim,
    Submission,
    confirm,
    enter,
    forget_some,
    leave,
    refuse_failed,
    refuse_in_flight,
)
from accel.memory.heap import Heap, heap_of
from accel.memory.in_flight import HeldMemory, PendingWork
from accel.memory.owner import KeepAlive, Owner

__all__ = ["Give", "Use", "carry_out", "on_host", "submit", "submit_ordered"]

_Result = TypeVar("_Result")
_CPU = Device.CPU  # an enum's member costs more to reach than a global


class Usable(Protocol):
    """What has memory: a storage."""

    @property
    def device(self) -> Device:
        """Where the memory is."""
        ...

    @property
    def owner(self) -> Owner:
        """Who knows what is in flight on it."""
        ...

    def keep_alive(self) -> KeepAlive:
        """Keep it alive until the pin is released."""
        ...

    def claim(self, *, writing: bool, whole: bool = False) -> Claim:
        """Return the use of its bytes."""
        ...


class Use(NamedTuple):
    """A storage that some work reads, or may write.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory.
    writing : bool
        Whether the work may write it.
    whole : bool
        Whether it writes each of its bytes.
    """

    storage: Usable
    writing: bool
    whole: bool = False


Give = Callable[[Submission], object]
"""Gives a submission's work to its stream, and sets its event. If it raises, nothing was given after that event."""


def carry_out(heap: Heap, uses: Sequence[Use], work: Callable[[], object]) -> None:
    """Copy or fill memory, in order with all else that is done with it.

    A device that frees in order is only given the work, where that is in its own memory: whoever uses the memory later
    waits for it. Otherwise it is over on return.

    Parameters
    ----------
    heap : Heap
        Whose backend does it.
    uses : sequence of Use
        What it reads and writes.
    work : callable
        Gives the backend a copy or a fill, without a stream. If it raises, nothing was given.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting for work in flight.
    """
    if heap.device is _CPU:  # whose backend is done when it returns
        on_host(uses, work)
        return
    stream = heap.stream
    if stream is None:
        on_host(uses, work)
        heap.backend.synchronize(heap.device)
        return
    # In strict mode nothing is left under way that its submitter does not know of.
    backend = None if config.current().strict else heap.in_order
    if backend is None or not all(_within(heap, use.storage) for use in uses):
        _do_on_device(heap, stream, uses, work)
        return

    def give(submission: Submission) -> None:
        work()
        submission.event = backend.mark(stream)

    submission, claims, held = Submission(), _claims(uses), _kept_alive(uses)
    try:
        with submission.begun:
            _give(submission, claims, stream, give)
    finally:
        let_go(held)
    for claim in claims:  # there is no pending work that would do so when it lands
        forget_some(claim[0])


def _within(heap: Heap, storage: Usable) -> bool:
    """Tell whether memory is a device's own, which nobody else frees."""
    return storage.device is heap.device and storage.owner.external is None


def on_host(uses: Sequence[Use], work: Callable[[], _Result]) -> _Result:
    """Return what some work of the host returns, done at once and in order with all else that uses the memory.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting for work in flight.
    """
    submission, claims, owners, kept = Submission(), [], [], 0
    for storage, writing, whole in uses:
        claims.append(storage.claim(writing=writing, whole=whole))
        owners.append(storage.owner)
    try:
        for owner in owners:  # another thread may release one meanwhile, or has done so
            # No call between these, as in `Owner.add_keep_alive`; and an interrupt finds both counted, or neither.
            if owner.handles or owner.keep_alives:
                owner.keep_alives += 1
                kept += 1
            else:
                owner.refuse_ended()
        with submission.begun:
            _begin(submission, claims)
            result = work()
            confirm(submission, ())
            return result
    finally:
        leave(submission, claims)
        for owner in owners[:kept]:
            # No call between these: another thread may release the last handle.
            if owner.handles:
                owner.keep_alives -= 1
            else:
                owner.heap.defer(owner.drop_keep_alive)  # what a deleter raises must not keep the others alive


def _do_on_device(heap: Heap, stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> None:
    """Give a device some work and wait for that alone; an interrupt ends the wait, and not the work."""
    submission, claims = Submission(), _claims(uses)
    pending = PendingWork(submission, _kept_alive(uses))
    try:
        with submission.begun:
            _begin(submission, claims)
            heap.pending_work[pending] = ""
            submission.give(stream, lambda _: work())
            confirm(submission, ())
        submission.wait()
    finally:
        if pending not in heap.pending_work:
            let_go(pending.keep_alives)
        if submission.done():
            heap.retire(pending)
            leave(submission, claims)
    heap.retire_finished()


def _begin(submission: Submission, claims: Sequence[Claim]) -> None:
    """Note what the host is about to do or wait for, and wait for what that must come after."""
    if config.current().strict:
        for claim in claims:
            refuse_in_flight(claim)
    read = enter(submission, claims)
    for each in submission.after:
        each.settle()
    if read:
        refuse_failed(read)


def submit_ordered(stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> Event:
    """Submit work to a stream, after all in flight that it must not overtake; later uses of the storages wait for it.

    Parameters
    ----------
    stream : Stream
        On which ``work`` puts something.
    uses : sequence of Use
        What that reads and writes.
    work : callable
        Puts it there. If it raises, nothing was.
    """
    event = submit(stream, uses, lambda _: work()).event.event
    assert event is not None, "what was given to a stream has an event"
    return event


def submit(stream: Stream, uses: Sequence[Use], give: Give, between: Iterable[Usable] = ()) -> PendingWork:
    """Submit work as `submit_ordered`; it also holds what lies ``between``, which nobody else uses.

    Returns
    -------
    PendingWork
        The submission, and what keeps the storages alive until it is over.
    """
    heap, submission, claims = heap_of(stream.device), Submission(), _claims(uses)
    pending = PendingWork(submission, (*_kept_alive(uses), *[storage.keep_alive() for storage in between]))
    try:
        with submission.begun:  # or another thread takes it for over, and lets go of what it holds
            # Before anything is given: if an interrupt comes between, nothing is let go of too early.
            heap.add_pending(pending)
            _give(submission, claims, stream, give)
    finally:
        if submission.event is None and not submission.streams:  # nothing was given
            heap.pending_work.pop(pending, None)
            let_go(pending.keep_alives)
    return pending


def _give(submission: Submission, claims: Sequence[Claim], stream: Stream, give: Give) -> None:
    """Note some work that has begun, and let a stream do it after all that it must not overtake."""
    read = enter(submission, claims)
    for each in submission.after:
        for event in each.submitted():
            stream.wait_for(event)
    submission.give(stream, give)
    confirm(submission, read)


def _claims(uses: Sequence[Use]) -> list[Claim]:
    return [use.storage.claim(writing=use.writing, whole=use.whole) for use in uses]


def _kept_alive(uses: Sequence[Use]) -> tuple[KeepAlive, ...]:
    return tuple([use.storage.keep_alive() for use in uses])


def let_go(held: Sequence[HeldMemory]) -> None:
    """Give back what kept storages alive."""
    for each in held:
        each.release()
