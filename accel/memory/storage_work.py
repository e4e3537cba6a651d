"""Work that reads and writes storages: in order with all other work, with the storages kept alive until it is done."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from accel import config
from accel.abc.graphs import CapturedEvent
from accel.abc.stream import Event, Stream
from accel.device import Device
from accel.memory.captures import ACTIVE, Capture, capture_on, captured_stream
from accel.memory.hazards import Claim, Hazards, confirm, enter, forget_some, leave, refuse_failed, refuse_in_flight
from accel.memory.heap import Heap, heap_of
from accel.memory.in_flight import HeldMemory, PendingWork
from accel.memory.owner import KeepAlive, Owner
from accel.memory.stream_order import try_in_order
from accel.memory.submission import Submission

__all__ = ["Give", "Use", "carry_out", "on_host", "see_sound", "submit", "submit_in_order", "submit_ordered"]

_Result = TypeVar("_Result")
_NONE: Hazards = (), (), ()
_CPU = Device.CPU  # an enum's member costs more to reach than a global


class Usable(Protocol):
    """A storage, as far as submissions need it."""

    @property
    def device(self) -> Device:
        """The device of the memory."""
        ...

    @property
    def owner(self) -> Owner:
        """The owner of the memory, which records its hazards."""
        ...

    def keep_alive(self) -> KeepAlive:
        """Keep the memory alive until the result is released."""
        ...

    def claim(self, *, writing: bool, whole: bool = False) -> Claim:
        """Return a use of its bytes, for `accel.memory.hazards`."""
        ...


class Use(NamedTuple):
    """A storage that some work reads or may write.

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
"""Enqueues the work of a submission on its stream, and may set its event. If it raises, nothing follows that event."""


def carry_out(heap: Heap, uses: Sequence[Use], work: Callable[[], object]) -> None:
    """Copy or fill memory, in order with all other work on it.

    On a device that frees in stream order, and within memory that it allocated, this only submits the work; later uses
    wait for it. Otherwise the work is done on return.

    Parameters
    ----------
    heap : Heap
        The heap whose backend does it.
    uses : sequence of Use
        The storages that it reads and writes.
    work : callable
        Calls the backend for a copy or a fill, without a stream. If it raises, nothing was submitted.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting for work in flight.
    """
    if ACTIVE and _recorded(heap, uses, work):
        return
    if heap.device is _CPU:  # its backend has finished when it returns
        on_host(uses, work)
        return
    stream = heap.stream
    if stream is None:
        on_host(uses, work)
        heap.backend.synchronize(heap.device)
        return
    # In strict mode, no work is left in flight that the caller does not know of.
    if config.current().strict or submit_in_order(heap, stream, uses, work) is None:
        _do_on_device(heap, stream, uses, work)


def _recorded(heap: Heap, uses: Sequence[Use], work: Callable[[], object]) -> bool:
    """Record work that is given to the current stream, if that is captured; return whether it was."""
    stream = captured_stream(heap.device)
    capture = capture_on(stream)
    if capture is None:
        return False
    capture.add(uses)
    if heap.has_streams:
        work()
    else:  # a stream of the host takes functions
        stream.submit(work)  # type: ignore[union-attr]
    return True


