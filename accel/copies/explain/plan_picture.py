"""Draws a plan as an SVG document: the memory at both ends, and which item goes where."""

from collections.abc import Iterator
from html import escape

from accel.abc import Fill
from accel.copies.explain.plan_memory import Excerpt, excerpt, memory
from accel.copies.explain.plan_panel import COLORS, LINE, Panel, panel, text
from accel.copies.stages import End, Stage

__all__ = ["drawn"]

_MARGIN, _BETWEEN = 20, 80

# Literal colours: many SVG viewers do not support CSS variables.
_STYLE = """
.accel-copy { font-family: system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; max-width: 100%;
  height: auto; }
.accel-copy text { text-anchor: middle; font-size: 12px; fill: #16181d; }
.accel-copy .start { text-anchor: start; }
.accel-copy .end { text-anchor: end; }
.accel-copy .name { font-size: 14px; font-weight: 600; }
.accel-copy .page { fill: #fff; }
.accel-copy text.soft { fill: #5c606b; font-size: 11px; }
.accel-copy text.onto { fill: #000; }
.accel-copy text.few { font-size: 9px; }
.accel-copy .empty { fill: none; stroke: #b9bcc5; stroke-dasharray: 2 3; }
.accel-copy .edge { fill: none; stroke: #fff; }
.accel-copy .frame { fill: none; stroke: #16181d; stroke-width: 2.5; }
.accel-copy .onward { fill: none; stroke: #5c606b; stroke-width: 2.5; }
.accel-copy .loop { fill: none; stroke-width: 2; }
.accel-copy .a { stroke: #b45309; } .accel-copy .b { stroke: #1d4ed8; } .accel-copy .c { stroke: #15803d; }
@media (prefers-color-scheme: dark) {
  .accel-copy text { fill: #eceae5; }
  .accel-copy .page { fill: #15171c; }
  .accel-copy text.soft { fill: #a3a6b0; }
  .accel-copy .empty { stroke: #565b68; }
  .accel-copy .edge { stroke: #15171c; }
  .accel-copy .frame { stroke: #eceae5; }
  .accel-copy .onward { stroke: #a3a6b0; }
  .accel-copy .a { stroke: #f59e0b; } .accel-copy .b { stroke: #7cb0ff; } .accel-copy .c { stroke: #4ade80; }
}
"""


def drawn(stage: Stage) -> str:
    """Return the SVG document of a stage."""
    seen, title = excerpt(stage), _title(stage, excerpt(stage))
    source, target = (panel(memory(stage, seen, target=into), stage, seen, target=into) for into in (False, True))
    keys, top = [*_keys(stage, seen)], _MARGIN + 28
    right = _MARGIN + source.width + _BETWEEN
    below = top + max(source.height, target.height) + 26
    width = max(right + target.width, *(7 * len(said) + 60 for _, said in keys)) + _MARGIN
    height = below + LINE * len(keys)
    parts = [
        text(_MARGIN, _MARGIN + 8, title, "start name"),
        _placed(source, _MARGIN, top),
        _onward(right - _BETWEEN + 20, top + source.height - source.cells / 2),
        _placed(target, right, top),
        *[_key(color, said, below + LINE * k) for k, (color, said) in enumerate(keys)],
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="accel-copy" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img"><title>{escape(title)}</title><style>{_STYLE}</style>\n'
        f'<rect class="page" width="{width:g}" height="{height:g}" rx="10"/>\n{"".join(parts)}</svg>\n'
    )


def _placed(one: Panel, x: float, y: float) -> str:
    return f'<g transform="translate({x:g} {y:g})">{one.body}</g>\n'


def _onward(x: float, y: float) -> str:
    """Return the arrow from the source to the target."""
    return f'<path class="onward" d="M{x:g} {y:g}h40m-10 -7l10 7l-10 7"/>\n'


def _title(stage: Stage, seen: Excerpt) -> str:
    plan = stage.plan
    of = " x ".join(f"{extent:,}" for extent in plan.extents)
    if seen.shown == plan.extents:
        return f"{plan.kind}: all {plan.size:,} items" if plan.size > 1 else f"{plan.kind}: one item"
    drawn_here = " x ".join(f"{extent:,}" for extent in seen.shown)
    return f"{plan.kind}: an excerpt, {drawn_here} of {of} items"


def _keys(stage: Stage, seen: Excerpt) -> Iterator[tuple[str, str]]:
    """Yield the legend: each text with the colour of its loop, if it describes a loop."""
    for color, leaf, shown in zip(_colors(seen), stage.plan.leaves, seen.shown, strict=True):
        if color:
            steps = f"{leaf.extent:,} steps" if shown == leaf.extent else f"{shown:,} of {leaf.extent:,} steps"
            out_of, into = _bytes(stage.source, leaf.source_stride), _bytes(stage.target, leaf.target_stride)
            yield color, f"{steps} {out_of} in the source and {into} in the target"
    yield "", "Equal names and colours show where each item goes. Numbers at the sides count bytes."
    yield "", _FRAMES[stage.plan.kind]
    if stage.plan.bound is not None:
        fate = "become zero" if stage.plan.fill is Fill.ZERO else "stay as they are"
        yield "", f"Items without a colour are not read, and {fate} in the target."


def _bytes(end: End, stride: int) -> str:
    return f"of {stride:,} bytes" if end.operand.table is None else "through a table"


_FRAMES = {
    "memcpy": "The frame is one piece, which is moved at once.",
    "rows": "Each frame is a piece that is moved at once.",
    "transpose": "The frame is transposed in fast memory, alone or as part of a larger tile.",
    "gather": "Each item is moved by itself.",
    "table": "Each item is moved by itself.",
}


def _colors(seen: Excerpt) -> list[str]:
    """Return the colour of each loop; an empty string if none of its steps is drawn."""
    colors = iter(COLORS)
    return [next(colors) if extent > 1 else "" for extent in seen.shown]


def _key(color: str, said: str, y: float) -> str:
    swatch = f'<path class="loop {color}" d="M{_MARGIN} {y - 4:g}h18m-6 -4l6 4l-6 4"/>' if color else ""
    return f"{swatch}{text(_MARGIN + 26 * bool(color), y, said, 'start soft')}\n"
