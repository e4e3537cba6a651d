"""The steps by which operations reach their results: each generator below yields those of one operation.

They call the same functions as the operations themselves, so the steps are those that were taken.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from accel.layout import algebra, inverse, recasting, tiling
from accel.layout.composition import CAP, Step, by_rule, coalesced, factored, split, unbounded
from accel.layout.coordinates import Leaf, evaluated
from accel.layout.int_tuple import product
from accel.layout.layout import Layout, joined
from accel.layout.tilers import ByMode, Tiler, tiler_text

__all__ = ["DERIVATIONS", "Line"]

_SHOWN = 8


class Line(NamedTuple):
    """One step: its nesting depth and its text."""

    depth: int
    text: str


Lines = Iterator[Line]


def _indented(lines: Lines) -> Lines:
    return (Line(line.depth + 1, line.text) for line in lines)


def _written(leaf: Leaf) -> str:
    return f"{leaf[0]}:{leaf[1]}"


def _coalesce(layout: Layout, profile: Any = None) -> Lines:
    if isinstance(profile, tuple):
        for k, part in enumerate(profile):
            yield Line(0, f"mode {k}, {layout.mode(k)}:")
            yield from _indented(_coalesce(layout.mode(k), part))
        return
    result: list[Leaf] = []
    for leaf in layout.leaves:
        merged = list(coalesced([*result, leaf]))
        if leaf[0] == 1:
            yield Line(0, f"{_written(leaf)} has one element and is dropped")
        elif leaf[0] == 0:
            yield Line(0, f"{_written(leaf)} has no elements, so neither has the result")
            return
        elif result and len(merged) == len(result):
            extent, stride = result[-1]
            reason = f"because {extent} * {stride} = {leaf[1]}"
            yield Line(0, f"{_written(leaf)} continues {extent}:{stride}, {reason}: merged into {_written(merged[-1])}")
        else:
            yield Line(0, f"{_written(leaf)} is kept")
        result = merged


def _composition(a: Layout, b: Tiler) -> Lines:
    if isinstance(b, Layout):
        yield from _composed(a, b)
    else:
        yield from _by_mode(_composition, a, b)


def _by_mode(derivation: Callable[[Layout, Any], Lines], layout: Layout, tiler: ByMode) -> Lines:
    for k in range(layout.rank):
        part = tiler[k] if k < len(tiler) else None
        if part is None:
            yield Line(0, f"mode {k}, {layout.mode(k)}, is unchanged")
        else:
            yield Line(0, f"mode {k}, {layout.mode(k)}, with {tiler_text(part)}:")
            yield from _indented(derivation(layout.mode(k), part))


def _composed(a: Layout, b: Layout) -> Lines:
    outer = unbounded(a.leaves)
    yield Line(0, f"A coalesced is {algebra.of_leaves(outer)}; its last mode continues beyond its extent")
    for leaf in b.leaves:
        yield from _leaf(outer, leaf)
    if by_rule(outer, b.leaves) is None:
        yield from _table(outer, b)
    elif len(b.leaves) > 1 and len(outer) > 1:
        yield Line(
            0, "the leaves together never carry from one mode of A into the next, so their results are put side by side"
        )


def _leaf(outer: tuple[Leaf, ...], leaf: Leaf) -> Lines:
    steps: list[Step] = []
    emitted = split(outer, leaf, [0] * len(outer), steps)
    end = "" if emitted is None else f": {' and '.join(map(_written, emitted))}"
    yield Line(0, f"leaf {_written(leaf)} of B{end}")
    for step in steps:
        yield Line(1, _step_text(step, outer))
    if emitted is None:
        mode, rest = outer[len(steps)], _remaining(steps, leaf, outer)
        where = f"{_written(rest)} at {_written(mode)} of A"
        yield Line(1, f"{where}: neither stays inside this mode nor covers it in whole steps")


def _remaining(steps: list[Step], leaf: Leaf, outer: tuple[Leaf, ...]) -> Leaf:
    """Return what remains of a leaf of B after some steps."""
    if not steps:
        return leaf
    last = steps[-1]
    if last.emitted is None:
        return last.leaf[0], last.leaf[1] // outer[last.mode][0]
    return last.leaf[0] // last.emitted[0], 1


def _step_text(step: Step, outer: tuple[Leaf, ...]) -> str:
    (extent, stride), (size, there) = step.leaf, outer[step.mode]
    where = f"{extent}:{stride} at {size}:{there} of A"
    if step.emitted is None:
        return f"{where}: {stride} is a multiple of {size}, so it skips this mode; {extent}:{stride // size} remains"
    emitted = _written(step.emitted)
    if step.emitted[0] == extent:
        return f"{where}: stays inside this mode, so its stride is {stride} * {there}: {emitted}"
    count, rest = step.emitted[0], extent // step.emitted[0]
    return f"{where}: {count} steps of {stride} cover this mode, {emitted}; {rest}:1 remains"


def _table(outer: tuple[Leaf, ...], b: Layout) -> Lines:
    yield Line(0, "the fast rule does not apply, so the values decide")
    if b.size > CAP:
        yield Line(1, f"there are {b.size} values, and at most {CAP} are examined")
        return
    for extent, stride in b.leaves:
        values = [evaluated(outer, i * stride) for i in range(extent)]
        shown = ", ".join(map(str, values[:_SHOWN])) + (", ..." if extent > _SHOWN else "")
        yield Line(1, f"leaf {extent}:{stride} has the values {shown}: {_factors_text(factored(values))}")


def _factors_text(factors: list[Leaf] | int) -> str:
    if isinstance(factors, int):
        return f"no layout has them from index {factors} on"
    return " and ".join(map(_written, factors)) or "1:0"


def _complement(layout: Layout, size: Any = None) -> Lines:
    least = layout.cosize if size is None else product(size)
    leaves = sorted((stride, extent) for extent, stride in layout.leaves if extent > 1 and stride)
    spanned = 1
    for stride, extent in leaves:
        if stride < 0 or stride % spanned:
            yield Line(0, f"the stride of {extent}:{stride} is no positive multiple of {spanned}, the span so far")
            return
        hole = f"a hole before it, filled by {stride // spanned}:{spanned}" if stride > spanned else "no hole before it"
        yield Line(0, f"{extent}:{stride} leaves {hole}; the span is now {stride * extent}")
        spanned = stride * extent
    count = -(-least // spanned)
    yield Line(0, f"{count} * {spanned} reaches {least}: {count}:{spanned}")


def _logical_divide(layout: Layout, tiler: Tiler) -> Lines:
    if not isinstance(tiler, Layout):
        yield from _by_mode(_logical_divide, layout, tiler)
        return
    yield Line(0, f"the complement of {tiler} in {layout.size} elements, which steps from tile to tile:")
    yield from _indented(_complement(tiler, layout.size))
    rest = algebra.complement(tiler, layout.size)
    both = joined([tiler, rest])
    yield Line(0, f"composition of {layout} with the tile and this complement, {both}:")
    yield from _indented(_composed(layout, both))
    past = sum(tiling.overhang(layout, tiler))
    if past:
        yield Line(0, f"the tiles do not divide the layout: they reach {past} elements past the end")


def _arranged(
    logical: Callable[[Layout, Any], Layout], derivation: Callable[[Layout, Any], Lines]
) -> Callable[..., Lines]:
    def lines(layout: Layout, tiler: Tiler) -> Lines:
        yield from derivation(layout, tiler)
        yield Line(0, f"the modes of {logical(layout, tiler)} are rearranged")

    return lines


def _logical_product(layout: Layout, other: Tiler) -> Lines:
    if not isinstance(other, Layout):
        yield from _by_mode(_logical_product, layout, other)
        return
    size = layout.size * other.cosize
    yield Line(0, f"the complement of {layout} in {layout.size} * {other.cosize} = {size} elements:")
    yield from _indented(_complement(layout, size))
    rest = algebra.complement(layout, size)
    yield Line(0, f"composition of this complement, {rest}, with {other}:")
    yield from _indented(_composed(rest, other))


def _by_pairs(layout: Layout, other: Layout) -> Lines:
    yield from _logical_product(layout, other)
    yield Line(0, "each mode of the repeated layout is paired with the same mode of the repetitions")


def _right_inverse(layout: Layout) -> Lines:
    yield from _chain([(leaf.stride, leaf.extent, leaf.place) for leaf in inverse.placed(layout)])


def _chain(leaves: list[tuple[int, int, int]]) -> Lines:
    covered = 1
    for stride, extent, place in leaves:
        if stride == covered:
            yield Line(
                0, f"{extent}:{stride} continues at {covered}; its coordinates are {place} apart: {extent}:{place}"
            )
            covered *= extent
        else:
            yield Line(0, f"{extent}:{stride} does not continue at {covered} and is skipped")


def _left_inverse(layout: Layout) -> Lines:
    last = inverse.Placed(1, 1, 0)
    for leaf in inverse.placed(layout):
        if inverse.overlaps(last, leaf):
            end = f"{last.stride * last.extent} on, where {last.extent}:{last.stride} ends"
            yield Line(0, f"the stride of {leaf.extent}:{leaf.stride} is no multiple of {last.stride} from {end}")
            return
        if leaf.stride > last.stride:
            count = leaf.stride // last.stride
            yield Line(
                0, f"below the stride of {leaf.extent}:{leaf.stride} there are {count} steps: {count}:{last.place}"
            )
        last = leaf
    yield Line(0, f"the last leaf has {last.extent} steps: {last.extent}:{last.place}")


def _max_common_layout(a: Layout, b: Layout) -> Lines:
    shared = list(inverse.common_leaves(a, b))
    for leaf in shared:
        yield Line(0, f"from coordinate {leaf.place} on, both have {leaf.extent}:{leaf.stride}")
    yield from _chain([(leaf.stride, leaf.extent, leaf.place) for leaf in inverse.in_order(shared)])


def _leaf_by_leaf(operation: Callable[..., Layout]) -> Callable[..., Lines]:
    def lines(layout: Layout, *arguments: int) -> Lines:
        result = operation(layout, *arguments)
        for before, after in zip(layout.leaves, result.leaves, strict=True):
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
"""Maps the name of an operation to the generator of its steps."""
