"""`HeapStreams`: the streams that work on the memory of one device."""

from collections.abc import Callable

from accel.abc.backend import Backend
from accel.abc.optional import SupportsStreams
from accel.abc.stream import Event, Stream, current_stream, current_streams
from accel.device import Device
from accel.memory.in_flight import PendingTable, PendingWork, SupportsKeepAlive
from accel.memory.submission import Gate, Submission

__all__ = ["HeapStreams"]


class HeapStreams(PendingTable):
    """The table of the memory of one device, and the streams that work on it.

    Attributes
    ----------
    device : Device
        The device.
    backend : Backend
        Makes its streams.
    default : Stream or None
        What `default_stream` returns; None before it was first asked.
    gate : Gate
        For work that is kept in order without events; its lock is that of the table.
    last_opened : Submission
        What `opened` returned last; with the gate held, this is asked first.
    """

    __slots__ = ("_own", "_streams", "backend", "default", "device", "gate", "last_opened")

    def __init__(self, device: Device, backend: Backend) -> None:
        super().__init__()
        self.device: Device = device
        self.backend: Backend = backend
        self._streams = backend if isinstance(backend, SupportsStreams) else None
        self.default: Stream | None = None
        self.last_opened: Submission = Submission()
        self._own: Stream | None = None
        self.gate: Gate = Gate(self.lock, device)

    @property
    def has_streams(self) -> bool:
        """Whether the device has streams of its own."""
        return self._streams is not None

    @property
    def stream(self) -> Stream | None:
        """The stream for work that is submitted without one; None where such work is done at once."""
        if self._streams is None:
            return None
        default = self.default or self.default_stream()
        return (current_stream(self.device) or default) if current_streams.get() else default

    def default_stream(self) -> Stream | None:
        """Return the stream for work outside of any ``with stream:``; None where such work is done at once."""
        if self.default is None and self._streams is not None:
            self.default = self._streams.default_stream(self.device)
        return self.default

    def new_stream(self) -> Stream | None:
        """Return a new stream of the device; None if it has none of its own."""
        return None if self._streams is None else self._streams.new_stream(self.device)

    def _own_stream(self) -> Stream | None:
        """Return a stream that waits for no stream of the host; None where work is done at once."""
        if self._own is None:
            stream = self.new_stream()
            # No call between these: another thread may be first.
            if self._own is None:
                self._own = stream
        return self._own

    def opened(self, queue: Stream) -> Submission:
        """Return a submission that is open on a stream of the device; the caller holds the gate."""
        opened = self.last_opened
        if opened.queue is not queue:
            opened = self.last_opened = Submission()
            opened.sound = True
            opened.open(queue, self.gate)
        return opened

    def latest(self) -> Event | None:
        """Return an event after all work on `stream`; None where such work is done at once."""
        stream = self.stream
        return None if stream is None else stream.record()

    def carry_out(self, work: Callable[[], object], *used: SupportsKeepAlive) -> None:
        """Submit work that the caller keeps in order, and wait for that work alone.

        An interrupt ends the wait, not the work; the memory in ``used`` is kept alive until the work is done. It gets a
        stream of its own: a thread that works for a stream of the host calls this, and all other streams of the device
        may wait for that thread.
        """
        stream, submission = self._own_stream(), Submission()
        if stream is None:
            work()
            self.backend.synchronize(self.device)
            return
        pending = PendingWork(submission, tuple([each.keep_alive() for each in used]))
        try:
            with submission.begun, stream:
                self.pending_work[pending] = ""
                submission.give(stream, lambda _: work())
            submission.wait()
        finally:
            if submission.done():
                self.retire(pending)
        self.retire_oldest()
