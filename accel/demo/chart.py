"""Draw a timeline as SVG, the whole of it or a close-up."""

from collections.abc import Iterator
from dataclasses import dataclass

from accel.demo.timeline import LANES, Span, Timeline, in_seconds
from accel.pictures import svg

__all__ = ["close_up", "timeline_chart"]

_WIDTH, _LEFT, _RIGHT = 960, 90, 90
_LANE, _BAR, _FOOT = 34, 22, 26
_TICKS = 5
_THINNEST = 0.75  # thinner bars would be invisible
_LETTER = 7.5  # the approximate width of a letter


@dataclass(frozen=True, slots=True)
class _Frame:
    """Maps times and lanes to positions on a chart of the time from ``start`` to ``stop``."""

    start: float
    stop: float
    lanes: tuple[str, ...]

    @property
    def bottom(self) -> int:
        return _LANE * len(self.lanes)

    def x(self, time: float) -> float:
        shown = min(max(time, self.start), self.stop)
        return _LEFT + (shown - self.start) / (self.stop - self.start) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, lane: str) -> int:
        return _LANE * self.lanes.index(lane)


def timeline_chart(timeline: Timeline) -> str:
    """Return an SVG element with a bar for each step, in the lane of its kind, and the time spent in each lane."""
    start, stop = min(span.start for span in timeline.spans), max(span.stop for span in timeline.spans)
    frame = _Frame(start, stop, LANES)
    totals = [
        svg.text(_WIDTH - _RIGHT + 12, _middle(frame, lane), in_seconds(timeline.total(lane)), "small")
        for lane in LANES
    ]
    return _chart(frame, timeline.spans, "Timeline of the steps", "".join(totals))


def close_up(timeline: Timeline) -> str:
    """Return an SVG element with the steps around the middle one of the copies in."""
    copies = [span for span in timeline.spans if span.lane == "copy in"]
    copy = copies[len(copies) // 2]
    around = 1.5 * (copy.stop - copy.start)
    start, stop = copy.start - around, copy.stop + around
    shown = [span for span in timeline.spans if span.start < stop and span.stop > start]
    lanes = tuple(lane for lane in LANES if any(span.lane == lane for span in shown))
    return _chart(_Frame(start, stop, lanes), shown, "Close-up of one copy in")


def _chart(frame: _Frame, spans: list[Span], label: str, extra: str = "") -> str:
    parts = [*_ruler(frame), *_names(frame), *(_bar(span, frame) for span in spans), extra]
    return svg.figure("timeline", _WIDTH, frame.bottom + _FOOT, "".join(parts), label=label)


def _ruler(frame: _Frame) -> Iterator[str]:
    for tick in range(_TICKS + 1):
        time = (frame.stop - frame.start) * tick / _TICKS
        x = round(frame.x(frame.start + time), 1)
        yield svg.path(f"M{x:g} 0v{frame.bottom}", "tick")
        yield svg.text(x, frame.bottom + 18, in_seconds(time) if tick else "0", "small middle")


def _names(frame: _Frame) -> Iterator[str]:
    for lane in frame.lanes:
        yield svg.text(_LEFT - 12, _middle(frame, lane), lane, "end")


def _middle(frame: _Frame, lane: str) -> float:
    """Return the y coordinate of the baseline of a text that is centred in a lane."""
    return frame.y(lane) + _LANE / 2 + 4


def _bar(span: Span, frame: _Frame) -> str:
    x, y = frame.x(span.start), frame.y(span.lane) + (_LANE - _BAR) / 2
    width = max(frame.x(span.stop) - x, _THINNEST)
    title = f"{span.lane}, {span.label}: {in_seconds(span.stop - span.start)}"
    bar = svg.rect(round(x, 2), y, round(width, 2), _BAR, f"lane-{LANES.index(span.lane)}", title=title)
    if width < _LETTER * len(span.label):
        return bar
    return bar + svg.text(round(x + width / 2, 2), _middle(frame, span.lane), span.label, "on-bar middle")
