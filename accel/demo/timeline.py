"""When each step of the demo ran."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from accel.memory import Transfer

__all__ = ["LANES", "Span", "Timeline", "in_seconds"]

LANES = ("load", "copy in", "transfer", "compute", "copy out", "reference")
"""The kinds of step, in the order in which data meets them."""

_SHORT = 100


@dataclass(frozen=True, slots=True)
class Span:
    """A step: its lane, what it worked on, and when it began and ended, in seconds."""

    lane: str
    label: str
    start: float
    stop: float


@dataclass(slots=True)
class Timeline:
    """The steps of one picture, as they were measured."""

    spans: list[Span] = field(default_factory=list)

    @contextmanager
    def span(self, lane: str, label: str) -> Iterator[None]:
        """Measure a ``with`` block."""
        start = perf_counter()
        yield
        self.spans.append(Span(lane, label, start, perf_counter()))

    def add_transfer(self, transfer: Transfer, label: str) -> None:
        """Add a transfer that is over, with the times its stream took down."""
        event = transfer.event
        if event.began is not None and event.ended is not None:
            self.spans.append(Span("transfer", label, event.began, event.ended))

    def total(self, *lanes: str) -> float:
        """Return the seconds spent in these lanes, or in all."""
        return sum(span.stop - span.start for span in self.spans if span.lane in (lanes or LANES))


def in_seconds(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> in_seconds(0.0123), in_seconds(4.567)
    ('12.3 ms', '4.57 s')
    """
    milliseconds = 1000 * seconds
    return f"{milliseconds:.1f} ms" if milliseconds < _SHORT else f"{seconds:.2f} s"
