"""`TaskWork`: one point of a launch, from its submission until it is over.

**The invariant.** A work is recorded in the regions of its roots, and given to the pool or run, by one call. It runs
when all works that it must come after are over; none of these was recorded later. So it always runs, unless a body
waits for a task that cannot begin before this body ends: `TaskWork.settle` refuses that.

A work leaves the regions before it is over. So a thread that has waited for it finds its failure there.
"""

import atexit
import threading
from collections.abc import Callable, Sequence
from contextvars import Context, ContextVar
from time import perf_counter
from typing import NoReturn, Protocol

from accel.engines.durations import SOON, Duration
from accel.engines.pool import POOL
from accel.errors import StoreError
from accel.store import box_order
from accel.store.box_order import HostWork, Use
from accel.store.failures import again, forget_variables, origin
from accel.store.regions import Work
from accel.support.locks import forked_since, in_child, open_after_fork, process

__all__ = ["Action", "TaskWork", "inside_task", "running"]

Action = Callable[[], object]

# Guards which work waits for which. No thread waits while it holds this. Reentrant: a finaliser may submit a task.
_graph = open_after_fork(threading.RLock())

running: ContextVar["TaskWork | None"] = ContextVar("accel_running", default=None)
"""The innermost work whose body runs in this context."""


def inside_task() -> bool:
    """Tell whether the caller is the body of a task."""
    return running.get() is not None


class Memory(Protocol):
    """The record of a launch in the hazards of memory of the user."""

    def begin(self) -> None:
        """Wait for other work on the memory, and raise its failure if the launch reads its result."""
        ...

    def leave(self) -> None:
        """Forget the launch if all its points are over."""
        ...


