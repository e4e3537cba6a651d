"""`capture`: records the work of a stream in a `Graph`, which is launched as often as wanted."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Any, NoReturn, Self

from accel.abc.graphs import DeviceGraph, SupportsGraphs, refuse_captured
from accel.abc.stream import CurrentStream, Event, Stream, is_stream
from accel.device import Device, OnDevice
from accel.errors import CapabilityError, DeviceMismatchError, ReleasedError
from accel.memory.captures import ACTIVE, Capture
from accel.memory.hazards import HazardRecord, Hazards
from accel.memory.heap import heap_of
from accel.memory.storage_work import Use, submit_in_order, submit_ordered
from accel.memory.stream_order import NOT_COVERED, covered, record_again
from accel.memory.submission import Submission

__all__ = ["Graph", "capture"]


_Found = tuple[Stream, int, list[tuple[HazardRecord, Hazards | None]]]
"""What a launch in order has found: its stream, `Gate.closings`, and the hazards of the memory. As long as these are
the same, a later launch need not wait either."""


def _holds(found: _Found, queue: Stream, closings: int) -> bool:
    """Return whether nothing has changed; the caller holds the gate."""
    same_queue, same_closings, records = found
    if same_queue is not queue or same_closings != closings:
        return False
    for record, hazards in records:  # noqa: SIM110 - a generator is slow
        if record.hazards is not hazards:
            return False
    return True


def _found(uses: Sequence[Any], queue: Stream, opened: Submission, closings: int) -> _Found | None:
    """Record the uses by the open submission of a stream; return None if the next work there must wait for other work.

    The caller holds the gate.
    """
    for use in uses:
        # Pinned memory of the host is not freed in the order of the stream.
        if use.storage.device is not queue.device or covered(use.storage, use.writing, queue, opened) == NOT_COVERED:
            return None
    records = [use.storage.owner.hazard_record for use in uses]
    return queue, closings, [(record, record.hazards) for record in records]


class Graph(OnDevice):
    """Work that was recorded by `capture`: launches of kernels, copies and fills.

    Each launch reads and writes the memory that the work used when it was recorded, with the numbers that it had then.
    The graph has handles of its own on that memory, so it stays allocated until the graph is released.

    Threads may launch one graph; launches come one after the other, since they use the same memory.

    Parameters
    ----------
    stream : Stream
        The stream on which it runs.
    """

    __slots__ = ("_capture", "_error", "_found", "_heap", "_open", "_stream", "_uses", "_work", "operations")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._heap = heap_of(stream.device)
        self._open = True
        self._error: BaseException | None = None
        self._capture = Capture(stream)
        self._uses: tuple[Use, ...] = ()
        self._found: _Found | None = None
        self._work: DeviceGraph | None = None
        self.operations: int = 0

    @property
    def device(self) -> Device:
        """The device that does the work."""
        return self._stream.device

    def launch(self, *, stream: Stream | None = None) -> Event:
        """Do the recorded work once, and return at once.

        It starts after all pending uses of its memory, and later uses of the memory wait for it: by other streams, by
        the host, and by the next launch.

        Parameters
        ----------
        stream : Stream, optional
            A stream of the device; by default the one that was captured.

        Returns
        -------
        Event
            Reached when all the work is done.

        Raises
        ------
        RuntimeError
            If the capture has not ended, or has ended with an error.
        ReleasedError
            If the graph was released.
        DeviceMismatchError
            If the stream is of another device.
        """
        work, uses = self._ready(), self._uses
        queue = self._stream if stream is None else self._checked(stream)
        event = self._launch_in_order(queue)
        if event is not None:
            return event

        def launch() -> None:
            work.launch(queue)

        return submit_in_order(self._heap, queue, uses, launch) or submit_ordered(queue, uses, launch)

    def release(self) -> None:
        """Release the graph's handles on its memory; launches that are under way keep it alive until they end.

        Doing so again is harmless.
        """
        # No call between these: a launch in another thread finds the work and the uses, or neither.
        uses, self._uses, self._work, self._found = self._uses, (), None, None
        for use in uses:
            use.storage.release()  # type: ignore[attr-defined]

    @property
    def released(self) -> bool:
        """Whether the graph was released."""
        return not self._open and self._work is None and self._error is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        state = "being captured" if self._open else "released" if self.released else f"{self.operations} operations"
        return f"<graph of {self.device}, {'failed' if self._error is not None else state}>"

    def _launch_in_order(self, queue: Any) -> Event | None:
        """Launch the graph if it need not wait for other work, and return an event; else do nothing, and return None.

        As `try_in_order`, but nothing is looked up again if nothing was recorded for the memory since the last launch.
        """
        heap = self._heap
        if not heap.plain:
            return None
        gate = heap.gate
        with gate.lock:
            work, uses, found = self._work, self._uses, self._found
            if heap.changing or work is None or not queue.direct or queue.timed:
                return None
            heap.changing = True
            try:
                opened, closings = heap.opened(queue), gate.closings
                if found is None or not _holds(found, queue, closings):
                    found = _found(uses, queue, opened, closings)
                    if found is None:
                        return None
                work.launch(queue)
                if gate.closings != closings:
                    opened, found = record_again(heap, queue, uses), None
                self._found = found
            finally:
                heap.changing = False
        if heap.deferred:
            heap.run_deferred()
        return opened

    def _ready(self) -> DeviceGraph:
        work = self._work
        if work is not None:
            return work
        if self._open:
            raise RuntimeError("this graph is being captured; launch it after the block of `with accel.capture`")
        if self._error is not None:
            raise RuntimeError(
                f"the capture of this graph ended with {type(self._error).__name__}: {self._error}; capture it again"
            )
        raise ReleasedError("this graph was released; release it after its last launch, or capture it again")

    def _checked(self, stream: Stream) -> Stream:
        if not is_stream(stream):
            raise TypeError(f"a graph is launched on a stream; found {stream!r}: write accel.new_stream(device)")
        if stream.device is not self.device:
            raise DeviceMismatchError(
                f"{stream!r} cannot launch a graph of {self.device}; write stream=accel.new_stream('{self.device}')"
            )
        return stream

    def _begin(self) -> None:
        stream: Any = self._stream
        if stream in ACTIVE or any(each.of_this_thread for each in [*ACTIVE.values()]):
            refuse_captured(
                next((each.stream for each in [*ACTIVE.values()] if each.of_this_thread), stream),
                "have another capture inside",
                "capture the two one after the other, and launch one graph while the other is captured",
            )
        with ExitStack() as locks:
            # With these locks, no thread is giving work to the stream.
            locks.enter_context(stream.giving)
            locks.enter_context(self._heap.gate.lock)
            ACTIVE[stream] = self._capture
            try:
                self._capture.before = stream.begin_capture()
            except BaseException:
                ACTIVE.pop(stream, None)
                raise

    def _end(self, error: BaseException | None) -> None:
        stream: Any = self._stream
        work: DeviceGraph | None = None
        try:
            with stream.giving, self._heap.gate.lock:
                try:
                    work = stream.end_capture()
                finally:
                    ACTIVE.pop(stream, None)
        except BaseException as failure:
            error = error or failure
            raise
        finally:
            self._finish(work, error)

    def _finish(self, work: DeviceGraph | None, error: BaseException | None) -> None:
        capture = self._capture
        if error is None:
            self.operations = capture.operations
            self._uses = tuple([Use(*use) for use in capture.uses.values()])
            self._work = work
        else:
            capture.release()
            self._error = error.with_traceback(None)
        self._open = False


class capture:  # noqa: N801 - it is called as a function
    """Record the work of a stream in a graph, in a block of ``with``.

    In the block the stream is current. Launches of kernels, and copies and fills of memory of its device and of pinned
    memory of the host, that are given to it there are recorded, not done. `Graph.launch` does them, as often as it is
    called, with much less time of the host than one by one. Work on other streams, and of other threads, is done as
    usual.

    What cannot be recorded is refused, and leaves the capture as it was: memory that is allocated for the stream,
    copies from and to pageable memory and reads of elements, waits, kernels that return numbers, and functions of
    `accel.xp`. After an error that leaves the block, the stream works as before, and the graph cannot be launched.

    On the CPU, functions of `accel.xp` and accesses of single elements cannot be told from other work of the host: they
    are done at once, and not recorded.

    Parameters
    ----------
    stream : Stream
        A stream of `new_stream`; a default stream cannot be captured.

    Attributes
    ----------
    graph : Graph or None
        The graph; None before the block.

    Raises
    ------
    CapabilityError
        If the stream cannot be captured, or this thread captures one already.

    Examples
    --------
    >>> import accel
    >>> x, stream = accel.zeros(4), accel.new_stream("cpu")
    >>> with accel.capture(stream) as graph:
    ...     x.fill(3)
    >>> x.to_numpy()
    array([0., 0., 0., 0.])
    >>> graph.launch().wait()
    >>> x.to_numpy()
    array([3., 3., 3., 3.])
    """

    __slots__ = ("_stream", "graph")

    def __init__(self, stream: Stream) -> None:
        if not is_stream(stream):
            raise TypeError(f"a stream is captured; found {stream!r}: write accel.capture(accel.new_stream(device))")
        if not (isinstance(stream, SupportsGraphs) and isinstance(stream, CurrentStream)):
            raise CapabilityError(f"the backend of {stream.device} has no graphs; submit the work each time")
        self._stream = stream
        self.graph: Graph | None = None

    def __enter__(self) -> Graph:
        if self.graph is not None:
            _refuse_again()
        graph = self.graph = Graph(self._stream)
        graph._begin()
        try:
            self._stream.__enter__()
        except BaseException as error:  # an interrupt
            graph._end(error)
            raise
        return graph

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        graph = self.graph
        assert graph is not None, "the block was entered"
        try:
            with suppress(CapabilityError) if error is not None else ExitStack():
                graph._end(error)
        finally:
            self._stream.__exit__(kind, error, trace)


def _refuse_again() -> NoReturn:
    raise RuntimeError("this capture has its graph; write another one: accel.capture(stream)")
