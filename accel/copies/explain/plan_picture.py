"""Draws a plan as an SVG document: the memory at both ends, and which item goes where."""

from collections.abc import Iterator
from functools import partial

from accel.abc import Fill
from accel.copies.explain.plan_memory import Excerpt, excerpt, memory
from accel.copies.explain.plan_panel import COLORS, LINE, panel
from accel.copies.stages import End, Stage
from accel.pictures import svg
from accel.pictures.style import SANS, Shade, svg_style

__all__ = ["drawn"]

_MARGIN, _BETWEEN = 20, 80

_STYLE = svg_style(
    "accel-copy",
    SANS,
    """
& text { font-size: 12px; }
& .name { font-size: 14px; font-weight: 600; }
& text.soft { font-size: 11px; }
& .onto { fill: #000; }
& text.few { font-size: 9px; }
& rect.edge, & .empty, & .line, & .rule, & .loop { fill: none; }
& .empty { stroke-dasharray: 2 3; }
& .line, & .rule { stroke-width: 2.5; }
& .loop { stroke-width: 2; }
""",
    {
        "empty": Shade("stroke", "#b9bcc5", "#565b68"),
        "a": Shade("stroke", "#b45309", "#f59e0b"),
        "b": Shade("stroke", "#1d4ed8", "#7cb0ff"),
        "c": Shade("stroke", "#15803d", "#4ade80"),
    },
)


def drawn(stage: Stage) -> str:
    """Return the SVG document of a stage."""
    seen = excerpt(stage)
    title = _title(stage, seen)
    source, target = (panel(memory(stage, seen, target=into), stage, seen, target=into) for into in (False, True))
    keys, top = [*_keys(stage, seen)], _MARGIN + 28
    right = _MARGIN + source.width + _BETWEEN
    below = top + max(source.height, target.height) + 26
    width = max(right + target.width, *(7 * len(said) + 60 for _, said in keys)) + _MARGIN
    height = below + LINE * len(keys)
    rows = [(partial(_sample, color) if color else None, said, "soft") for color, said in keys]
    parts = [
        svg.text(_MARGIN, _MARGIN + 8, title, "ink name"),
        svg.moved(source.body, _MARGIN, top),
        svg.arrow(right - _BETWEEN + 20, top + source.height - source.cells / 2, right=40, kind="rule", head=7),
        svg.moved(target.body, right, top),
        svg.legend(rows, _MARGIN, below, line=LINE, indent=26),
    ]
    return svg.document("accel-copy", width, height, "".join(parts), title=title, style=_STYLE)


def _sample(color: str, x: float, y: float) -> str:
    return svg.arrow(x, y - 4, right=18, kind=f"loop {color}")


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