def submit_in_order(heap: Heap, stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> Event | None:
    """Submit work to a stream of a device that frees in stream order; its memory is not kept alive.

    Returns
    -------
    Event or None
        An event after the work, recorded when it is first asked for; it may then also cover later work. None, and
        nothing is done, if the device does not free in stream order, or has not allocated the memory itself.
    """
    capture = capture_on(stream) if ACTIVE else None
    if capture is not None:
        capture.add(uses)
        work()
        return CapturedEvent(stream.device)
    backend = heap.in_order
    if backend is None or not all(_within(heap, use.storage) for use in uses):
        return None
    opened = try_in_order(heap, stream, uses, lambda *_: work())
    if opened is not None:
        return opened

    def give(submission: Submission) -> None:
        for use in uses:
            backend.use(use.storage.owner.block, stream)
        work()
        submission.event = backend.mark(stream)
        if submission.event is None and not getattr(stream, "timed", False):
            submission.open(stream, heap.gate)

    submission, claims, keep_alives = Submission(), _claims(uses), _kept_alive(uses)
    try:
        with submission.begun:
            _give(submission, claims, stream, give)
    finally:
        let_go(keep_alives)
    for record, *_ in claims:  # no `PendingWork` does so when it is done
        forget_some(record)
        # Or all later work on the memory would come this way.
        see_sound([each[2] for each in (record.hazards or _NONE)[2]])
    return submission


def _within(heap: Heap, storage: Usable) -> bool:
    """Tell whether a device itself allocated the memory."""
    return storage.device is heap.device and storage.owner.external is None


def on_host(uses: Sequence[Use], work: Callable[[], _Result]) -> _Result:
    """Do work of the host at once, in order with all other work on the memory, and return its result.

    Raises
    ------
    InFlightError
        In strict mode, instead of waiting for work in flight.
    """
    submission, claims, owners, count = Submission(), [], [], 0
    for storage, writing, whole in uses:
        claims.append(storage.claim(writing=writing, whole=whole))
        owners.append(storage.owner)
    try:
        for owner in owners:  # another thread may release one meanwhile, or has done so
            owner.add_keep_alive()
            count += 1
        with submission.begun:
            _begin(submission, claims)
            result = work()
            confirm(submission, ())
            return result
    finally:
        leave(submission, claims)
        for owner in owners[:count]:
            # No call between these: another thread may release the last handle.
            if owner.handles:
                owner.keep_alives -= 1
            else:
                owner.heap.defer(owner.drop_keep_alive)  # reports what a deleter raises, so that all are dropped


def _do_on_device(heap: Heap, stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> None:
    """Submit work to a device and wait for that work alone; an interrupt ends the wait, not the work."""
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
    heap.retire_oldest()


def _begin(submission: Submission, claims: Sequence[Claim]) -> None:
    """Record work that the host is about to do or wait for, and wait for all that it must come after."""
    if config.current().strict:
        for claim in claims:
            refuse_in_flight(claim)
    read = enter(submission, claims)
    for each in submission.after:
        each.settle()
    if read:
        refuse_failed(read)


def submit_ordered(stream: Stream, uses: Sequence[Use], work: Callable[[], object]) -> Event:
    """Submit work to a stream, after the pending work that it depends on; later uses of the storages wait for it.

    Parameters
    ----------
    stream : Stream
        The stream.
    uses : sequence of Use
        The storages that the work reads and writes.
    work : callable
        Enqueues the work on the stream. If it raises, nothing was enqueued.
    """
    event = submit(stream, uses, lambda _: work()).event.event
    assert event is not None, "work on a stream has an event"
    return event


def submit(stream: Stream, uses: Sequence[Use], give: Give, between: Iterable[Usable] = ()) -> PendingWork:
    """Submit work as `submit_ordered` does; it also keeps alive the storages ``between``, which nothing else uses.

    Returns
    -------
    PendingWork
        The submission, and the keep-alives of the storages.
    """
    capture = capture_on(stream) if ACTIVE else None
    if capture is not None:
        return _record(capture, uses, give, between)
    heap, submission, claims = heap_of(stream.device), Submission(), _claims(uses)
    pending = PendingWork(submission, (*_kept_alive(uses), *[storage.keep_alive() for storage in between]))
    try:
        with submission.begun:  # or another thread takes it for done, and releases its memory
            # Before anything is enqueued: an interrupt in between must not release memory in use.
            heap.add_pending(pending)
            _give(submission, claims, stream, give)
    finally:
        if submission.event is None and not submission.streams:  # nothing was enqueued
            heap.pending_work.pop(pending, None)
            let_go(pending.keep_alives)
    return pending


def _record(capture: Capture, uses: Sequence[Use], give: Give, between: Iterable[Usable]) -> PendingWork:
    """Let a captured stream record work. Nothing is under way then, so that there are no hazards and keep-alives."""
    capture.add(uses, between)
    submission = Submission()
    give(submission)
    submission.event = CapturedEvent(capture.stream.device)
    return PendingWork(submission, ())


def _give(submission: Submission, claims: Sequence[Claim], stream: Stream, give: Give) -> None:
    """Record work that has begun, and enqueue it on a stream after all that it must come after."""
    read = enter(submission, claims)
    overtaken = False
    for each in submission.after:
        if each.queue is stream:  # the stream has its work already, or will have it first
            overtaken = True
            continue
        for event in each.submitted():
            stream.wait_for(event)
    if overtaken:
        heap_of(stream.device).gate.overtake()
    submission.give(stream, give)
    see_sound(read)
    submission.sound = submission.queue is not None and all(each.sound for each in read)
    confirm(submission, read)


def see_sound(work: Iterable[Submission]) -> None:
    """Remember of work that might have failed, and is done, that it has not."""
    for each in work:
        if not each.sound and each.queue is None and each.done() and each.culprit() is None:
            each.sound = True


def _claims(uses: Sequence[Use]) -> list[Claim]:
    return [use.storage.claim(writing=use.writing, whole=use.whole) for use in uses]


def _kept_alive(uses: Sequence[Use]) -> tuple[KeepAlive, ...]:
    return tuple([use.storage.keep_alive() for use in uses])


def let_go(keep_alives: Sequence[HeldMemory]) -> None:
    """Release keep-alives."""
    for each in keep_alives:
        each.release()
