"""`Scheduler`: who runs next, on all simulated devices.

Nothing runs when it is submitted. It runs when somebody waits: then whatever could run on a real machine is drawn by
lot, over all streams, until what is waited for is done.
"""

import os
import threading
from collections.abc import Callable, Iterator
from itertools import count
from random import Random

from accel import config
from accel.device import Device
from accel.memory import Event, current_stream

from .races import Deed, Referee
from .streams import SimStream, Unit, Work

__all__ = ["Scheduler"]


class Scheduler:
    """Runs the work of all simulated devices, one unit at a time.

    Attributes
    ----------
    referee : Referee
        Checks for races.
    """

    def __init__(self) -> None:
        self.referee = Referee()
        # Held while anything here changes, but not while others' events are waited for. A collection or a signal may
        # ask about an event while this thread holds it.
        self._lock = threading.RLock()
        self._running = False
        self._busy: dict[SimStream, None] = {}
        self._failed: list[Unit] = []
        self._defaults: dict[Device, SimStream] = {}
        self._numbers = count(1)
        self._process: int | None = None
        self._lot = Random()  # noqa: S311 - nothing is kept secret by it
        self._seed: int | None = None

    def reseed(self, seed: int) -> None:
        """Draw anew by a seed, until ``sim_seed`` is configured to be another than now."""
        self._lot.seed(seed)
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
        return SimStream(self, device, f"stream {number} of {device}", number)

    def default_stream(self, device: Device) -> SimStream:
        """Return the stream that is used where none is given or current.

        It is a stream like any other: it waits for none, and none waits for it. What is right by that rule is right
        also where a default stream waits for the others, as CUDA's legacy one does.
        """
        found = self._defaults.get(device)
        if found is None:
            made = SimStream(self, device, f"the default stream of {device}", next(self._numbers))
            found = self._defaults.setdefault(device, made)
        return found

    def stream_of(self, device: Device) -> SimStream:
        """Return the stream that is current on a device, which is the default one outside of any ``with stream:``."""
        found = current_stream(device)
        return found if isinstance(found, SimStream) else self.default_stream(device)

    def enqueue(self, unit: Unit) -> None:
        """Put a unit at the end of its stream."""
        self.refuse_fork()
        with self._lock:
            unit.known = self.referee.host
            unit.stream.units.append(unit)
            unit.stream.last = unit
            self._busy[unit.stream] = None

    def carry_out(self, stream: SimStream, what: str, work: Work) -> Unit:
        """Do some work at once, after what its stream must have done before; everything else stays late."""
        unit = stream.submit(what, work)
        self._drive(unit, self._toward)
        try:
            self.answer(unit)
        finally:
            unit.forget_failure()
        return unit

    def answer(self, unit: Unit) -> None:
        """Raise what a unit raised, if anything; nobody else need be told."""
        if unit.error is not None:
            with self._lock:
                self._failed = [other for other in self._failed if other is not unit]
                unit.stream.forget(unit)
            unit.raise_failure()

    def poll(self, unit: Unit) -> bool:
        """Tell whether a unit is done. By lot, something that can run does so first."""
        if unit.noticed:
            return True
        self.refuse_fork()
        if self._running:  # by another thread, or further up in this one
            return False
        with self._lock:
            ready = () if unit.reached or self._drawn().random() < 0.5 else self._ready()
            if ready:
                self._run(self._drawn().choice(ready))
            if unit.reached:
                self._notice(unit)
        return unit.noticed

    def settle(self, unit: Unit) -> None:
        """Let work run until a unit is done."""
        self._drive(unit, self._any)
        if not unit.noticed:
            with self._lock:
                self._notice(unit)

    def finish(self, concerns: Callable[[Deed], bool]) -> None:
        """Let work run until all that concerns the caller is done, and raise what failed of it and nobody saw."""
        self.refuse_fork()
        with self._lock:
            goals = [stream.units[-1] for stream in self._busy if concerns(stream.units[-1].deed)]
        for goal in goals:
            self._drive(goal, self._any)
        with self._lock:
            self.referee.see_all(concerns, idle=not self._busy)
            failed = [unit for unit in self._failed if concerns(unit.deed)]
            self._failed = [unit for unit in self._failed if not concerns(unit.deed)]
            for unit in failed:
                unit.stream.forget(unit)
        if failed:
            failed[0].raise_failure(more=len(failed) - 1)

    def _notice(self, unit: Unit) -> None:
        unit.noticed = True
        self.referee.see([unit.deed.clock], idle=not self._busy)

    def _drawn(self) -> Random:
        seed = config.current().sim_seed
        if seed != self._seed:
            self._seed = seed
            self._lot.seed(seed)
        return self._lot

    def _drive(self, goal: Unit, choose: Callable[[Unit], Event]) -> None:
        """Run what is chosen until a unit is done. What is chosen of others than ours is waited for."""
        self.refuse_fork()
        while True:
            with self._lock:
                if goal.reached:
                    return
                chosen = choose(goal)
                if isinstance(chosen, Unit):
                    self._run(chosen)
                    continue
            chosen.settle()
            if not chosen.done():
                raise self._deadlock(goal, chosen)

    def _any(self, goal: Unit) -> Event:
        """Return a unit that can run, drawn by lot; if none can, the event that holds one up."""
        ready = self._ready()
        return self._drawn().choice(ready) if ready else self._toward(goal)

    def _ready(self) -> list[Unit]:
        heads = [stream.units[0] for stream in self._busy]
        return [unit for unit in heads if _pending(unit) is None]

    def _toward(self, goal: Unit) -> Event:
        """Return the unit that must run first if another is to run, or the event that holds it up."""
        *_, unit = _chain(goal)
        return _pending(unit) or unit

    def _run(self, unit: Unit) -> None:
        stream, host = unit.stream, self.referee.host
        # What others' events order is not told; the host has seen it, or could have.
        after = [event.deed.clock if isinstance(event, Unit) else host for event in unit.after]
        self._running = True
        try:
            self.referee.begin(unit.deed, [stream.clock, unit.known, *after])
            unit.run()
            stream.units.popleft()
            if not stream.units:
                del self._busy[stream]
            if unit.error is not None:
                self._failed.append(unit)
            unit.reach()
        finally:
            self._running = False

    def _deadlock(self, goal: Unit, event: Event) -> RuntimeError:
        path = ", which waits for ".join(str(unit.deed) for unit in _chain(goal))
        return RuntimeError(f"nothing can run: {path}, which waits for {event!r}, which nothing brings about")


def _pending(unit: Unit) -> Event | None:
    """Return an event that a unit waits for and that is not reached."""
    return next((event for event in unit.after if not _reached(event)), None)


def _reached(event: Event) -> bool:
    return event.reached if isinstance(event, Unit) else event.done()


def _chain(goal: Unit) -> Iterator[Unit]:
    """Yield the first unit of a goal's stream, that of the stream it waits for, and so on."""
    event: Event | None = goal
    while isinstance(event, Unit):
        yield (unit := event.stream.units[0])
        event = _pending(unit)
