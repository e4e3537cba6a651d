"""Why an operation has the result it has: each generator below yields the steps of one operation.

They call the same functions as the operations themselves, so what they tell is what happens.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from accel.layout import algebra, inverse, recasting, tiling
from accel.layout.composing import CAP, Step, by_rule, coalesced, factored, split, unbounded
from accel.layout.coordinates import Leaf, evaluated
from accel.layout.int_tuple import product
from accel.layout.layout import Layout, joined
from accel.layout.tilers import ByMode, Tiler, tiler_text

__all__ = ["DERIVATIONS", "Line"]

_SHOWN = 8


class Line(NamedTuple):
    """One step: how deep it is nested, and what it says."""

    depth: int
    text: str


Lines = Iterator[Line]


def _under(lines: Lines) -> Lines:
    return (Line(line.depth + 1, line.text) for line in lines)


def _written(leaf: Leaf) -> str:
    return f"{leaf[0]}:{leaf[1]}"


def _coalesce(layout: Layout, profile: Any = None) -> Lines:
    if isinstance(profile, tuple):
        for k, part in enumerate(profile):
            yield Line(0, f"mode {k}, {layout.mode(k)}:")
            yield from _under(_coalesce(layout.mode(k), part))
        return
    kept: list[Leaf] = []
    for leaf in layout.leaves:
        merged = list(coalesced([*kept, leaf]))
        if leaf[0] == 1:
            yield Line(0, f"{_written(leaf)} has one element, and goes")
        elif leaf[0] == 0:
            yield Line(0, f"{_written(leaf)} has no element, so nothing has")
            return
        elif kept and len(merged) == len(kept):
            extent, stride = kept[-1]
            product = f"{extent} * {stride} = {leaf[1]}"
            yield Line(
                0, f"{_written(leaf)} goes on where {extent}:{stride} ends, for {product}: {_written(merged[-1])}"
            )
        else:
            yield Line(0, f"{_written(leaf)} stays")
        kept = merged


def _composition(a: Layout, b: Tiler) -> Lines:
    if isinstance(b, Layout):
        yield from _composed(a, b)
    else:
        yield from _by_mode(_composition, a, b)


def _by_mode(derivation: Callable[[Layout, Any], Lines], layout: Layout, tiler: ByMode) -> Lines:
    for k in range(layout.rank):
        part = tiler[k] if k < len(tiler) else None
        if part is None:
            yield Line(0, f"mode {k}, {layout.mode(k)}, is left alone")
        else:
            yield Line(0, f"mode {k}, {layout.mode(k)}, with {tiler_text(part)}:")
            yield from _under(derivation(layout.mode(k), part))


def _composed(a: Layout, b: Layout) -> Lines:
    outer = unbounded(a.leaves)
    yield Line(0, f"A coalesced is {algebra.of_leaves(outer)}; the last of its modes goes on past its end")
    for leaf in b.leaves:
        yield from _leaf(outer, leaf)
    if by_rule(outer, b.leaves) is None:
        yield from _table(outer, b)
    elif len(b.leaves) > 1 and len(outer) > 1:
        yield Line(0, "in no mode of A do the coordinates reached add up to a carry, so the leaves stand side by side")


def _leaf(outer: tuple[Leaf, ...], leaf: Leaf) -> Lines:
    steps: list[Step] = []
    found = split(outer, leaf, [0] * len(outer), steps)
    end = "" if found is None else f": {' and '.join(map(_written, found))}"
    yield Line(0, f"leaf {_written(leaf)} of B{end}")
    for step in steps:
        yield Line(1, _told(step, outer))
    if found is None:
        size, step_there = outer[len(steps)]
        extent, stride = _left(steps, leaf, outer)
        yield Line(
            1, f"at {size}:{step_there} of A, {extent}:{stride} neither stays inside nor goes through in whole steps"
        )


def _left(steps: list[Step], leaf: Leaf, outer: tuple[Leaf, ...]) -> Leaf:
    """Return what is left of a leaf after the steps that were taken."""
    if not steps:
        return leaf
    last = steps[-1]
    if last.emitted is None:
        return last.leaf[0], last.leaf[1] // outer[last.mode][0]
    return last.leaf[0] // last.emitted[0], 1


def _told(step: Step, outer: tuple[Leaf, ...]) -> str:
    (extent, stride), (size, there) = step.leaf, outer[step.mode]
    where = f"{extent}:{stride} at {size}:{there} of A"
    if step.emitted is None:
        return f"{where}: {stride} is a multiple of {size}, and steps over it, as {extent}:{stride // size}"
    found = _written(step.emitted)
    if step.emitted[0] == extent:
        return f"{where}: stays inside, so its stride is {stride} * {there}: {found}"
    return f"{where}: {step.emitted[0]} steps of {stride} fill it, {found}; {extent // step.emitted[0]}:1 goes on"


def _table(outer: tuple[Leaf, ...], b: Layout) -> Lines:
    yield Line(0, "the rule does not decide this, so the values do")
    if b.size > CAP:
        yield Line(1, f"there are {b.size} of them, and at most {CAP} are looked at")
        return
    for extent, stride in b.leaves:
        values = [evaluated(outer, i * stride) for i in range(extent)]
        found = factored(values)
        end = f"impossible from {found} on" if isinstance(found, int) else " and ".join(map(_written, found)) or "1:0"
        dots = ", ..." if extent > _SHOWN else ""
        yield Line(1, f"leaf {extent}:{stride}: {', '.join(map(str, values[:_SHOWN]))}{dots} is {end}")


def _complement(layout: Layout, size: Any = None) -> Lines:
    wanted = layout.cosize if size is None else product(size)
    leaves = sorted((stride, extent) for extent, stride in layout.leaves if extent > 1 and stride)
    spanned = 1
    for stride, extent in leaves:
        if stride < 0 or stride % spanned:
            yield Line(0, f"{extent}:{stride} is no positive multiple of {spanned}, which is spanned before it")
            return
        hole = f"a hole of {stride // spanned}:{spanned} before it" if stride > spanned else "no hole before it"
        yield Line(0, f"{extent}:{stride} leaves {hole}; up to {stride * extent} all is spanned")
        spanned = stride * extent
    yield Line(0, f"{-(-wanted // spanned)} times {spanned} reach {wanted}: {-(-wanted // spanned)}:{spanned}")


def _logical_divide(layout: Layout, tiler: Tiler) -> Lines:
    if not isinstance(tiler, Layout):
        yield from _by_mode(_logical_divide, layout, tiler)
        return
    yield Line(0, f"the complement of {tiler} in {layout.size} elements, which goes from tile to tile:")
    yield from _under(_complement(tiler, layout.size))
    rest = algebra.complement(tiler, layout.size)
    both = joined([tiler, rest])
    yield Line(0, f"composition of {layout} with tile and rest, {both}:")
    yield from _under(_composed(layout, both))
    past = sum(tiling.overhang(layout, tiler))
    if past:
        yield Line(0, f"the tiles are uneven: they go {past} elements past the end")


def _arranged(
    logical: Callable[[Layout, Any], Layout], derivation: Callable[[Layout, Any], Lines]
) -> Callable[..., Lines]:
    def lines(layout: Layout, tiler: Tiler) -> Lines:
        yield from derivation(layout, tiler)
        yield Line(0, f"that is {logical(layout, tiler)}, and its modes are sorted")

    return lines


def _logical_product(layout: Layout, other: Tiler) -> Lines:
    if not isinstance(other, Layout):
        yield from _by_mode(_logical_product, layout, other)
        return
    room = layout.size * other.cosize
    yield Line(0, f"the room that {layout} leaves in {layout.size} * {other.cosize} = {room} elements:")
    yield from _under(_complement(layout, room))
    left = algebra.complement(layout, room)
    yield Line(0, f"composition of that, {left}, with {other}:")
    yield from _under(_composed(left, other))


def _by_pairs(layout: Layout, other: Layout) -> Lines:
    yield from _logical_product(layout, other)
    yield Line(0, "mode by mode, what is repeated and its repetitions are put together")


def _right_inverse(layout: Layout) -> Lines:
    yield from _chain([(leaf.stride, leaf.extent, leaf.place) for leaf in inverse.placed(layout)])


def _chain(leaves: list[tuple[int, int, int]]) -> Lines:
    covered = 1
    for stride, extent, place in leaves:
        if stride == covered:
            yield Line(
                0, f"{extent}:{stride} goes on at {covered}; its coordinates are {place} apart: {extent}:{place}"
            )
            covered *= extent
        else:
            yield Line(0, f"{extent}:{stride} does not go on at {covered}, and is skipped")


def _left_inverse(layout: Layout) -> Lines:
    last = inverse.Placed(1, 1, 0)
    for leaf in inverse.placed(layout):
        if inverse.in_the_way(last, leaf):
            yield Line(0, f"{leaf.extent}:{leaf.stride} is in the way of {last.extent}:{last.stride}")
            return
        if leaf.stride > last.stride:
            found = f"{leaf.stride // last.stride}:{last.place}"
            yield Line(0, f"up to {leaf.extent}:{leaf.stride} there are {leaf.stride // last.stride} places: {found}")
        last = leaf
    yield Line(0, f"the last has {last.extent}: {last.extent}:{last.place}")


def _max_common_layout(a: Layout, b: Layout) -> Lines:
    shared = list(inverse.common_leaves(a, b))
    for leaf in shared:
        yield Line(0, f"from coordinate {leaf.place} on, both have {leaf.extent}:{leaf.stride}")
    yield from _chain([(leaf.stride, leaf.extent, leaf.place) for leaf in inverse.in_order(shared)])


def _leaf_by_leaf(operation: Callable[..., Layout]) -> Callable[..., Lines]:
    def lines(layout: Layout, *arguments: int) -> Lines:
        found = operation(layout, *arguments)
        for before, after in zip(layout.leaves, found.leaves, strict=True):
            yield Line(0, f"{_written(before)} becomes {_written(after)}")

    return lines


DERIVATIONS: dict[str, Callable[..., Lines]] = {
    "blocked_product": _by_pairs,
    "coalesce": _coalesce,
    "complement": _complement,
    "composition": _composition,
    "downcast": _leaf_by_leaf(recasting.downcast),
    "left_inverse": _left_inverse,
    "logical_divide": _logical_divide,
    "logical_product": _logical_product,
    "max_common_layout": _max_common_layout,
    "raked_product": _by_pairs,
    "recast": _leaf_by_leaf(recasting.recast),
    "right_inverse": _right_inverse,
    "upcast": _leaf_by_leaf(recasting.upcast),
    **dict.fromkeys(
        ("zipped_divide", "tiled_divide", "flat_divide"), _arranged(tiling.logical_divide, _logical_divide)
    ),
    **dict.fromkeys(
        ("zipped_product", "tiled_product", "flat_product"), _arranged(tiling.logical_product, _logical_product)
    ),
}
"""By name of the operation: what yields its steps."""
