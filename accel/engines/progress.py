"""`Progress`: how far a launch is."""

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TextIO

from accel.engines.points import Point
from accel.memory.sizes import in_words

__all__ = ["Progress", "ProgressMeter", "line_on", "meter_of", "metered", "reporting"]

_PATIENCE = 1.0  # seconds before the first line: short launches print nothing
_INTERVAL = 0.1  # seconds from one line to the next


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a launch is.

    Attributes
    ----------
    task : str
        Name of the task.
    done, tasks : int
        Number of its points that are over, and of all.
    nbytes, total : int
        Bytes that these use, and that all use.
    seconds : float
        Time since the launch was submitted.
    """

    task: str
    done: int
    tasks: int
    nbytes: int
    total: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes per second so far."""
        return self.nbytes / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float:
        """The time that the rest takes if it takes as long as what is done."""
        return self.seconds / self.done * (self.tasks - self.done) if self.done else float("inf")

    def __str__(self) -> str:
        left = "" if not self.done or self.done == self.tasks else f", {_duration(self.seconds_left)} left"
        return (
            f"{self.task}: {self.done} of {self.tasks} tasks, {in_words(self.nbytes)} of {in_words(self.total)}, "
            f"{in_words(int(self.rate))}/s, {_duration(self.seconds)}{left}"
        )


Report = Callable[[Progress], object]
"""What is called after each point of a launch."""


class ProgressMeter:
    """Counts the points of a launch that are over, and tells a callable after each.

    Calls are made by the threads that run the points, one at a time.
    """

    def __init__(self, report: Report, task: str, tasks: int, total: int) -> None:
        self._report = report
        self._task = task
        self._tasks = tasks
        self._total = total
        self._began = monotonic()
        # Guards the two below, and is held while the callable runs, so that it sees growing numbers.
        self._lock = threading.Lock()
        self._done = 0
        self._nbytes = 0

    def step(self, nbytes: int) -> None:
        """Count a point that is over."""
        with self._lock:
            self._done += 1
            self._nbytes += nbytes
            seconds = monotonic() - self._began
            self._report(Progress(self._task, self._done, self._tasks, self._nbytes, self._total, seconds))


def meter_of(report: Report, task: str, points: Sequence[Point]) -> ProgressMeter:
    """Return what counts the points of a launch."""
    return ProgressMeter(report, task, len(points), sum([point.nbytes for point in points]))


def line_on(stream: TextIO | None = None) -> Callable[[Progress], None]:
    """Return a callable that writes progress to a terminal, as one line that changes.

    To anything else than a terminal it writes nothing. Launches that take less than a second write nothing either.
    """
    output = sys.stderr if stream is None else stream
    shown = 0.0

    def show(progress: Progress) -> None:
        nonlocal shown
        last = progress.done == progress.tasks
        if progress.seconds < _PATIENCE or not (last or progress.seconds - shown >= _INTERVAL) or not output.isatty():
            return
        shown = progress.seconds
        output.write(f"\r\x1b[K{progress}" + "\n" * last)
        output.flush()

    return show


def metered(action: Callable[[], object], meter: ProgressMeter, nbytes: int) -> None:
    """Do an action and count it, also if it fails."""
    try:
        action()
    finally:
        meter.step(nbytes)


def reporting(progress: bool | Report | None) -> Report | None:
    """Return the function to call after each point: the callable itself, or for True one that writes a line.

    Raises
    ------
    TypeError
        If it is neither a callable nor a boolean.
    """
    if callable(progress):
        return progress
    if not isinstance(progress, bool | None):
        raise TypeError(f"progress is True, False or a callable that takes a Progress; found {progress!r}")
    return line_on() if progress else None


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
