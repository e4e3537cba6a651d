"""`Unit`: one piece of work of a simulated device, and the event that is reached when it is done."""

from collections.abc import Callable, Sequence
from time import perf_counter
from types import TracebackType
from typing import Protocol

from accel.device import Device
from accel.memory import Event
from accel.memory.sites import call_site

from .clock import Clock

__all__ = ["Driver", "Unit", "Work"]

Work = Callable[["Unit"], object]
"""What is done when a unit's turn comes; it declares what it reads and writes to the referee."""


class Driver(Protocol):
    """What lets late work run."""

    def poll(self, unit: "Unit") -> bool:
        """Tell whether a unit is done, and perhaps let some work run."""
        ...

    def settle(self, unit: "Unit") -> None:
        """Let work run until a unit is done."""
        ...


class Unit:
    """A piece of work, and the event behind it.

    Attributes
    ----------
    device : Device
        The device of the stream.
    began, ended : float
        Simulated seconds on the clock of `time.perf_counter`: work begins when it was submitted or when what it
        waits for has ended, whichever is later, and lasts as long as the bytes it moves take.
    what, site : str
        What it does, and where in the user's code it was submitted.
    stream, number : str, int
        Name and number of the stream.
    after : sequence of Event
        What it waits for besides the work before it.
    known, clock : Mapping
        The work that the host knew to be over when it submitted this, and the work that this comes after.
    """

    __slots__ = (
        "_driver",
        "_traceback",
        "after",
        "began",
        "clock",
        "device",
        "ended",
        "error",
        "known",
        "late",
        "moved",
        "noticed",
        "number",
        "reached",
        "seen",
        "site",
        "stream",
        "submitted",
        "what",
        "work",
    )

    def __init__(
        self, driver: Driver, device: Device, stream: str, number: int, what: str, work: Work, after: Sequence[Event]
    ) -> None:
        self._driver = driver
        self._traceback: TracebackType | None = None
        self.device = device
        self.stream = stream
        self.number = number
        self.what = what
        self.work = work
        self.after = after
        self.site = call_site()
        self.submitted = perf_counter()
        self.known: Clock = {}
        self.clock: Clock = {}
        self.moved = 0
        self.began: float | None = None
        self.ended: float | None = None
        self.error: Exception | None = None
        self.late = True
        self.reached = self.noticed = self.seen = False
