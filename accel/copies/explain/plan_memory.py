"""An excerpt of a plan, and the memory at both ends as rows of cells, for a picture."""

from itertools import pairwise, product
from typing import NamedTuple

from accel.copies.stages import End, Stage
from accel.pictures.colors import Color, hue

__all__ = ["GAP", "Excerpt", "Item", "Memory", "excerpt", "memory"]

GAP = -1
"""Stands for rows or columns that are left out."""

_WHOLE = 40
"""Items of the largest copy that is drawn completely."""

_RUN, _RUNS, _TILE, _LINE = 8, 5, 6, 8
"""How much an excerpt shows: items of a run, runs, items along a side of a tile, cells of a line without rows."""

_SHORTEST = 4
"""From how many empty rows or columns on they are left out."""


class Item(NamedTuple):
    """An item: its run, its number in the run, and its distance in bytes from the first one at both ends."""

    run: int
    number: int
    target: int
    source: int
    read: bool

    @property
    def name(self) -> str:
        """Letters for the run, and the number in the run."""
        run, letters = self.run, ""
        while run >= 0:
            run, letters = run // 26 - 1, chr(ord("a") + run % 26) + letters
        return f"{letters}{self.number}"


class Excerpt(NamedTuple):
    """Some items of a plan, how many steps of each loop they show, and whether a run is moved as one piece."""

    items: tuple[Item, ...]
    shown: tuple[int, ...]
    whole: bool

    def hue(self, item: Item) -> Color:
        """Return the colour of an item: that of its run, or its own if there is one run and items are moved singly."""
        last = self.items[-1]
        return hue(item.run, last.run + 1) if last.run or self.whole else hue(item.number, last.number + 1)


class Memory(NamedTuple):
    """One end as rows of cells.

    Attributes
    ----------
    rows, columns : list of int
        Their first bytes, counted from the first row and from its first cell; or `GAP`.
    cells : dict
        The items at each row and column.
    more : set of str
        The sides on which loops continue: ``left``, ``right``, ``above``, ``below``.
    """

    rows: list[int]
    columns: list[int]
    cells: dict[tuple[int, int], list[Item]]
    more: set[str]


def excerpt(stage: Stage) -> Excerpt:
    """Return all items of a plan if they are few, else those of the first steps of two loops."""
    shown = _shown(stage)
    last = len(shown) - 1
    items = []
    for steps in product(*map(range, shown)):
        run = 0
        for step, extent in zip(steps[:-1], shown, strict=False):
            run = run * extent + step
        items.append(_item(stage, steps, run, steps[last] if steps else 0))
    return Excerpt(tuple(items), shown, stage.plan.kind not in {"gather", "table"})


def _shown(stage: Stage) -> tuple[int, ...]:
    plan = stage.plan
    if plan.size <= _WHOLE and len(plan.leaves) <= 3:
        return plan.extents
    last = len(plan.leaves) - 1
    if plan.tile is not None:
        most = dict.fromkeys(plan.tile, _TILE)
    else:
        most = {last: _RUN if last else 3 * _LINE, last - 1: _RUNS}
    return tuple([min(extent, most.get(number, 1)) for number, extent in enumerate(plan.extents)])


def _item(stage: Stage, steps: tuple[int, ...], run: int, number: int) -> Item:
    plan = stage.plan
    into = plan.target_start + sum(k * leaf.target_stride for k, leaf in zip(steps, plan.leaves, strict=True))
    out_of = plan.source_start + sum(k * leaf.source_stride for k, leaf in zip(steps, plan.leaves, strict=True))
    into, out_of = _listed(stage.target, into, steps), _listed(stage.source, out_of, steps)
    read = plan.bound is None or out_of < plan.bound
    return Item(run, number, _swizzled(stage.target, into), _swizzled(stage.source, out_of), read)


def _listed(end: End, distance: int, steps: tuple[int, ...]) -> int:
    table = end.operand.table
    return distance if table is None else int(table[steps[0]]) * end.itemsize


def _swizzled(end: End, distance: int) -> int:
    return distance if end.operand.swizzle is None else int(end.operand.swizzle(distance))


def memory(stage: Stage, seen: Excerpt, *, target: bool) -> Memory:
    """Return one end of an excerpt; a row is as long as the longest stride, if that exceeds the others together."""
    end = stage.target if target else stage.source
    itemsize = end.itemsize if stage.casts else stage.plan.itemsize
    places = [item.target if target else item.source for item in seen.items]
    strides = stage.plan.target_strides if target else stage.plan.source_strides
    first, pitch = min(places), _pitch(strides, seen.shown, itemsize)
    if end.operand.swizzle is not None:
        first -= first % pitch  # a swizzle permutes blocks that start at multiples of their size
    cells: dict[tuple[int, int], list[Item]] = {}
    for item, place in zip(seen.items, places, strict=True):
        row, column = divmod(place - first, pitch)
        cells.setdefault((row * pitch, column), []).append(item)
    rows, columns = ({where[axis] for where in cells} for axis in (0, 1))
    goes_on = zip(strides, seen.shown, stage.plan.extents, strict=True)
    more = {_side(stride, pitch) for stride, shown, extent in goes_on if stride and shown < extent and shown > 1}
    return Memory(_with_gaps(rows, pitch), _with_gaps(columns, itemsize), cells, more)


def _pitch(strides: tuple[int, ...], shown: tuple[int, ...], itemsize: int) -> int:
    """Return the bytes of a row."""
    steps = zip(strides, shown, strict=True)
    moving = sorted((abs(stride), extent) for stride, extent in steps if stride and extent > 1)
    reach = itemsize + sum((extent - 1) * stride for stride, extent in moving[:-1])
    if len(moving) > 1 and moving[-1][0] >= reach and moving[-1][0] % itemsize == 0:
        return moving[-1][0]
    return _LINE * itemsize


def _side(stride: int, pitch: int) -> str:
    if abs(stride) < pitch:
        return "right" if stride > 0 else "left"
    return "below" if stride > 0 else "above"


def _with_gaps(values: set[int], unit: int) -> list[int]:
    """Return sorted places; between two of them the missing ones, or a gap if they are many."""
    places = sorted(values)
    filled = places[:1]
    for one, other in pairwise(places):
        between = range(one + unit, other, unit)
        filled += [*(between if len(between) < _SHORTEST else [GAP]), other]
    return filled