class TaskWork:
    """One point of a launch, or what follows all its points, as a `Work` of `accel.store.regions`.

    Attributes
    ----------
    what : str
        The task and the color, for messages.
    uses : sequence of Use
        What it uses.
    failure : BaseException or None
        Why it failed; known when it is over.
    duration : Duration or None
        How long it will take, if it is the only point of its launch.
    limit : int
        How many threads may be busy.
    site : str
        The line that submitted it.
    memory : Memory or None
        The record of the launch in the hazards of memory of the user.
    over : bool
        Whether it has ended.
    """

    __slots__ = (
        "_action",
        "_claimed",
        "_context",
        "_dependants",
        "_gate",
        "_missing",
        "_others",
        "_process",
        "_waits_for",
        "duration",
        "failure",
        "limit",
        "memory",
        "over",
        "site",
        "uses",
        "what",
    )

    def __init__(self, what: object, uses: Sequence[Use], action: Action | None) -> None:
        self.what: object = what
        self.uses: Sequence[Use] = uses
        self.failure: BaseException | None = None
        self.limit: int = 1
        self.site: str = ""
        self.over: bool = False
        self.memory: Memory | None = None
        self.duration: Duration | None = None
        self._action: Action | None = action
        self._claimed = False
        self._context: Context | None = None
        self._dependants: list[TaskWork] = []
        self._gate: threading.Lock | None = None
        self._missing = 0
        self._others: Sequence[Work] = ()
        self._process = process.token
        self._waits_for: Sequence[TaskWork] = ()

    def done(self) -> bool:
        """Tell whether it is over."""
        return self.over

    @property
    def tiny(self) -> bool:
        """Whether it is known to take less time than waking a thread."""
        return self.duration is not None and self.duration.tiny

    def settle(self) -> None:
        """Block until it is over; never raises its failure.

        Raises
        ------
        StoreError
            If the caller is the body of a task, and this work cannot end before that body does.
        """
        if self.over:
            return
        if forked_since(self._process):
            raise RuntimeError(f"{self.what} was submitted before a fork, in the parent; start processes with 'spawn'")
        if self.help():
            return
        waiter = running.get()
        gate = self._gate_to_wait(waiter)
        if gate is None:
            return
        try:
            with POOL.waiting(), gate:
                pass
        finally:
            if waiter is not None:
                waiter._waits_for = ()

    def _gate_to_wait(self, waiter: "TaskWork | None") -> "threading.Lock | None":
        """Return the lock that is free once this is over; None if it is over."""
        with _graph:
            if self.over:
                return None
            if waiter is not None:
                if self._comes_after(waiter):
                    self._refuse_to_wait(waiter)
                waiter._waits_for = (self,)
            if self._gate is None:
                gate = threading.Lock()
                gate.acquire()
                self._gate = gate
            return self._gate

    def _comes_after(self, other: "TaskWork") -> bool:
        seen: set[int] = set()
        to_ask: list[Work] = [self]
        while to_ask:
            each = to_ask.pop()
            if each is other:
                return True
            if id(each) not in seen and not each.done():
                seen.add(id(each))
                if isinstance(each, TaskWork):
                    to_ask += each._waits_for
                    to_ask += each._others
                elif isinstance(each, HostWork):
                    to_ask += each.after
        return False

    def _refuse_to_wait(self, waiter: "TaskWork") -> NoReturn:
        if self is waiter:
            raise StoreError(
                f"the body of {self.what} asks for a store that the task itself uses; use the physical store that the "
                f"body got as an argument"
            )
        raise StoreError(
            f"the body of {waiter.what} would wait for {self.what}, which comes after it; wait for it outside of the "
            f"body, or do not give both the same store"
        )

    def soon(self) -> bool:
        """Tell whether it is over; waits if it, and all that it comes after, are tiny."""
        if not self.over and self._short():
            self.settle()
        return self.over

    def _short(self) -> bool:
        remaining, seen = SOON, set()
        to_ask = [self]
        while to_ask:
            each = to_ask.pop()
            if each.over or id(each) in seen:
                continue
            seen.add(id(each))
            if not each.tiny or each.duration is None or each._context is None or each._others:
                return False
            remaining -= each.duration.seconds
            if remaining < 0:
                return False
            to_ask += each._waits_for
        return True

    def start_after(self, earlier: Sequence[Work], context: Context, limit: int, site: str) -> None:
        """Queue it in the pool, to run after other works; it is recorded already."""
        self.limit, self.site = limit, site
        own = [each for each in earlier if isinstance(each, TaskWork)]
        self._others = [each for each in earlier if not isinstance(each, TaskWork)]
        _in_flight[self] = None
        with _graph:
            unfinished = [each for each in own if not each.over]
            self._waits_for = unfinished
            self._missing = len(unfinished)
            self._context = context  # from now on it can be claimed, if nothing is missing
            for each in unfinished:
                each._dependants.append(self)
            ready = not unfinished
        if ready:
            POOL.put(self)

    def help(self) -> bool:
        """Do the work in the caller's thread if it is tiny and no thread has begun it; tell whether it is over then.

        An interrupt is raised here, and in each thread that waits for the work.
        """
        if not self.tiny or not self._claim():
            return self.over
        outer = self.suspend_caller()
        ready = self._run()
        if outer is not None:
            outer.resume()
        for each in ready:
            POOL.put(each)
        if self.failure is not None and not isinstance(self.failure, Exception):
            raise again(self.failure)
        return True

    def suspend_caller(self) -> "TaskWork | None":
        """Note that the caller, if it is a body, goes on when this work is over; return the caller's work."""
        outer = running.get()
        if outer is not None:
            outer._waits_for = (self,)
        return outer

    def resume(self) -> None:
        """Note that the body waits for nothing any more."""
        self._waits_for = ()

    def run(self) -> "TaskWork | None":
        """Run it in a thread of the pool, and return a work that is ready now."""
        ready = self._run() if self._claim() else []
        for each in ready[1:]:
            POOL.put(each)
        return ready[0] if ready else None

    def _claim(self) -> bool:
        """Take the work for this thread; tell whether it was ready, and no other thread has taken it."""
        with _graph:
            if self._claimed or self._missing or self._context is None:
                return False
            self._claimed = True
            return True

    def _run(self) -> "list[TaskWork]":
        context = self._context
        assert context is not None, "it was started"
        try:
            self._settle_others()
            context.run(self._act)
        except BaseException as error:
            self._note(error)
            forget_variables(error)
            return self.end(error)
        return self.end(None)

    def run_here(self) -> None:
        """Run it in the caller's thread, after all that it must come after is over.

        An interrupt is raised here, and in each thread that waits for the work.
        """
        outer = self.suspend_caller()
        token = running.set(self)
        failure: BaseException | None = None
        try:
            self._do()
        except Exception as error:
            failure = error
        except BaseException as error:
            failure = error
            raise
        finally:
            running.reset(token)
            if outer is not None:
                outer.resume()
            self.end_here(failure)

    def _settle_others(self) -> None:
        unfinished = [each for each in self._others if not each.done()]
        if unfinished:
            with POOL.waiting():
                for each in unfinished:
                    each.settle()

    def _act(self) -> None:
        running.set(self)
        self._do()

    @origin
    def _do(self) -> None:
        self._begin()
        action, duration = self._action, self.duration
        assert action is not None, "a work runs once"
        if duration is None:
            action()
            return
        began = perf_counter()
        action()
        duration.note(perf_counter() - began)

    def _begin(self) -> None:
        """Raise the failure of earlier work that was to write what this one reads."""
        if self.memory is not None:
            self.memory.begin()
        for root, box, access, _ in self.uses:
            if root.regions.failed is not None and access.reads:
                failure = root.regions.failure_of(box)
                if failure is not None:
                    raise again(failure)

    def _note(self, error: BaseException) -> None:
        note = f"in {self.what}, submitted at {self.site}"
        if not hasattr(error, "__notes__"):  # else it is that of an earlier task, or has passed here before
            error.add_note(note)

    def end(self, failure: BaseException | None) -> "list[TaskWork]":
        """Record that it is over, or why it failed, and return the works that are ready now."""
        self.failure = failure
        box_order.leave(self, self.uses)
        memory, self.memory = self.memory, None
        # The context and the action keep memory alive: they are dropped before the waiting threads go on.
        self._action = self._context = None
        self._others = ()
        with _graph:
            self.over = True
            self._waits_for = ()
            ready = self._no_longer_missing() if self._dependants else []
            if self._gate is not None:
                self._gate.release()
        if memory is not None:
            memory.leave()
        _in_flight.pop(self, None)
        return ready

    def _no_longer_missing(self) -> "list[TaskWork]":
        """Return the works that waited for this one only."""
        dependants, self._dependants = self._dependants, []
        ready = []
        for each in dependants:
            each._missing -= 1
            if not each._missing:
                ready.append(each)
        return ready

    def end_here(self, failure: BaseException | None) -> None:
        """Record that it is over, and let the pool run what is ready now."""
        for each in self.end(failure):
            POOL.put(each)

    def give_up(self, failure: BaseException) -> None:
        """End a work that was recorded and never started, with a failure."""
        if not self.over:
            self.end_here(failure)

    def __repr__(self) -> str:
        return f"<{self.what}, {'over' if self.over else 'in flight'}>"


# What was given to the pool and is not over.
_in_flight: dict[TaskWork, None] = {}
in_child(_in_flight.clear)


@atexit.register
def _finish_all() -> None:
    while _in_flight:
        for work in [*_in_flight]:
            work.settle()
