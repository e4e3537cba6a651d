"""`Timeline`: when each step of the demo ran."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from time import perf_counter

from accel.abc import Event, Stream
from accel.copies import Transfer

__all__ = ["LANES", "Span", "Timeline", "in_seconds"]

LANES = ("load", "prepare", "cut", "copy in", "compute", "copy out", "reference")
"""The kinds of step, in the order in which they are applied to the data."""

_SHORT, _VERY_SHORT = 0.1, 0.001


@dataclass(frozen=True, slots=True)
class Span:
    """A step: its lane, its label, and its start and stop in seconds."""

    lane: str
    label: str
    start: float
    stop: float


@dataclass(slots=True)
class Timeline:
    """The steps of one picture, on the clock of `time.perf_counter`."""

    spans: list[Span] = field(default_factory=list)
    _submitted: list[tuple[str, str, Event, Event]] = field(default_factory=list)

    @contextmanager
    def span(self, lane: str, label: str) -> Iterator[None]:
        """Measure a ``with`` block."""
        start = perf_counter()
        yield
        self.spans.append(Span(lane, label, start, perf_counter()))

    @contextmanager
    def step(self, stream: Stream, lane: str, label: str) -> Iterator[None]:
        """Measure the work that a ``with`` block submits to a timed stream, with events of the stream.

        If nothing was submitted, because arrays of this device are computed by the host, the host's clock is used.
        """
        # `record` may return an older event. Waiting for it adds an item to the stream, so the next one is new.
        stream.wait_for(stream.record())
        before, start = stream.record(), perf_counter()
        with stream:
            yield
        after, stop = stream.record(), perf_counter()
        if after is before:
            self.spans.append(Span(lane, label, start, stop))
        else:
            self._submitted.append((lane, label, before, after))

    def add_transfer(self, transfer: Transfer, label: str) -> None:
        """Add a finished copy to the device, with the times of its event."""
        self._add("copy in", label, transfer.event.began, transfer.event.ended)

    def collect(self) -> None:
        """Add the times of all work on streams, which must be finished, and sort the steps by start."""
        for lane, label, before, after in self._submitted:
            self._add(lane, label, before.ended, after.ended)
        self._submitted.clear()
        self.spans.sort(key=attrgetter("start"))

    def _add(self, lane: str, label: str, start: float | None, stop: float | None) -> None:
        if start is not None and stop is not None:
            self.spans.append(Span(lane, label, start, stop))

    def total(self, *lanes: str) -> float:
        """Return the sum of the seconds of all steps in these lanes."""
        return sum(span.stop - span.start for span in self._of(lanes))

    def elapsed(self, *lanes: str) -> float:
        """Return the seconds from the first start to the last stop in these lanes."""
        spans = self._of(lanes)
        return max(span.stop for span in spans) - min(span.start for span in spans)

    def overlap(self) -> float:
        """Return the fraction of the time of copies in during which another tile is computed."""
        computed = self._of(["compute"])
        shared = sum(
            _shared(copy, (span for span in computed if span.label != copy.label)) for copy in self._of(["copy in"])
        )
        return shared / self.total("copy in") if shared else 0.0

    def _of(self, lanes: Iterable[str]) -> list[Span]:
        chosen = set(lanes)
        return [span for span in self.spans if span.lane in chosen]


def _shared(span: Span, others: Iterable[Span]) -> float:
    """Return how many seconds of a span overlap with any of the others."""
    shared, edge = 0.0, span.start
    for other in sorted(others, key=attrgetter("start")):
        stop = min(other.stop, span.stop)
        shared += max(stop - max(other.start, edge), 0.0)
        edge = max(edge, stop)
    return shared


def in_seconds(seconds: float) -> str:
    """Return a number of seconds as text.

    Examples
    --------
    >>> in_seconds(0.000045), in_seconds(0.0123), in_seconds(4.567)
    ('45 µs', '12.3 ms', '4.57 s')
    """
    if seconds < _VERY_SHORT:
        return f"{1e6 * seconds:.0f} µs"
    return f"{1000 * seconds:.1f} ms" if seconds < _SHORT else f"{seconds:.2f} s"
