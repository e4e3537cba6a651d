"""`Scheduler`: who runs next, on all simulated devices.

Nothing runs when it is submitted. It runs when somebody waits: then whatever could run on a real machine is drawn at
random, over all streams, until what is waited for is done.
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
from accel.device import Device
from accel.memory import Event, current_stream

from .beyond_interrupts import beyond_interrupts
from .races import Operation, RaceDetector, VectorClock
from .streams import SimStream, Task, Work

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
        # Held while anything here changes, but not while others' events are waited for. A collection or a signal may
        # ask about an event while this thread holds it, or submit work: what is gone through is listed first.
        self._lock = threading.RLock()
        self._running: Task | None = None
        self._busy: dict[SimStream, None] = {}
        self._failed: list[Task] = []
        self._defaults: dict[Device, SimStream] = {}
        self._numbers = count(1)
        self._process: int | None = None
        self._random = Random()  # noqa: S311 - nothing is kept secret by it
        self._seed: int | None = None

    def reseed(self, seed: int) -> None:
        """Draw anew by a seed, until ``sim_seed`` is configured to be another than now."""
        self._random.seed(seed)
        self._seed = config.current().sim_seed

    def refuse_fork(self) -> None:
        """Refuse to go on in a child of the process that began.

        Raises
        ------
        RuntimeError
            If this is one.
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

        It is a stream like any other: it waits for none, and none waits for it. What is right by that rule is right
        also where a default stream waits for the others, as CUDA's legacy one does.
        """
        found = self._defaults.get(device)
        if found is None:
            made = SimStream(self, device, f"the default stream of {device}", 0)
            found = self._defaults.setdefault(device, made)
        return found

    def stream_of(self, device: Device) -> SimStream:
        """Return the stream that is current on a device, which is the default one outside of any ``with stream:``."""
        found = current_stream(device)
        return found if isinstance(found, SimStream) else self.default_stream(device)

    def enqueue(self, task: Task) -> None:
        """Put a task at the end of its stream."""
        self.refuse_fork()
        stream = task.stream
        with self._lock:
            task.known = self.detector.host
            task.place, stream.submitted = stream.submitted, stream.submitted + 1
            self._busy[stream] = None
            append = stream.tasks.append
            # No call between these: an interrupt finds both done, or neither.
            stream.last = task
            append(task)

    def carry_out(self, stream: SimStream, what: str, work: Work) -> Task:
        """Do some work at once, after what its stream must have done before; everything else stays late."""
        task = stream.submit(what, work)
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
        """Raise what a task raised, if anything; nobody else need be told."""
        if not task.completed:
            with self._lock:
                self._dismiss(task)
            task.raise_failure()

    def poll(self, task: Task) -> bool:
        """Tell whether a task is done. By chance, something that can run does so first."""
        if task.noticed:
            return True
        self.refuse_fork()
        if self._running is not None:  # in another thread, or further up in this one
            return False
        if task.over or self._drawn().random() < 0.5:
            self._notice_if_over(task)
        else:
            self._beyond_interrupts(partial(self._poll, task))
        return task.noticed

    def _poll(self, task: Task) -> None:
        with self._lock:
            ready = self._ready() if self._running is None else []
            if ready:
                self._run(self._drawn().choice(ready))
            self._notice_if_over(task)

    def _notice_if_over(self, task: Task) -> None:
        with self._lock:
            if task.over:
                self._notice(task)

    def settle(self, task: Task) -> None:
        """Let work run until a task is done."""
        self._drive(task, self._any)
        if not task.noticed:
            with self._lock:
                self._notice(task)

    def finish(self, concerns: Callable[[Operation], bool]) -> None:
        """Let work run until all that concerns the caller is done, and raise what failed of it and nobody saw."""
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
        """Do what is left, and show what failed of it: nobody is left to catch that."""
        if self._process == os.getpid():
            try:
                self.finish(bool)
            except Exception as error:
                traceback.print_exception(error)

    def _notice(self, task: Task) -> None:
        self.detector.see([task.operation.clock], self._pending())
        task.noticed = True  # last: an interrupt before it leaves the rest to be done again

    def _pending(self) -> Iterator[VectorClock]:
        """Yield the least that is known to what is still to run: of each stream the task submitted first."""
        return (stream.tasks[0].known for stream in [*self._busy] if stream.tasks)

    def _drawn(self) -> Random:
        seed = config.current().sim_seed
        if seed != self._seed:
            self._seed = seed
            self._random.seed(seed)
        return self._random

    def _drive(self, goal: Task, choose: Callable[[Task], Event]) -> None:
        """Run what is chosen until a task is done. What is chosen of others than ours is waited for."""
        self.refuse_fork()
        while True:
            foreign = self._beyond_interrupts(partial(self._advance, goal, choose))
            if foreign is None:
                return
            foreign.settle()
            if not foreign.done():
                raise self._deadlock(goal, foreign)

    def _beyond_interrupts(self, work: Callable[[], _Result]) -> _Result:
        """Do something where no interrupt comes, except for a collection or a signal that came to who has the lock.

        Another thread would wait for that lock, and this one for the other.
        """
        return work() if self._lock._is_owned() else beyond_interrupts(work)  # type: ignore[attr-defined]

    def _advance(self, goal: Task, choose: Callable[[Task], Event]) -> Event | None:
        """Run what is chosen until a task is done, or until an event of others than ours must come first."""
        with self._lock:
            while True:
                self._refuse_nested(goal)
                if goal.over:
                    return None
                chosen = choose(goal)
                if not isinstance(chosen, Task):
                    return chosen
                self._run(chosen)

    def _refuse_nested(self, goal: Task) -> None:
        """Refuse to wait from inside a task: the lock is held, so it is this thread that runs it."""
        if self._running is not None:
            raise RuntimeError(
                f"{goal.operation} is waited for while {self._running.operation} is under way in the same thread, as "
                f"by a finaliser or a signal handler; wait for it outside of these"
            )

    def _withdraw(self, task: Task) -> None:
        """Take back what did not run, or not to its end, for whoever wanted it is told by an interrupt."""
        with self._lock:
            if not task.over and task.stream.tasks[-1] is task:
                task.stream.tasks.pop()
            self._dismiss(task)

    def _dismiss(self, task: Task) -> None:
        with suppress(ValueError):
            self._failed.remove(task)  # one call, as more may fail meanwhile
        task.stream.forget(task)

    def _any(self, goal: Task) -> Event:
        """Return a task that can run, drawn at random; if none can, the event that holds one up."""
        ready = self._ready()
        return self._drawn().choice(ready) if ready else self._toward(goal)

    def _ready(self) -> list[Task]:
        heads = [stream.tasks[0] for stream in [*self._busy] if stream.tasks]
        return [task for task in heads if _awaited(task) is None]

    def _toward(self, goal: Task) -> Event:
        """Return the task that must run first if another is to run, or the event that holds it up."""
        path = [*_chain(goal)]
        return _awaited(path[-1]) or path[-1] if path else goal  # a finaliser let it run meanwhile

    def _run(self, task: Task) -> None:
        self._running = task
        try:
            if not task.over:  # else a finaliser let it run, right after it was chosen
                self._run_now(task)
        finally:
            self._running = None

    def _run_now(self, task: Task) -> None:
        stream, host = task.stream, self.detector.host
        after = [event.operation.clock if isinstance(event, Task) else host for event in task.after]
        try:
            # First: whatever interrupts this, it is not done twice.
            stream.tasks.popleft()
            stream.number = self.detector.begin(task.operation, stream.number, [stream.clock, task.known, *after])
            task.run()
        finally:
            if task.over:
                task.end()
                if not task.completed:
                    self._failed.append(task)
            if not stream.tasks:
                self._busy.pop(stream, None)

    def _deadlock(self, goal: Task, event: Event) -> RuntimeError:
        path = ", which waits for ".join(str(task.operation) for task in _chain(goal))
        return RuntimeError(f"nothing can run: {path}, which waits for {event!r}, which nothing brings about")


def _awaited(task: Task) -> Event | None:
    """Return an event that a task waits for and that is not reached."""
    return next((event for event in task.after if not _reached(event)), None)


def _reached(event: Event) -> bool:
    return event.over if isinstance(event, Task) else event.done()


def _chain(goal: Task) -> Iterator[Task]:
    """Yield the first task of a goal's stream, that of the stream it waits for, and so on."""
    event: Event | None = goal
    while isinstance(event, Task) and event.stream.tasks:
        yield (task := event.stream.tasks[0])
        event = _awaited(task)
