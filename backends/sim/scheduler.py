"""`Scheduler`: decides which task runs next, on all simulated devices.

No task runs when it is submitted. Tasks run when a thread waits: the scheduler then draws at random among the tasks
that could run on a real machine, over all streams, until the task that is waited for is done.
"""

import os
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from random import Random
from typing import TypeVar

from accel import config
from accel.abc import Event, current_stream, refuse_captured
from accel.device import Device

from ..common.interrupts import run_uninterrupted
from .races import Operation, RaceDetector, VectorClock
from .streams import OperationBody, SimStream, Task

__all__ = ["Scheduler"]

_Result = TypeVar("_Result")


class Scheduler:
    """Runs the work of all simulated devices, one task at a time.

    Attributes
    ----------
    detector : RaceDetector
        Checks for races.
    """

    def __init__(self) -> None:
        self.detector = RaceDetector()
        # Held during every change, but not while waiting for events of other devices. A finaliser or a signal handler
        # of the thread that holds it may query an event or submit work: so loops run over copies.
        self._lock = threading.RLock()
        self._running: Task | None = None
        self._busy: dict[SimStream, None] = {}
        self._failed: list[Task] = []
        self._defaults: dict[Device, SimStream] = {}
        self._numbers = count(1)
        self._process: int | None = None
        self._random = Random()  # noqa: S311 - not for cryptography
        self._seed: int | None = None
        self._reseeded: int | None = None

    def reseed(self, seed: int) -> None:
        """Restart the random order from a seed, which holds until the setting ``sim_seed`` changes."""
        self._random.seed(seed)
        self._seed = self._reseeded = config.current().sim_seed

    def repeats(self) -> bool:
        """Return whether a seed was asked for: by the setting ``sim_seed``, or by `reseed`."""
        seed = config.current().sim_seed
        return bool(seed) or self._reseeded == seed

    def draw(self) -> int:
        """Return a number in the random order of work, for work that has an order inside."""
        with self._lock:
            return self._generator().getrandbits(64)

    def refuse_fork(self) -> None:
        """Raise if this process is a forked child of the one that first used the devices.

        Raises
        ------
        RuntimeError
            If it is.
        """
        if self._process is None:
            self._process = os.getpid()
        elif self._process != os.getpid():
            raise RuntimeError("a simulated device cannot be used across a fork; start processes with 'spawn'")

    def new_stream(self, device: Device) -> SimStream:
        """Return a new stream."""
        number = next(self._numbers)
        return SimStream(self, device, f"stream {number} of {device}", 0)

    def default_stream(self, device: Device) -> SimStream:
        """Return the stream that is used where none is given or current.

        It is a stream like any other: it does not wait for other streams, and they do not wait for it. A program that
        is correct under this rule is also correct with CUDA's legacy default stream, which does wait.
        """
        stream = self._defaults.get(device)
        if stream is None:
            new = SimStream(self, device, f"the default stream of {device}", 0)
            stream = self._defaults.setdefault(device, new)
        return stream

    def stream_of(self, device: Device) -> SimStream:
        """Return the current stream of a device; outside of any ``with stream:`` it is the default one."""
        stream = current_stream(device)
        return stream if isinstance(stream, SimStream) else self.default_stream(device)

    def enqueue(self, task: Task) -> None:
        """Put a task at the end of its stream."""
        self.refuse_fork()
        stream = task.stream
        with self._lock:
            task.host_clock = self.detector.host
            task.place, stream.submitted = stream.submitted, stream.submitted + 1
            self._busy[stream] = None
            append = stream.tasks.append
            # No interrupt can come between these two: both are done, or neither.
            stream.last = task
            append(task)

    def carry_out(self, stream: SimStream, what: str, body: OperationBody) -> Task:
        """Submit an operation and run it at once, after all that its stream must do before; other work stays late."""
        if stream.captured:
            refuse_captured(
                stream, "have a function of arrays", "write a kernel, accel.kernel, or call it between two launches"
            )
        task = stream.enqueued(what, body)
        try:
            self._drive(task, self._toward)
        except BaseException:
            self._withdraw(task)
            raise
        try:
            self.answer(task)
        finally:
            task.forget_failure()
        return task

    def answer(self, task: Task) -> None:
        """Raise what a task raised, if anything, and count the error as reported."""
        if not task.completed:
            with self._lock:
                self._dismiss(task)
            task.raise_failure()

    def poll(self, task: Task) -> bool:
        """Return whether a task is done; at random, run a task that is ready first."""
        if task.noticed:
            return True
        self.refuse_fork()
        if self._running is not None:  # in another thread, or by an outer call of this one
            return False
        if task.over or self._generator().random() < 0.5:
            self._notice_if_over(task)
        else:
            self._uninterrupted(partial(self._poll, task))
        return task.noticed

    def _poll(self, task: Task) -> None:
        with self._lock:
            ready = self._ready() if self._running is None else []
            if ready:
                self._run(self._generator().choice(ready))
            self._notice_if_over(task)

    def _notice_if_over(self, task: Task) -> None:
        with self._lock:
            if task.over:
                self._notice(task)

    def settle(self, task: Task) -> None:
        """Run work until a task is done."""
        self._drive(task, self._any)
        if not task.noticed:
            with self._lock:
                self._notice(task)

    def finish(self, concerns: Callable[[Operation], bool]) -> None:
        """Run work until all operations that a predicate selects are done; raise their errors not yet reported."""
        self.refuse_fork()
        with self._lock:
            lasts = [stream.tasks[-1] for stream in [*self._busy] if stream.tasks]
            goals = [task for task in lasts if concerns(task.operation)]
        for goal in goals:
            self._drive(goal, self._any)
        with self._lock:
            self.detector.see_all(concerns, self._pending())
            failed = [task for task in [*self._failed] if concerns(task.operation)]
            for task in failed:
                self._dismiss(task)
        if failed:
            failed[0].raise_failure(more=len(failed) - 1)

    def finish_at_exit(self) -> None:
        """Do what is left, and show its errors: there is no caller left to catch them."""
        if self._process == os.getpid():
            try:
                self.finish(bool)
            except Exception as error:
                traceback.print_exception(error)

    def _notice(self, task: Task) -> None:
        self.detector.see([task.operation.clock], self._pending())
        task.noticed = True  # last: after an interrupt before this line, all of it is done again

    def _pending(self) -> Iterator[VectorClock]:
        """Yield the host's clock at the submission of each stream's first task; those of later tasks are not less."""
        return (stream.tasks[0].host_clock for stream in [*self._busy] if stream.tasks)

    def _generator(self) -> Random:
        seed = config.current().sim_seed
        if seed != self._seed:
            self._seed = seed
            self._random.seed(seed)
        return self._random

    def _drive(self, goal: Task, choose: Callable[[Task], Event]) -> None:
        """Run the tasks that ``choose`` returns until the goal is done; wait for an event of another device."""
        self.refuse_fork()
        while True:
            foreign = self._uninterrupted(partial(self._advance, goal, choose))
            if foreign is None:
                return
            foreign.settle()
            if not foreign.done():
                raise self._deadlock(goal, foreign)

    def _uninterrupted(self, function: Callable[[], _Result]) -> _Result:
        """Call a function in a thread that no signal interrupts; in this one if it holds the lock already.

        That happens in finalisers and signal handlers. The other thread would wait for the lock: a deadlock.
        """
        return function() if self._lock._is_owned() else run_uninterrupted(function)  # type: ignore[attr-defined]

    def _advance(self, goal: Task, choose: Callable[[Task], Event]) -> Event | None:
        """Run the tasks that ``choose`` returns; return None when the goal is done, or a foreign event to wait for."""
        with self._lock:
            while True:
                self._refuse_nested(goal)
                if goal.over:
                    return None
                choice = choose(goal)
                if not isinstance(choice, Task):
                    return choice
                self._run(choice)

    def _refuse_nested(self, goal: Task) -> None:
        """Refuse to wait inside of a running task; this thread holds the lock, so it is the one that runs the task."""
        if self._running is not None:
            raise RuntimeError(
                f"{goal.operation} is waited for while {self._running.operation} is running in the same thread, as "
                f"by a finaliser or a signal handler; wait for it outside of these"
            )

    def _withdraw(self, task: Task) -> None:
        """Remove a task that was interrupted before its end; the interrupt tells the caller."""
        with self._lock:
            if not task.over and task.stream.tasks[-1] is task:
                task.stream.tasks.pop()
            self._dismiss(task)

    def _dismiss(self, task: Task) -> None:
        with suppress(ValueError):
            self._failed.remove(task)  # a single call: other tasks may fail during a loop
        task.stream.forget(task)

    def _any(self, goal: Task) -> Event:
        """Return a random task that is ready; if none is, the foreign event that the goal waits for."""
        ready = self._ready()
        return self._generator().choice(ready) if ready else self._toward(goal)

    def _ready(self) -> list[Task]:
        heads = [stream.tasks[0] for stream in [*self._busy] if stream.tasks]
        return [task for task in heads if _awaited(task) is None]

    def _toward(self, goal: Task) -> Event:
        """Return the task that must run next for the goal to run, or the foreign event that this task waits for."""
        path = [*_chain(goal)]
        return _awaited(path[-1]) or path[-1] if path else goal  # empty if a finaliser ran it meanwhile

    def _run(self, task: Task) -> None:
        self._running = task
        try:
            if not task.over:  # else a finaliser ran it after it was chosen
                self._run_now(task)
        finally:
            self._running = None

    def _run_now(self, task: Task) -> None:
        stream, host = task.stream, self.detector.host
        after = [event.operation.clock if isinstance(event, Task) else host for event in task.after]
        try:
            # First, so that the task cannot run twice, whatever interrupts it.
            stream.tasks.popleft()
            stream.number = self.detector.begin(task.operation, stream.number, [stream.clock, task.host_clock, *after])
            task.run()
        finally:
            if task.over:
                task.end()
                if not task.completed:
                    self._failed.append(task)
            if not stream.tasks:
                self._busy.pop(stream, None)

    def _deadlock(self, goal: Task, event: Event) -> RuntimeError:
        with self._lock:
            path = ", which waits for ".join(str(task.operation) for task in _chain(goal))
        return RuntimeError(f"deadlock: {path}, which waits for {event!r}, which no pending work reaches")


def _awaited(task: Task) -> Event | None:
    """Return an event that a task waits for and that is not reached; None if the task is ready."""
    return next((event for event in task.after if not _reached(event)), None)


def _reached(event: Event) -> bool:
    return event.over if isinstance(event, Task) else event.done()


def _chain(goal: Task) -> Iterator[Task]:
    """Yield the first task of the goal's stream, the first task of the stream that one waits for, and so on."""
    event: Event | None = goal
    while isinstance(event, Task) and event.stream.tasks:
        yield (task := event.stream.tasks[0])
        event = _awaited(task)
