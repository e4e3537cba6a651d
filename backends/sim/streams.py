"""`SimStream`: a stream of a simulated device; `Task`: one operation of a stream, and the event after it."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import perf_counter
from types import TracebackType
from typing import NoReturn, Protocol

from accel.abc import CapturedEvent, DeferredEvent, Event, Recording, refuse_captured
from accel.abc.stream import CurrentStream, TimedEvent, as_event, event_text, raise_again
from accel.device import Device
from accel.errors import CapabilityError
from accel.support.call_sites import call_site

from .races import Operation, VectorClock

__all__ = ["OperationBody", "SimGraph", "SimStream", "Task"]

OperationBody = Callable[[Operation], object]
"""The function that a task calls when it runs; it declares what it reads and writes for the `Operation` it is given."""

# Seconds of a launch, and bytes per second of the memory, of a slow accelerator.
_LATENCY = 5e-6
_BANDWIDTH = 1e10


class Driver(Protocol):
    """Runs late work; `Scheduler` is the implementation."""

    def refuse_fork(self) -> None:
        """Raise `RuntimeError` in a forked child of the process that first used the devices."""
        ...

    def default_stream(self, device: Device) -> "SimStream":
        """Return the stream that is used where none is given or current."""
        ...

    def enqueue(self, task: "Task") -> None:
        """Put a task at the end of its stream."""
        ...

    def poll(self, task: "Task") -> bool:
        """Return whether a task is done; may run some work."""
        ...

    def settle(self, task: "Task") -> None:
        """Run work until a task is done."""
        ...

    def answer(self, task: "Task") -> None:
        """Raise what a task raised, if anything, and count the error as reported."""
        ...

    def finish(self, concerns: Callable[[Operation], bool]) -> None:
        """Run work until all operations that a predicate selects are done; raise their errors."""
        ...


class Task(TimedEvent):
    """One operation of a stream, and the event that is reached when it is done.

    Attributes
    ----------
    operation : Operation
        Its identity and accesses, for the race check.
    stream : SimStream
        The stream.
    after : sequence of Event
        The events it waits for, besides the tasks before it in its stream.
    place : int
        How many tasks of its stream were submitted before it.
    host_clock : Mapping
        The clock of the host when the task was submitted.
    measured : tuple of float, or None
        Simulated times in seconds of `time.perf_counter`: it begins when it was submitted, or when all it waits for
        has ended, if that is later. It lasts a fixed latency plus the bytes it moves over the bandwidth.
    completed : bool
        Whether it was done without an error.
    noticed : bool
        Whether the host knows that it is done.
    """

    __slots__ = (
        "_traceback",
        "after",
        "body",
        "completed",
        "error",
        "host_clock",
        "noticed",
        "operation",
        "place",
        "stream",
        "submitted",
    )

    def __init__(self, stream: "SimStream", what: str, body: OperationBody, after: Sequence[Event]) -> None:
        super().__init__(stream.timed)
        self._traceback: TracebackType | None = None
        self.operation = Operation(stream.device, stream.name, what, call_site())
        self.stream = stream
        self.body: OperationBody | None = body
        self.after = after
        self.place = 0
        self.host_clock: VectorClock = {}
        self.submitted = perf_counter()
        self.error: BaseException | None = None
        self.completed = self.noticed = False

    @property
    def device(self) -> Device:
        """The device of the stream."""
        return self.stream.device

    @property
    def over(self) -> bool:
        """Whether it has left the queue of its stream, to run or after it ran; it never comes back."""
        try:
            return self.stream.tasks[0].place > self.place
        except IndexError:  # not asked before: without the lock, another thread may run the last task in between
            return True

    @property
    def failed(self) -> bool:
        """Whether it ran and raised an error."""
        return self.over and not self.completed

    def __repr__(self) -> str:
        return event_text(self.device, done=self.over, failed=self.failed)  # `done` may run work

    def done(self) -> bool:
        """Return whether it is done; never waits. Each call may run some work, so repeated calls finish all of it."""
        return self.stream.driver.poll(self)

    def settle(self) -> None:
        """Run work until this is done; its error is left for `wait`."""
        self.stream.driver.settle(self)

    def wait(self) -> None:
        """Run work until this is done; raises its error."""
        self.settle()
        self.stream.driver.answer(self)

    def raise_failure(self, more: int = 0) -> None:
        """Raise the task's error, if any; ``more`` is how many tasks failed after it."""
        if self.completed:
            return
        if self.error is None:
            self.error = RuntimeError(f"{self.operation} was interrupted, and what it writes is incomplete")
        if more:
            self.error.add_note(f"and {more} more failed after it")
        raise_again(self.error, self._traceback)

    def forget_failure(self) -> None:
        """Drop the error, and with it all that its traceback keeps alive."""
        self.error = self._traceback = None
        self.completed = True

    def run(self) -> None:
        """Run the body, and keep its error for `wait`; an interrupt is raised here."""
        assert self.body is not None, "a task runs once"
        try:
            self.body(self.operation)
        except Exception as error:
            error.add_note(f"in {self.operation}")
            self.error, self._traceback = error, error.__traceback__
        else:
            self.completed = True

    def end(self) -> None:
        """Set its simulated times, and the clock of its stream; drop what it refers to."""
        began = max(self.submitted, self.stream.free, *map(_end, self.after), 0.0)
        self.stream.free = began + _LATENCY + self.operation.nbytes / _BANDWIDTH
        self.measured = began, self.stream.free
        self.stream.clock = self.operation.clock
        # The body and the events keep memory alive, and this task lives as long as it is referred to as an event.
        self.body = None
        self.after = ()


