"""A timeline drawn as SVG."""

from collections.abc import Iterator
from html import escape

from accel.demo.timeline import LANES, Span, Timeline, in_seconds

__all__ = ["timeline_chart"]

_WIDTH, _LEFT, _RIGHT = 960, 90, 90
_LANE, _BAR, _FOOT = 34, 22, 26
_TICKS = 5
_THINNEST = 0.75  # a bar thinner than this could not be seen


def timeline_chart(timeline: Timeline) -> str:
    """Return an SVG element with a bar for each step, in the lane of its kind."""
    origin = min(span.start for span in timeline.spans)
    length = max(span.stop for span in timeline.spans) - origin
    scale = (_WIDTH - _LEFT - _RIGHT) / length
    height = _LANE * len(LANES) + _FOOT
    parts = [*_ruler(length), *_lanes(timeline), *(_bar(span, origin, scale) for span in timeline.spans)]
    return (
        f'<svg class="timeline" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Timeline of the steps">'
        f"{''.join(parts)}</svg>"
    )


def _ruler(length: float) -> Iterator[str]:
    bottom = _LANE * len(LANES)
    for tick in range(_TICKS + 1):
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * tick / _TICKS
        yield f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{bottom}"/>'
        time = in_seconds(length * tick / _TICKS)
        yield f'<text class="small" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{time}</text>'


def _lanes(timeline: Timeline) -> Iterator[str]:
    for place, lane in enumerate(LANES):
        y = _LANE * place + _LANE / 2 + 4
        yield f'<text x="{_LEFT - 12}" y="{y}" text-anchor="end">{escape(lane)}</text>'
        yield f'<text class="small" x="{_WIDTH - _RIGHT + 12}" y="{y}">{in_seconds(timeline.total(lane))}</text>'


def _bar(span: Span, origin: float, scale: float) -> str:
    place = LANES.index(span.lane)
    x, y = _LEFT + (span.start - origin) * scale, _LANE * place + (_LANE - _BAR) / 2
    width = max((span.stop - span.start) * scale, _THINNEST)
    title = escape(f"{span.lane}, {span.label}: {in_seconds(span.stop - span.start)}")
    frame = f'x="{x:.2f}" y="{y}" width="{width:.2f}" height="{_BAR}"'
    return f'<rect class="lane-{place}" {frame}><title>{title}</title></rect>'
