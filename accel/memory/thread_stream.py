"""`ThreadStream`: a stream whose work a thread of the host does."""

import atexit
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from time import perf_counter
from typing import NoReturn
from weakref import ref

from accel.abc.graphs import CapturedEvent, Recording, refuse_captured
from accel.abc.stream import CurrentStream, Event, TimedEvent, as_event, event_text, raise_again
from accel.device import Device
from accel.support.call_sites import call_site
from accel.support.locks import forked_since, process, start

__all__ = ["ThreadEvent", "ThreadStream"]

HostTask = Callable[[], object]


class _Failure:
    """The error of a task. If it was never raised to a caller, the finaliser prints it."""

    __slots__ = ("_traceback", "error", "reported")

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.reported = False
        self._traceback = error.__traceback__

    def throw(self) -> NoReturn:
        self.reported = True
        raise_again(self.error, self._traceback)

    def __del__(self) -> None:
        if not self.reported:
            traceback.print_exception(self.error)


class ThreadEvent(TimedEvent):
    """A point in a `ThreadStream`; its clock is `time.perf_counter`."""

    __slots__ = ("_lock", "_process", "_reached", "device", "failure")

    def __init__(self, device: Device, *, timed: bool = False) -> None:
        super().__init__(timed)
        self.device: Device = device
        self.failure: _Failure | None = None
        self._reached = False
        self._process = process.token
        self._lock = threading.Lock()
        self._lock.acquire()

    @property
    def failed(self) -> bool:
        """Whether the work before it raised an error."""
        return self.failure is not None

    def done(self) -> bool:
        """Tell whether the work before it is done."""
        return self._reached

    def settle(self) -> None:
        """Block until the work before it is done; errors are raised by `wait` only."""
        if not self._reached:
            if forked_since(self._process):
                raise RuntimeError("this work was begun before a fork, in the parent; start processes with 'spawn'")
            with self._lock:
                pass

    def wait(self) -> None:
        """Block until the work before it is done; raises the error of the work."""
        self.settle()
        if self.failure is not None:
            self.failure.throw()

    def __repr__(self) -> str:
        return event_text(self.device, done=self._reached, failed=self.failed)

    def reach(self, began: float, failure: _Failure | None) -> None:
        """Record that the work is done, or its error."""
        self.measured: tuple[float, float] | None = began, perf_counter()
        self.failure = failure
        self._reached = True
        self._lock.release()


class _Task:
    """One piece of work, and the event after it."""

    __slots__ = ("context", "event", "failed", "site", "work")

    def __init__(self, work: HostTask, event: ThreadEvent, failed: deque[_Failure]) -> None:
        self.work = work
        self.event = event
        self.failed = failed
        self.site = call_site()
        self.context = copy_context()

    def run(self) -> None:
        """Do the work in the thread of the stream; errors are raised by each wait."""
        failure, began = None, perf_counter()
        try:
            self.context.run(self.work)
        except BaseException as error:
            failure = self._record(error)
        self._end(began, failure)

    def run_inline(self) -> None:
        """Do the work in the thread that submits it; an interrupt is raised there."""
        failure, began = None, perf_counter()
        try:
            self.context.run(self.work)
        except Exception as error:
            failure = self._record(error)
        self._end(began, failure)

    def _record(self, error: BaseException) -> _Failure:
        error.add_note(f"submitted at {self.site}; failed later, on a stream of {self.event.device}")
        failure = _Failure(error)
        _add(self.failed, failure)
        return failure

    def _end(self, began: float, failure: _Failure | None) -> None:
        # The work may hold the last keep-alive of memory: it must be released before the event is seen.
        del self.work, self.context
        self.event.reach(began, failure)


class _Queue:
    """The work of a stream in one process; in the child of a fork, the thread and its work do not exist."""

    __slots__ = ("failed", "last", "lock", "process", "tasks")

    def __init__(self) -> None:
        self.process = process.token
        # Reentrant: a garbage collection while the thread starts may free memory by work on this very stream.
        self.lock = threading.RLock()
        self.tasks: SimpleQueue[_Task | None] | None = None
        self.last: ThreadEvent | None = None
        self.failed: deque[_Failure] = deque()

    def append(self, task: _Task) -> None:
        """Let the thread do a task after all others; the caller holds the lock.

        Raises
        ------
        RuntimeError
            If there is no thread yet and none can be started; nothing is changed then.
        """
        put = (self.tasks or self._start()).put
        # No call between these: the last task is always one that the thread gets.
        self.last = task.event
        put(task)

    def _start(self) -> "SimpleQueue[_Task | None]":
        """Start the thread, and return its queue."""
        tasks: SimpleQueue[_Task | None] = SimpleQueue()
        # A daemon: at exit, `_finish_all` finishes its work.
        thread = threading.Thread(target=_serve, args=(tasks,), name="accel-stream", daemon=True)
        try:
            start(thread)
            self.tasks = tasks
        except BaseException:
            tasks.put(None)  # the thread may run already when an interrupt comes
            raise
        return tasks