def _end(event: Event) -> float:
    """Return when an event that is reached ended, whether its stream is timed or not; 0 if that is not known."""
    if isinstance(event, DeferredEvent):
        return max(map(_end, event.submitted()), default=0.0)
    return event.measured[1] if isinstance(event, TimedEvent) and event.measured else 0.0


class SimStream(CurrentStream):
    """A queue of work of a simulated device.

    Attributes
    ----------
    device : Device
        The device.
    name, number : str, int
        Its name in reports, and its number in vector clocks.
    tasks : deque of Task
        The tasks that have not run.
    submitted, last : int, Task or None
        How many tasks were submitted, and the last of them.
    clock, free : Mapping, float
        The clock of the last task that ran, and the simulated time at which it ended.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_giving",
        "_recording",
        "clock",
        "device",
        "driver",
        "free",
        "last",
        "name",
        "number",
        "submitted",
        "tasks",
        "timed",
    )

    def __init__(self, driver: Driver, device: Device, name: str, number: int) -> None:
        self.driver = driver
        self._giving = threading.RLock()
        self.device = device
        self.name = name
        self.number = number
        self.timed = False
        self.tasks: deque[Task] = deque()
        self.submitted = 0
        self.last: Task | None = None
        self.clock: VectorClock = {}
        self.free = 0.0
        self._closed = False
        self._recording: Recording[tuple[str, OperationBody]] | None = None

    @property
    def captured(self) -> bool:
        """Whether work is recorded instead of done."""
        return self._recording is not None

    @property
    def giving(self) -> AbstractContextManager[object]:
        """The lock that `CurrentStream.giving` describes."""
        self.driver.refuse_fork()
        return self._giving

    def submit(self, what: str, body: OperationBody, after: Sequence[Event] = ()) -> Event:
        """Append a task; it runs after all earlier tasks of the stream, and after some events.

        Returns
        -------
        Task or CapturedEvent
            The task; if the stream is captured, a point in the graph.

        Raises
        ------
        RuntimeError
            If the stream is closed.
        """
        if self._closed:
            raise RuntimeError(f"{self.name} is closed and takes no more work; make another: accel.new_stream()")
        if self._recording is not None:
            if after:
                self._refuse_waits()
            return self._recording.add(self, (what, body))
        return self.enqueued(what, body, after)

    def enqueued(self, what: str, body: OperationBody, after: Sequence[Event] = ()) -> Task:
        """Append a task as `submit` does, but also to a closed stream, and to be done also while it is captured."""
        task = Task(self, what, body, after)
        self.driver.enqueue(task)
        return task

    def record(self, *, timed: bool = False) -> Event:
        """Return an event that is reached when all work submitted so far is done; works on a closed stream too."""
        if self._recording is not None:
            return CapturedEvent(self.device)
        event = self.last or self.enqueued("an event", _nothing)
        event.end_timed |= timed
        return event

    def begin_capture(self) -> Event:
        """Record work from now on; return an event after all work that was submitted before."""
        if self._recording is not None:
            refuse_captured(self, "have another capture inside", "capture the two one after the other")
        if self is self.driver.default_stream(self.device):
            raise CapabilityError(f"{self.name} cannot be captured; write accel.new_stream('{self.device}')")
        before = self.record()
        if self._closed:
            raise RuntimeError(f"{self.name} is closed and takes no more work; make another: accel.new_stream()")
        self._recording = Recording()
        return before

    def end_capture(self) -> "SimGraph":
        """Return the work that was recorded, and do later work again."""
        recording, self._recording = self._recording, None
        return SimGraph([] if recording is None else recording.work)

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event of any device."""
        if self._recording is not None:
            self._refuse_waits()
        self.submit("a wait", _nothing, (as_event(event),))

    def synchronize(self) -> None:
        """Run work until all that was submitted so far is done; raises errors that no wait has raised yet."""
        if self._recording is not None:
            refuse_captured(self, "be waited for", "wait for the event that graph.launch() returns")
        self.driver.finish(lambda operation: operation.stream == self.name)

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        if self._recording is not None:
            refuse_captured(self, "be closed", "close it after the capture")
        self._closed = True
        self.synchronize()

    def _refuse_waits(self) -> NoReturn:
        refuse_captured(self, "wait for an event", "wait for it before the capture, or before graph.launch()")

    def forget(self, task: Task) -> None:
        """Drop a task whose error is being raised, since the error's traceback keeps the frames of the caller alive."""
        if self.last is task:
            self.last = None

    def __repr__(self) -> str:
        return f"<{self.name}>"


class SimGraph:
    """Work that was recorded on a simulated stream; a launch is one task, and one operation for the race check."""

    __slots__ = ("_work",)

    def __init__(self, work: list[tuple[str, OperationBody]]) -> None:
        self._work = work

    def launch(self, stream: SimStream) -> None:
        """Submit the work; see `accel.abc.DeviceGraph`."""
        stream.submit("a graph", self._run)

    def _run(self, operation: Operation) -> None:
        for number, (what, body) in enumerate(self._work):
            try:
                body(operation)
            except Exception as error:
                error.add_note(f"in {what}, operation {number} of the graph")
                raise


def _nothing(operation: Operation) -> None:
    """Do nothing: the body of events and waits."""
