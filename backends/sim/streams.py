"""`SimStream`, and `Unit`: one piece of its work, and the event that is reached when it is done."""

from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from types import TracebackType
from typing import Protocol

from accel.device import Device
from accel.memory import Event
from accel.memory.stream import CurrentStream
from accel.sites import call_site

from .races import Clock, Deed

__all__ = ["SimStream", "Unit", "Work"]

Work = Callable[[Deed], object]
"""What is done when a unit's turn comes. It declares what it reads and writes in that unit's name."""

# Of a slow accelerator: what a launch takes, and how many bytes a second its memory moves.
_LATENCY = 5e-6
_BANDWIDTH = 1e10


class Driver(Protocol):
    """What lets late work run."""

    def enqueue(self, unit: "Unit") -> None:
        """Put a unit at the end of its stream."""
        ...

    def poll(self, unit: "Unit") -> bool:
        """Tell whether a unit is done, and perhaps let some work run."""
        ...

    def settle(self, unit: "Unit") -> None:
        """Let work run until a unit is done."""
        ...

    def answer(self, unit: "Unit") -> None:
        """Raise what a unit raised, if anything; nobody else need be told."""
        ...

    def finish(self, concerns: Callable[[Deed], bool]) -> None:
        """Let work run until all that concerns the caller is done, and raise what failed of it."""
        ...


class Unit:
    """A piece of work, and the event behind it.

    Attributes
    ----------
    deed : Deed
        What the race check remembers of it.
    stream : SimStream
        The stream.
    after : sequence of Event
        What it waits for besides the work before it.
    known : Mapping
        What the host knew to be over when it submitted this.
    began, ended : float
        Simulated seconds on the clock of `time.perf_counter`: work begins when it was submitted, or when what it
        waits for has ended, if that is later, and it lasts as long as the bytes take that it moves.
    reached, noticed : bool
        Whether it is done, and whether the host noticed.
    """

    __slots__ = (
        "_traceback",
        "after",
        "began",
        "deed",
        "ended",
        "error",
        "known",
        "noticed",
        "reached",
        "stream",
        "submitted",
        "work",
    )

    def __init__(self, stream: "SimStream", what: str, work: Work, after: Sequence[Event]) -> None:
        self._traceback: TracebackType | None = None
        self.deed = Deed(stream.device, stream.name, stream.number, what, call_site())
        self.stream = stream
        self.work: Work | None = work
        self.after = after
        self.known: Clock = {}
        self.submitted = perf_counter()
        self.began: float | None = None
        self.ended: float | None = None
        self.error: Exception | None = None
        self.reached = self.noticed = False

    @property
    def device(self) -> Device:
        """The device of the stream."""
        return self.stream.device

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
        if self.error is not None:
            if more:
                self.error.add_note(f"and {more} more failed after it")
            # With its first traceback, or every wait would add to it.
            raise self.error.with_traceback(self._traceback)

    def forget_failure(self) -> None:
        """Let go of what the work raised, and of all that its traceback keeps alive."""
        self.error = self._traceback = None

    def run(self) -> None:
        """Do the work, and keep what it raises for those who wait. An interrupt leaves it to be done again."""
        assert self.work is not None, "a unit runs once"
        try:
            self.work(self.deed)
        except Exception as error:
            error.add_note(f"in {self.deed}")
            self.error, self._traceback = error, error.__traceback__

    def reach(self) -> None:
        """Say that it is done."""
        self.began = max(self.submitted, self.stream.free, *(event.ended or 0.0 for event in self.after), 0.0)
        self.ended = self.stream.free = self.began + _LATENCY + self.deed.moved / _BANDWIDTH
        self.stream.clock = self.deed.clock
        # What it holds must not live as long as the event.
        self.work = None
        self.after = ()
        self.reached = True


class SimStream(CurrentStream):
    """A queue of work of a simulated device.

    Attributes
    ----------
    device : Device
        Whose.
    name, number : str, int
        What reports call it.
    units : deque of Unit
        The work that has not run.
    last : Unit or None
        The work submitted last.
    clock, free : Mapping, float
        The units that are ordered before what runs next, and when the last of them ended.
    """

    __slots__ = ("__weakref__", "_closed", "clock", "device", "driver", "free", "last", "name", "number", "units")

    def __init__(self, driver: Driver, device: Device, name: str, number: int) -> None:
        self.driver = driver
        self.device = device
        self.name = name
        self.number = number
        self.units: deque[Unit] = deque()
        self.last: Unit | None = None
        self.clock: Clock = {}
        self.free = 0.0
        self._closed = False

    def submit(self, what: str, work: Work, after: Sequence[Event] = ()) -> Unit:
        """Let some work be done after all that was submitted before.

        Raises
        ------
        RuntimeError
            If the stream is closed.
        """
        if self._closed:
            raise RuntimeError(f"{self.name} is closed and takes no more work; make another: accel.new_stream()")
        unit = Unit(self, what, work, after)
        self.driver.enqueue(unit)
        return unit

    def record(self) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        return self.last or self.submit("an event", _nothing)

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, of whatever device."""
        self.submit("a wait", _nothing, (event,))

    def synchronize(self) -> None:
        """Let work run until all that was submitted so far is done; raises what failed and was not waited for yet."""
        self.driver.finish(lambda deed: deed.number == self.number)

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        self._closed = True
        self.synchronize()

    def forget(self, unit: Unit) -> None:
        """Let go of a unit whose failure is being raised: its traceback keeps alive what the waiter's frames do."""
        if self.last is unit:
            self.last = None

    def __repr__(self) -> str:
        return f"<{self.name}>"


def _nothing(deed: Deed) -> None:
    """Do nothing: what there is to do for an event, and for a wait."""
