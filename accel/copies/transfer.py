"""`Transfer`: a copy in flight on a stream, and how it is submitted."""

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from accel import config
from accel.abc.backend import Backend
from accel.abc.block import Span
from accel.abc.stream import CurrentStream, Event, Stream, is_stream
from accel.copies import thresholds
from accel.device import Device
from accel.errors import CapabilityError, DeviceMismatchError
from accel.memory.async_link_copies import submitted_over_link
from accel.memory.byte_copies import copy_spans, submitted_within, worker_of
from accel.memory.captures import ACTIVE
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import Heap, heap_of
from accel.memory.in_flight import PendingWork
from accel.memory.storage import Storage
from accel.memory.storage_work import Use, submit_in_order
from accel.memory.storage_work import submit as submit_work
from accel.memory.submission import Submission
from accel.memory.thread_stream import ThreadStream
from accel.support.call_sites import call_site

__all__ = ["Progress", "Transfer", "TransferPart", "in_order_on", "refuse_foreign", "submit", "submit_copy"]

Progress = Callable[[int, int], object]
"""Called with the bytes copied so far and in total, in the thread that waits."""


class Transfer:
    """A copy in flight from one storage to another; their memory is not reused before it is finished.

    Parameters
    ----------
    pieces : list of tuple of Event and int
        How many parts are copied one after the other.
    heap : Heap
        The memory of the device on whose stream it is.
    pending : PendingWork, optional
        What is in flight.
    progress : Progress, optional
        What is called after each piece with the parts that are done and all parts.

    Attributes
    ----------
    source, target : Device
        The devices of both ends.
    site : str
        The place in the user's code that submitted it; in debug mode only.
    """

    __slots__ = ("_heap", "_pending", "_pieces", "_progress", "site", "source", "target")

    def __init__(
        self,
        target: Device,
        source: Device,
        pieces: list[tuple[Event, int]],
        heap: Heap,
        pending: PendingWork | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.target: Device = target
        self.source: Device = source
        self.site: str = call_site() if config.debugging() else ""
        self._pieces = pieces
        self._pending = pending
        self._heap = heap
        self._progress = progress

    @property
    def nbytes(self) -> int:
        """Bytes to copy."""
        return sum([nbytes for _, nbytes in self._pieces])

    @property
    def event(self) -> Event:
        """The event that is reached when everything is copied."""
        return self._pieces[-1][0]

    def done(self) -> bool:
        """Tell whether everything is copied; never waits."""
        if not self.event.done():
            return False
        self._retire()
        return True

    def wait(self) -> None:
        """Block until everything is copied.

        Raises
        ------
        Exception
            The error of the copy, or of the work that wrote its source, with a note that says where it was submitted.
        """
        try:
            for copied in self._each_piece():
                if self._progress is not None:
                    self._progress(copied, self.nbytes)
            if self._pending is not None:
                self._pending.event.wait()  # also raises the failure of the work that wrote the source
        finally:
            if self.event.done():
                self._retire()

    def _retire(self) -> None:
        """Release the memory of the copy, which is finished; memory that is freed in stream order is not kept."""
        if self._pending is not None:
            self._heap.retire(self._pending)
        elif self._heap.pending_work:
            self._heap.retire_oldest()

    def _each_piece(self) -> Iterator[int]:
        copied = 0
        for event, nbytes in self._pieces:
            event.wait()
            copied += nbytes
            yield copied

    def __await__(self) -> Generator[Any, None, None]:
        import asyncio  # imported here: it takes longer than all other imports of a container

        while not self.done():
            yield from asyncio.sleep(0.0002).__await__()
        self.wait()

    @property
    def seconds(self) -> float:
        """How long the copy itself took, without the time it waited; blocks until it is finished.

        Raises
        ------
        CapabilityError
            If its stream is not timed.
        """
        self.event.settle()
        began, ended = self._pieces[0][0].began, self.event.ended
        if began is None or ended is None:
            device = self._heap.device
            raise CapabilityError(
                f"{self!r} was not timed: a stream measures only if it was asked to, since that takes a GPU time; "
                f"write stream=accel.new_stream('{device}', timed=True)"
            )
        return ended - began

    @property
    def throughput(self) -> float:
        """Bytes copied per second, as `seconds` has it; blocks until the copy is finished."""
        return self.nbytes / max(self.seconds, 1e-9)

    def __repr__(self) -> str:
        state = "done" if self.event.done() else "under way"
        return f"<Transfer of {self.nbytes} bytes from {self.source} to {self.target}, {state}>"


class TransferPart(NamedTuple):
    """One part of a copy.

    Attributes
    ----------
    run : callable
        Submits the part to a stream; called with None, it copies before it returns.
    backend : Backend or None
        The backend whose streams accept the part; None if only a thread of the host can do it.
    nbytes : int
        Bytes to copy.
    """

    run: Callable[[Stream | None], object]
    backend: Backend | None
    nbytes: int


def submit_copy(target: Storage, source: Storage, stream: Stream, progress: Progress | None = None) -> Transfer:
    """Copy between two storages of equal size and dtype, on a stream of the device of either.

    Parameters
    ----------
    target : Storage
        The storage that is written.
    source : Storage
        The storage that is read.
    stream : Stream
        The stream; by default the current one.
    progress : Progress, optional
        What is called with the parts that are done and all parts.

    Returns
    -------
    Transfer
        The copy in flight.

    Raises
    ------
    ReadOnlyError
        If the target is read-only.
    DeviceMismatchError
        If the stream belongs to another device.
    """
    if progress is None:
        of_device, nbytes = type(target) is DeviceStorage, target.size * target.dtype.itemsize
        event: Event | None
        if of_device is (type(source) is DeviceStorage):
            event = submitted_within(target, source, stream) or _submitted_in_order(target, source, stream)
        elif target._const or target.readonly:
            event = None
        elif of_device:
            event = submitted_over_link(target, source, nbytes, stream, upload=True)
        else:
            event = submitted_over_link(source, target, nbytes, stream, upload=False)
        if event is not None:
            heap = (target if of_device else source).owner.heap
            return Transfer(target.device, source.device, [(event, nbytes)], heap)
    target.refuse_read_only()
    into, out_of = target.__accel_operand__().span, source.__accel_operand__().span
    whole = progress is None or _overlap(into, out_of)
    works = [
        _copying(target, _part(into, start, nbytes), source, _part(out_of, start, nbytes))
        for start, nbytes in _pieces(into.nbytes, whole=whole)
    ]
    return submit(target, source, stream, works, progress=progress, whole=True)


def _submitted_in_order(target: Storage, source: Storage, stream: Stream) -> Event | None:
    """Submit a copy between two storages in order without an event; None, and nothing is done, if that cannot be."""
    if not in_order_on(stream, target, source):
        return None
    target.refuse_read_only()
    uses = Use(target, True, whole=True), Use(source, False)
    copy = partial(target.owner.heap.backend.copy, target.span, source.span, stream=stream)
    return submit_in_order(target.owner.heap, stream, uses, copy)


def in_order_on(stream: Stream, target: Storage, source: Storage) -> bool:
    """Tell whether the event after a copy on a stream can be recorded when it is first asked for.

    It is recorded at once if it is timed, and where the memory must be kept alive until the copy is finished.
    """
    to, of = target._owner, source._owner
    if to is None or of is None or to.heap is not of.heap or not isinstance(stream, CurrentStream):
        return False
    heap = to.heap
    if stream.device is not heap.device or stream.timed or ACTIVE or heap.in_order is None:
        return False
    return not config.current().strict


def submit(
    target: Storage,
    source: Storage,
    stream: Stream,
    works: Sequence[TransferPart],
    between: Sequence[Storage] = (),
    progress: Progress | None = None,
    *,
    whole: bool = False,
) -> Transfer:
    """Submit the parts of a copy to a stream, in order.

    They start after all earlier work that they depend on, and later work that depends on them starts after them. The
    temporary storages in ``between`` are kept alive until they are finished. With ``whole`` they write every byte of
    the target.

    Raises
    ------
    DeviceMismatchError
        If the stream belongs to another device.
    """
    refuse_foreign(stream, target.device, source.device)
    uses = Use(target, True, whole=whole), Use(source, False)
    pieces: list[tuple[Event, int]] = []
    pending = submit_work(stream, uses, partial(_give_pieces, stream, works, pieces), between)
    return Transfer(target.device, source.device, pieces, heap_of(stream.device), pending, progress)


def _give_pieces(
    stream: Stream, works: Sequence[TransferPart], pieces: list[tuple[Event, int]], submission: Submission
) -> None:
    """Submit the parts of a copy to a stream, and append the event after each to ``pieces``."""
    for work in works:
        # None until the event is known: after an interrupt, a caller that needs the event looks for it.
        before, submission.event = submission.event, None
        try:
            event = _submit(stream, work)
        except Exception:
            submission.event = before
            raise
        pieces.append((event, work.nbytes))
        submission.event = event
    if not works:  # no elements: nothing is copied
        pieces.append((stream.record(), 0))


def _copying(target: Storage, into: Span, source: Storage, out_of: Span) -> TransferPart:
    """Return the copy of one piece, by the backend that knows both ends, if there is one."""
    # The owners and not the handles, which may be released before the copy is finished.
    to, of = target.owner, source.owner
    worker = worker_of(to.heap, of.heap)

    def run(stream: Stream | None) -> None:
        if stream is None or worker is None:
            copy_spans(to, into, of, out_of)
        else:
            worker.backend.copy(into, out_of, stream=stream)

    return TransferPart(run, None if worker is None else worker.backend, into.nbytes)


def _submit(stream: Stream, work: TransferPart) -> Event:
    """Submit one part to the stream, or to a thread that the stream waits for; return the event after it."""
    if isinstance(stream, ThreadStream):
        # The event of this part alone: `record` could return one that fails with the work of another thread.
        return stream.submit(partial(work.run, None), inline=work.nbytes < thresholds.INLINE)
    if heap_of(stream.device).backend is work.backend:
        work.run(stream)
    else:
        thread, before = ThreadStream(), stream.record()
        stream.wait_for(before)  # a stream that accepts no more work raises before the thread has any
        thread.wait_for(before)
        stream.wait_for(thread.submit(partial(work.run, None)))
    return stream.record()


def refuse_foreign(stream: Stream, target: Device, source: Device) -> None:
    """Raise `DeviceMismatchError` unless a stream belongs to one of two devices."""
    if not is_stream(stream):
        raise TypeError(f"{stream!r} is no stream; write stream=accel.new_stream('{target}')")
    if stream.device not in (target, source):
        raise DeviceMismatchError(
            f"a stream of {stream.device} cannot copy from {source} to {target}; "
            f"write stream=accel.new_stream('{target}')"
        )


def _pieces(nbytes: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield start and size of each piece; a copy of no bytes has one piece too."""
    step = max(nbytes, 1) if whole else thresholds.PIECE
    for start in range(0, max(nbytes, 1), step):
        yield start, min(step, nbytes - start)


def _overlap(one: Span, other: Span) -> bool:
    """Tell whether two spans of equal size share bytes; then only a copy in a single piece is correct."""
    return abs((one.block.pointer + one.start) - (other.block.pointer + other.start)) < one.nbytes


def _part(span: Span, start: int, nbytes: int) -> Span:
    return Span(span.block, span.start + start, nbytes)
