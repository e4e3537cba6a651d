"""`SimStream`, and `Task`: one piece of its work, and the event that is reached when it is done."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import perf_counter
from types import TracebackType
from typing import Protocol

from accel.device import Device
from accel.memory import Event
from accel.memory.stream import CurrentStream, raise_again
from accel.sites import call_site

from .races import Operation, VectorClock

__all__ = ["SimStream", "Task", "Work"]

Work = Callable[[Operation], object]
"""What is done when a task's turn comes. It declares what it reads and writes in that task's name."""

# Of a slow accelerator: what a launch takes, and how many bytes a second its memory moves.
_LATENCY = 5e-6
_BANDWIDTH = 1e10


class Driver(Protocol):
    """What lets late work run."""

    def refuse_fork(self) -> None:
        """Raise RuntimeError in a child of the process that began."""
        ...

    def enqueue(self, task: "Task") -> None:
        """Put a task at the end of its stream."""
        ...

    def poll(self, task: "Task") -> bool:
        """Tell whether a task is done, and perhaps let some work run."""
        ...

    def settle(self, task: "Task") -> None:
        """Let work run until a task is done."""
        ...

    def answer(self, task: "Task") -> None:
        """Raise what a task raised, if anything; nobody else need be told."""
        ...

    def finish(self, concerns: Callable[[Operation], bool]) -> None:
        """Let work run until all that concerns the caller is done, and raise what failed of it."""
        ...


class Task:
    """A piece of work, and the event behind it.

    Attributes
    ----------
    operation : Operation
        What the race check remembers of it.
    stream : SimStream
        The stream.
    after : sequence of Event
        What it waits for besides the work before it.
    place : int
        How many tasks of its stream were submitted before it.
    known : Mapping
        What the host knew to be over when it submitted this.
    began, ended : float
        Simulated seconds on the clock of `time.perf_counter`: work begins when it was submitted, or when what it
        waits for has ended, if that is later, and it lasts as long as the bytes take that it moves.
    completed : bool
        Whether it was done without a failure.
    noticed : bool
        Whether the host knows that it is over.
    """

    __slots__ = (
        "_traceback",
        "after",
        "began",
        "completed",
        "ended",
        "error",
        "known",
        "noticed",
        "operation",
        "place",
        "stream",
        "submitted",
        "work",
    )

    def __init__(self, stream: "SimStream", what: str, work: Work, after: Sequence[Event]) -> None:
        self._traceback: TracebackType | None = None
        self.operation = Operation(stream.device, stream.name, what, call_site())
        self.stream = stream
        self.work: Work | None = work
        self.after = after
        self.place = 0
        self.known: VectorClock = {}
        self.submitted = perf_counter()
        self.began: float | None = None
        self.ended: float | None = None
        self.error: BaseException | None = None
        self.completed = self.noticed = False

    @property
    def device(self) -> Device:
        """The device of the stream."""
        return self.stream.device

    @property
    def over(self) -> bool:
        """Whether it has left its stream's queue, which happens before it is done, and only once."""
        waiting = self.stream.tasks
        return not waiting or waiting[0].place > self.place

    @property
    def failed(self) -> bool:
        """Whether the work was done and raised something."""
        return self.over and not self.completed

    def done(self) -> bool:
        """Tell whether it is done; never waits. Asking may let some work run, and asking often enough all of it."""
        return self.stream.driver.poll(self)

    def settle(self) -> None:
        """Let work run until this is done; what it raised is left to those who `wait`."""
        self.stream.driver.settle(self)

    def wait(self) -> None:
        """Let work run until this is done; raises what it raised."""
        self.settle()
        self.stream.driver.answer(self)

    def raise_failure(self, more: int = 0) -> None:
        """Raise what the work raised, if anything, and say how much more failed after it."""
        if self.completed:
            return
        if self.error is None:
            self.error = RuntimeError(f"{self.operation} was interrupted, and what it writes is incomplete")
        if more:
            self.error.add_note(f"and {more} more failed after it")
        raise_again(self.error, self._traceback)

    def forget_failure(self) -> None:
        """Let go of what the work raised, and of all that its traceback keeps alive."""
        self.error = self._traceback = None
        self.completed = True

    def run(self) -> None:
        """Do the work, and keep what it raises for those who wait; an interrupt goes on to whoever lets it run."""
        assert self.work is not None, "a task runs once"
        try:
            self.work(self.operation)
        except Exception as error:
            error.add_note(f"in {self.operation}")
            self.error, self._traceback = error, error.__traceback__
        else:
            self.completed = True

    def end(self) -> None:
        """Say when it was done, and let the stream go on from there."""
        self.began = max(self.submitted, self.stream.free, *(event.ended or 0.0 for event in self.after), 0.0)
        self.ended = self.stream.free = self.began + _LATENCY + self.operation.moved / _BANDWIDTH
        self.stream.clock = self.operation.clock
        # What it holds must not live as long as the event.
        self.work = None
        self.after = ()


class SimStream(CurrentStream):
    """A queue of work of a simulated device.

    Attributes
    ----------
    device : Device
        Whose.
    name, number : str, int
        What reports and clocks call it.
    tasks : deque of Task
        The work that has not run.
    submitted, last : int, Task or None
        How much work was submitted, and the last of it.
    clock, free : Mapping, float
        The operations that happen before what runs next, and when the last of them ended.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_giving",
        "clock",
        "device",
        "driver",
        "free",
        "last",
        "name",
        "number",
        "submitted",
        "tasks",
    )

    def __init__(self, driver: Driver, device: Device, name: str, number: int) -> None:
        self.driver = driver
        self._giving = threading.RLock()
        self.device = device
        self.name = name
        self.number = number
        self.tasks: deque[Task] = deque()
        self.submitted = 0
        self.last: Task | None = None
        self.clock: VectorClock = {}
        self.free = 0.0
        self._closed = False

    @property
    def giving(self) -> AbstractContextManager[object]:
        """The lock that `CurrentStream.giving` speaks of."""
        self.driver.refuse_fork()
        return self._giving

    def submit(self, what: str, work: Work, after: Sequence[Event] = ()) -> Task:
        """Let some work be done after all that was submitted before.

        Raises
        ------
        RuntimeError
            If the stream is closed.
        """
        if self._closed:
            raise RuntimeError(f"{self.name} is closed and takes no more work; make another: accel.new_stream()")
        return self._enqueued(what, work, after)

    def _enqueued(self, what: str, work: Work, after: Sequence[Event] = ()) -> Task:
        task = Task(self, what, work, after)
        self.driver.enqueue(task)
        return task

    def record(self) -> Event:
        """Return an event that is reached when all work submitted so far is done; also of a closed stream."""
        return self.last or self._enqueued("an event", _nothing)

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, of whatever device."""
        self.submit("a wait", _nothing, (event,))

    def synchronize(self) -> None:
        """Let work run until all that was submitted so far is done; raises what failed and was not waited for yet."""
        self.driver.finish(lambda operation: operation.stream == self.name)

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        self._closed = True
        self.synchronize()

    def forget(self, task: Task) -> None:
        """Let go of a task whose failure is being raised: its traceback keeps alive what the waiter's frames do."""
        if self.last is task:
            self.last = None

    def __repr__(self) -> str:
        return f"<{self.name}>"


def _nothing(operation: Operation) -> None:
    """Do nothing: what there is to do for an event, and for a wait."""