class ThreadStream(CurrentStream):
    """A queue of host work, done in order by a thread of its own.

    Parameters
    ----------
    device : Device
        The device: the CPU, or one whose backend has no streams.
    """

    __slots__ = ("__weakref__", "_closed", "_queue", "_recording", "device", "timed")

    def __init__(self, device: Device = Device.CPU) -> None:
        self.device: Device = device
        self.timed: bool = False
        self._closed = False
        self._recording: Recording[HostTask] | None = None
        self._queue = _Queue()
        _streams[ref(self, _streams.pop)] = None

    def submit(self, work: HostTask, *, inline: bool = False) -> Event:
        """Do work after all that was submitted before.

        Parameters
        ----------
        work : callable
            Called without arguments, with the settings of the caller.
        inline : bool
            Do it in the caller's thread if the stream is idle: for work that takes less time than waking a thread. An
            interrupt is then raised here, and the work is not done.

        Raises
        ------
        TypeError
            If the work is not a function.
        RuntimeError
            If the stream is closed, or no thread can be started.
        """
        if not callable(work):
            raise TypeError(f"work is a function without arguments; found {work!r}")
        _end_daemon_at_exit()
        event, queue = ThreadEvent(self.device, timed=self.timed), self._own_queue()
        task = _Task(work, event, queue.failed)
        with queue.lock:
            if self._closed:
                _end_daemon_at_exit()  # it may have been closed since the first check
                raise RuntimeError("the stream is closed and takes no more work; make another: accel.new_stream()")
            if self._recording is not None:
                return self._recording.add(self, work)
            if inline and (queue.last is None or queue.last.done()):
                task.run_inline()
                queue.last = event
            else:
                queue.append(task)
        return event

    def _own_queue(self) -> _Queue:
        """Return the queue of this process."""
        before = self._queue
        if forked_since(before.process):
            queue = _Queue()
            # No call between these: another thread may be first.
            if self._queue is before:
                self._queue = queue
        return self._queue

    def record(self, *, timed: bool = False) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        if self._recording is not None:
            return CapturedEvent(self.device)
        event = self._own_queue().last or _reached_event(self.device, timed=self.timed)
        event.end_timed |= timed
        return event

    def begin_capture(self) -> Event:
        """Record work from now on; return an event after all work that was submitted before."""
        if self._recording is not None:
            refuse_captured(self, "have another capture inside", "capture the two one after the other")
        before = self.record()
        with self._own_queue().lock:
            if self._closed:
                raise RuntimeError("the stream is closed and takes no more work; make another: accel.new_stream()")
            self._recording = Recording()
        return before

    def end_capture(self) -> "ThreadGraph":
        """Return the work that was recorded, and do later work again."""
        recording, self._recording = self._recording, None
        return ThreadGraph([] if recording is None else recording.work)

    def wait_for(self, event: Event) -> None:
        """Start work that is submitted from now on after an event."""
        if self._recording is not None:
            refuse_captured(self, "wait for an event", "wait for it before the capture, or before graph.launch()")
        if not as_event(event).done():
            self.submit(event.settle)

    def synchronize(self) -> None:
        """Block until all work submitted so far is done; raises errors that were not raised yet."""
        if self._recording is not None:
            refuse_captured(self, "be waited for", "wait for the event that graph.launch() returns")
        queue = self._own_queue()
        if queue.last is not None:
            queue.last.settle()
        unseen = [failure for failure in _drain(queue.failed) if not failure.reported]
        if unseen:
            first, *others = unseen
            for other in others:
                other.reported = True
            if others:
                first.error.add_note(f"and {len(others)} more failed after it")
            first.throw()

    def close(self) -> None:
        """Finish the work and accept no more; doing so again is harmless."""
        if self._recording is not None:
            refuse_captured(self, "be closed", "close it after the capture")
        queue = self._own_queue()
        with queue.lock:
            closing, self._closed = not self._closed, True
            if closing and queue.tasks is not None:
                queue.tasks.put(None)
        self.synchronize()

    def __repr__(self) -> str:
        last = self._queue.last
        state = "closed" if self._closed else "busy" if last is not None and not last.done() else "idle"
        return f"<stream of {self.device}, {state}>"

    def __del__(self) -> None:
        try:
            tasks = self._queue.tasks
        except AttributeError:  # an interrupt came in the constructor
            return
        if tasks is not None:
            tasks.put(None)


class ThreadGraph:
    """Work that was recorded on a stream of the host; a launch is one piece of work for a stream."""

    __slots__ = ("_work",)

    def __init__(self, work: list[HostTask]) -> None:
        self._work = work

    def launch(self, stream: ThreadStream) -> None:
        """Submit the work; see `accel.abc.DeviceGraph`."""
        stream.submit(self._run)

    def _run(self) -> None:
        for work in self._work:
            work()


def _add(failed: deque[_Failure], failure: _Failure) -> None:
    """Add a failure, and forget those that were raised: their tracebacks keep the frames of callers alive."""
    while failed and failed[0].reported:
        failed.popleft()
    failed.append(failure)


def _drain(failed: deque[_Failure]) -> Iterator[_Failure]:
    """Yield and remove all failures; other threads may do so at the same time, and add more."""
    with suppress(IndexError):
        while True:
            yield failed.popleft()


def _reached_event(device: Device, *, timed: bool) -> ThreadEvent:
    """Return an event that is reached: that of a stream without work."""
    event = ThreadEvent(device, timed=timed)
    event.reach(perf_counter(), None)
    return event


def _serve(queue: "SimpleQueue[_Task | None]") -> None:
    while (task := queue.get()) is not None:
        task.run()
        del task


# Not a WeakSet: it cannot be listed while other threads add to it.
_streams: dict[ref[ThreadStream], None] = {}


_exiting = False
"""Whether the process ends. It changes before the first stream is closed for that, and never back."""


def _end_daemon_at_exit() -> None:
    """End a daemon's thread when the process ends: no stream takes more work, and Python would end the thread too."""
    if _exiting and threading.current_thread().daemon:
        raise SystemExit


@atexit.register
def _finish_all() -> None:
    global _exiting
    _exiting = True
    for reference in [*_streams]:
        stream = reference()
        try:
            if stream is not None:
                stream.close()
        except Exception as error:
            # No caller is left. Unlike Python's own report, this shows the note with the line that submitted the work.
            traceback.print_exception(error)
