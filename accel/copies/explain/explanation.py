"""`CopyExplanation`: an explanation of a copy, as text and as HTML."""

from collections.abc import Iterable, Iterator
from html import escape
from textwrap import wrap
from typing import NamedTuple

from accel.abc import Plan
from accel.copies.explain.plan_picture import drawn
from accel.copies.explain.plan_wording import amount, count, loops_of, sentences
from accel.copies.planner import Mask
from accel.copies.stages import BETWEEN, IMAGE, End, Stage, stages_of
from accel.errors import BoundsError
from accel.pictures.html import table
from accel.pictures.style import SANS, page_style

__all__ = ["CopyExplanation", "Side"]

_WIDTH = 96
_INDENT = 14

_STYLE = page_style(
    "accel-copy-page",
    f"14px/1.45 {SANS}",
    """
& { max-width: 1000px; }
& .name { font-size: 17px; font-weight: 600; margin: 0 0 8px; }
& .step { font-weight: 600; margin: 14px 0 4px; padding-top: 10px; border-top: 1px solid var(--line); }
& dl { display: grid; grid-template-columns: 72px 1fr; gap: 3px 12px; margin: 0; }
& dt { color: var(--soft); }
& dd { margin: 0; overflow-wrap: anywhere; }
& table { font-variant-numeric: tabular-nums; }
& th, & td { text-align: right; padding: 0 20px 0 0; }
& svg { display: block; margin: 12px 0 0; }
""",
)


class Side(NamedTuple):
    """One end of a copy, with its layout as the user wrote it."""

    end: End
    layout: str

    def __str__(self) -> str:
        return f"{self.end.operand.dtype.name} on {self.end.device}, {self.layout}"


class CopyExplanation:
    """How a copy would be done, and why: `str` returns it as text, and a notebook shows it as HTML.

    It does not keep memory alive.
    """

    __slots__ = ("_source", "_stages", "_target")

    def __init__(self, target: Side, source: Side, mask: Mask | None) -> None:
        self._target = target
        self._source = source
        self._stages = stages_of(target.end, source.end, mask)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans for the backends, in order: none if there are no elements, several if one is not enough."""
        return tuple([stage.plan for stage in self._stages])

    @property
    def title(self) -> str:
        """Number and type of the elements and both devices, in one line."""
        target, source = self._target.end, self._source.end
        elements = f"{source.size:,} {source.operand.dtype.name} element{'' if source.size == 1 else 's'}"
        return f"Copy of {elements} ({amount(source.size * source.itemsize)}) from {source.device} to {target.device}"

    def text(self) -> str:
        """Return the explanation as lines of text."""
        lines = [self.title]
        for about, said in self._overview():
            lines += _lines(about, said)
        for number, stage in enumerate(self._stages):
            lines += [f"  {self._step(number, stage)}"] if len(self._stages) > 1 else []
            lines += _loop_lines(stage)
            for about, said in sentences(stage):
                lines += _lines(about, said)
        return "\n".join(lines)

    def html(self) -> str:
        """Return the explanation as an HTML element, with a picture of each plan."""
        parts = [f'<p class="name">{escape(self.title)}</p>\n<dl>{"".join(_terms(self._overview()))}</dl>\n']
        for number, stage in enumerate(self._stages):
            head = f'<p class="step">{escape(self._step(number, stage))}</p>\n' if len(self._stages) > 1 else ""
            parts.append(f"{head}<dl>{_loop_table(stage)}{''.join(_terms(sentences(stage)))}</dl>\n{drawn(stage)}")
        return f'<div class="accel-copy-page"><style>{_STYLE}</style>\n{"".join(parts)}</div>\n'

    def svg(self, number: int = 0) -> str:
        """Return the picture of one plan: an SVG document without references to other files.

        Raises
        ------
        BoundsError
            If there is no such plan; a copy of no elements has none.
        """
        if not -len(self._stages) <= number < len(self._stages):
            raise BoundsError(f"plan {number} is asked for, and this copy has {count(len(self._stages), 'plan')}")
        return drawn(self._stages[number])

    def _overview(self) -> Iterator[tuple[str, str]]:
        yield "target", str(self._target)
        yield "source", str(self._source)
        if not self._stages:
            yield "kind", "nothing to copy: there are no elements"
        passed = {stage.target.name: stage.target for stage in self._stages}
        if IMAGE in passed:
            cast = self._target.end.operand.dtype != self._source.end.operand.dtype
            why = "only the host converts elements" if cast else "no backend knows both devices"
            yield "stages", f"{why}, so the copy goes through {_as_memory(passed[IMAGE])}"
        if BETWEEN in passed:
            extra = _as_memory(passed[BETWEEN])
            why = "no loops visit both layouts in the same order, because their extents do not divide"
            yield "stages", f"{why}, so the copy goes through {extra}"

    def _step(self, number: int, stage: Stage) -> str:
        return f"step {number + 1} of {len(self._stages)}: from the {stage.source.name} to the {stage.target.name}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<CopyExplanation: {', then '.join([plan.kind for plan in self.plans]) or 'nothing to copy'}>"

    def _repr_html_(self) -> str:
        return self.html()


def _as_memory(end: End) -> str:
    return f"{amount(end.size * end.itemsize)} of temporary memory on {end.device}"


def _lines(about: str, said: str) -> list[str]:
    """Return a wrapped text with its subject before the first line."""
    first, *rest = wrap(said, _WIDTH - _INDENT)
    return [f"  {about:{_INDENT - 2}}{first}", *[f"{'':{_INDENT}}{line}" for line in rest]]


_HEAD = ("steps", "bytes in the target", "bytes in the source")


def _loop_lines(stage: Stage) -> list[str]:
    rows = loops_of(stage)
    if not rows:
        return []
    widths = [max(len(text) for text in column) for column in zip(_HEAD, *rows, strict=True)]
    lines = ["   ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in (_HEAD, *rows)]
    return [f"  {about:{_INDENT - 2}}{line}" for about, line in zip(["loops", *[""] * len(rows)], lines, strict=True)]


def _terms(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"<dt>{escape(about)}</dt><dd>{escape(text)}</dd>\n" for about, text in said)


def _loop_table(stage: Stage) -> str:
    rows = loops_of(stage)
    return f"<dt>loops</dt><dd>{table(_HEAD, rows)}</dd>\n" if rows else ""
