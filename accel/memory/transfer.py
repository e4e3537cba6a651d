"""`Transfer`: a copy that is under way."""

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

from accel.device import Device
from accel.errors import DeviceMismatchError
from accel.memory.block import Span
from accel.memory.copying import copy_spans, worker_of
from accel.memory.heap import Flight, Heap, heap_of
from accel.memory.storage import Storage
from accel.memory.stream import CurrentStream, Event, Stream
from accel.memory.thread_stream import ThreadStream
from accel.sites import call_site

__all__ = ["Progress", "Transfer", "submit_copy"]

Progress = Callable[[int, int], object]
"""Called with the bytes copied so far and the bytes in all, by whoever waits."""

_PIECE = 1 << 24
# Below this, waking a thread takes longer than the copy.
_INLINE = 1 << 15


class Transfer:
    """A copy under way from one storage to another; it keeps both alive until it is over.

    Attributes
    ----------
    nbytes : int
        Bytes to copy.
    source, target : Device
        From where, and to where.
    site : str
        Where in the user's code it was submitted.
    """

    __slots__ = ("_flight", "_heap", "_pieces", "_progress", "nbytes", "site", "source", "target")

    def __init__(
        self,
        target: Device,
        source: Device,
        pieces: list[tuple[Event, int]],
        flight: Flight,
        heap: Heap,
        progress: Progress | None,
    ) -> None:
        self.target = target
        self.source = source
        self.nbytes = sum(nbytes for _, nbytes in pieces)
        self.site = call_site()
        self._pieces = pieces
        self._flight = flight
        self._heap = heap
        self._progress = progress

    @property
    def event(self) -> Event:
        """The event that is reached when all is copied."""
        return self._flight.event

    def done(self) -> bool:
        """Tell whether all is copied; never waits."""
        if not self.event.done():
            return False
        self._heap.land(self._flight)
        return True

    def wait(self) -> None:
        """Block until all is copied.

        Raises
        ------
        Exception
            Whatever went wrong after it was submitted, with a note that says where that was.
        """
        try:
            for copied in self._each_piece():
                if self._progress is not None:
                    self._progress(copied, self.nbytes)
        finally:
            if self.event.done():
                self._heap.land(self._flight)

    def _each_piece(self) -> Iterator[int]:
        copied = 0
        for event, nbytes in self._pieces:
            event.wait()
            copied += nbytes
            yield copied

    def __await__(self) -> Generator[Any, None, None]:
        import asyncio  # takes longer than all else that a container needs

        while not self.done():
            yield from asyncio.sleep(0.0002).__await__()
        self.wait()

    @property
    def seconds(self) -> float:
        """How long the copying itself took; waits for its end."""
        self.event.settle()
        began, ended = self._pieces[0][0].began, self.event.ended
        return (ended or 0.0) - (began or 0.0)

    @property
    def throughput(self) -> float:
        """Bytes copied per second; waits for the end."""
        return self.nbytes / max(self.seconds, 1e-9)

    def __repr__(self) -> str:
        state = "done" if self.event.done() else "under way"
        return f"<Transfer of {self.nbytes} bytes from {self.source} to {self.target}, {state}>"


def submit_copy(target: Storage, source: Storage, stream: Stream, progress: Progress | None = None) -> Transfer:
    """Copy between two storages of equal size and dtype, on a stream of either one's device.

    It starts after the work in flight that it must not overtake, and later work on either storage starts after it.

    Raises
    ------
    ReadOnlyError
        If the target must not change.
    DeviceMismatchError
        If the stream is of neither one's device.
    """
    target.refuse_read_only()
    _refuse_foreign(stream, target.device, source.device)
    into, out_of = target.__accel_operand__().span, source.__accel_operand__().span
    pins = (target.pin(), source.pin())
    target.owner.order(stream, writing=True)
    source.owner.order(stream, writing=False)
    heap = heap_of(stream.device)
    flight: Flight | None = None
    pieces: list[tuple[Event, int]] = []
    try:
        for start, nbytes in _pieces(into.nbytes, whole=progress is None):
            _submit(stream, target, _part(into, start, nbytes), source, _part(out_of, start, nbytes))
            pieces.append((stream.record(), nbytes))
    finally:
        # Also where a piece was refused: those before it are under way, and hold what they read and write.
        flight = Flight(pieces[-1][0] if pieces else stream.record(), pins)
        heap.under_way.append(flight)
        target.owner.note(flight.event, writing=True)
        source.owner.note(flight.event, writing=False)
    return Transfer(target.device, source.device, pieces, flight, heap, progress)


def _submit(stream: Stream, target: Storage, into: Span, source: Storage, out_of: Span) -> None:
    """Copy one piece on the stream: by its backend if that knows both ends, else by a thread of the house."""
    to, of = heap_of(target.device), heap_of(source.device)
    worker = worker_of(to, of)
    if isinstance(stream, ThreadStream):
        stream.submit(partial(copy_spans, to, into, of, out_of), inline=into.nbytes < _INLINE)
    elif worker is not None and heap_of(stream.device).backend is worker.backend:
        worker.backend.copy(into, out_of, stream=stream)
    else:
        thread = ThreadStream()
        thread.wait_for(stream.record())
        stream.wait_for(thread.submit(partial(copy_spans, to, into, of, out_of)))


def _refuse_foreign(stream: Stream, target: Device, source: Device) -> None:
    # The first is a class, and looked up in no time; a protocol takes longer than a small copy.
    if not isinstance(stream, CurrentStream) and not isinstance(stream, Stream):
        raise TypeError(f"{stream!r} is no stream; write stream=accel.new_stream('{target}')")
    if stream.device not in (target, source):
        raise DeviceMismatchError(
            f"a stream of {stream.device} cannot copy from {source} to {target}; "
            f"write stream=accel.new_stream('{target}')"
        )


def _pieces(nbytes: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield start and size of each piece; there is at least one, also of nothing."""
    step = max(nbytes, 1) if whole else _PIECE
    for start in range(0, max(nbytes, 1), step):
        yield start, min(step, nbytes - start)


def _part(span: Span, start: int, nbytes: int) -> Span:
    return Span(span.block, span.start + start, nbytes)
