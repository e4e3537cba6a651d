"""The planner: expresses a copy as the fewest loops over the largest items, with integers alone.

The n-th element of one operand is paired with the n-th element of the other. If their loops have a common refinement,
one nest of loops visits all pairs. The order of a copy does not matter, so its loops are then sorted by the target's
strides, and neighbouring loops are merged where one continues the other at both ends.
"""

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from accel.abc import CacheEviction, Fill, Kind, Leaf, Operand, Plan
from accel.copies.elements import CACHED, Axes, OffsetTable
from accel.copies.injectivity import refuse_repeated_bytes, refuse_repeats_in_table
from accel.copies.overlap import byte_range, leaves_of, share_bytes
from accel.errors import LayoutError

__all__ = ["Mask", "fewest_loops", "hiding", "loops_of", "plan", "walked_together"]

_WIDEST = 16
"""Bytes of the widest access that any device has."""

_NORMAL = CacheEviction.NORMAL  # an enum's member costs more to reach than a global


class Mask(NamedTuple):
    """Which elements of a source are read.

    Attributes
    ----------
    bound : int
        Elements whose distance in bytes from the operand's start is at least this are not read.
    fill : Fill
        What is written to the target instead of them.
    """

    bound: int
    fill: Fill = Fill.NONE


def plan(
    target: Operand, source: Operand, *, mask: Mask | None = None, eviction: CacheEviction = CacheEviction.NORMAL
) -> Plan:
    """Plan how the elements of one operand are copied to another, paired in C order.

    Parameters
    ----------
    target, source : Operand
        Of equal size and dtype; their extents may differ.
    mask : Mask, optional
        Which elements of the source are read; all by default.
    eviction : CacheEviction
        A hint for the cache about the source.

    Returns
    -------
    Plan
        With as few loops as possible, the slowest first.

    Raises
    ------
    OverlapError
        If the target names a byte twice.
    LayoutError
        If no loops visit all pairs, because the extents have no common refinement.
    ValueError
        If the sizes differ.
    """
    if math.prod(target.extents) != math.prod(source.extents):
        raise ValueError(f"extents {source.extents} and {target.extents} have different sizes; they must be equal")
    if target.table is None:
        refuse_repeated_bytes(leaves_of(target), target.dtype.itemsize)
    else:
        refuse_repeats_in_table(target.table)
    planned = loops_of(target, source, mask, eviction)
    if planned is None:
        raise LayoutError(
            f"extents {source.extents} and {target.extents} have no common refinement, so that no loops walk both; "
            f"copy to contiguous memory first, and from there"
        )
    return planned


def hiding(table: OffsetTable, unswizzled: OffsetTable, itemsize: int, mask: Mask) -> tuple[OffsetTable, Mask]:
    """Return a table of swizzled offsets, and a mask for it that hides the elements that the given mask hides.

    A bound applies to offsets before the swizzle, and the table contains offsets after it. So hidden elements get an
    offset beyond all others, which becomes the bound.
    """
    beyond = int(table.max()) + 1
    hidden = unswizzled * itemsize >= mask.bound
    return np.where(hidden, beyond, table), mask._replace(bound=beyond * itemsize)


def loops_of(
    target: Operand, source: Operand, mask: Mask | None = None, eviction: CacheEviction = CacheEviction.NORMAL
) -> Plan | None:
    """Return the plan for operands that were checked before; None if no loops visit all pairs."""
    into, out_of = byte_range(target), byte_range(source)
    shared = share_bytes(target, source, into, out_of)
    farthest = max(-into.low, into.high, -out_of.low, out_of.high)
    index_bits = 64 if farthest >= 1 << 31 else 32
    origins = into.address | out_of.address
    for operand in (target, source):
        if operand.swizzle is not None:
            origins |= operand.swizzle.offset
    aligned = math.gcd(origins, _WIDEST)
    planned: Plan | None
    if target.table is not None or source.table is not None:
        planned = _through_tables(target, source, aligned)._replace(buffered=shared, index_bits=index_bits)
    else:
        plain = mask is None and target.dtype == source.dtype and target.swizzle is None and source.swizzle is None
        axes = (target.extents, target.strides), (source.extents, source.strides)
        planned = walked_together(*axes, target.dtype.itemsize, aligned, plain, shared, index_bits)
    if planned is None or (mask is None and eviction is _NORMAL):
        return planned
    return _masked(planned, mask, eviction)


def _masked(planned: Plan, mask: Mask | None, eviction: CacheEviction) -> Plan:
    if mask is not None:
        planned = planned._replace(bound=mask.bound, fill=mask.fill)
    return planned._replace(eviction=eviction)


def fewest_loops(operand: Operand) -> Operand:
    """Describe elements whose order does not matter by as few loops as possible, all with positive strides."""
    if operand.table is not None or operand.swizzle is not None:
        return operand
    axes = operand.extents, operand.strides
    loops = walked_together(axes, axes, operand.dtype.itemsize, 1, False, False, 64)
    assert loops is not None, "every list of leaves is a refinement of itself"
    return operand._replace(
        start=operand.start + loops.target_start, extents=loops.extents, strides=loops.target_strides
    )


def _through_tables(target: Operand, source: Operand, aligned: int) -> Plan:
    size = math.prod(target.extents)
    loop = Leaf(size, _single_stride(target), _single_stride(source))
    itemsize = target.dtype.itemsize
    return Plan((loop,), itemsize, "table", vector=math.gcd(aligned, itemsize))


def _single_stride(operand: Operand) -> int:
    loops = _merged(_alone((operand.extents, operand.strides)))
    assert len(loops) < 2, "an operand is paired with a table element by element"
    return loops[0].target_stride if loops and operand.table is None else 0


@lru_cache(CACHED)
def walked_together(
    target: Axes,
    source: Axes,
    itemsize: int,
    aligned: int,
    plain: bool,
    shared: bool,
    index_bits: int,
) -> Plan | None:
    """Return the plan for axes of equal size, or None if no loops visit all pairs.

    ``aligned`` is the largest power of two, up to the widest access, that divides both start addresses. ``plain``
    copies have no cast, swizzle or mask: only their elements can be moved several at a time.
    """
    pairs = _refined(_merged(_alone(target)), _merged(_alone(source)))
    if pairs is None:
        return None
    loops, starts = _forwards(pairs)
    rising = _merged(sorted(loops, key=lambda leaf: (leaf.target_stride, abs(leaf.source_stride))))
    item, rising = _folded(rising, itemsize, aligned) if plain else (itemsize, rising)
    leaves = tuple(reversed(rising))
    kind, tile = _kind(leaves, item) if plain else ("gather", None)
    vector = _vector(leaves, item, aligned, starts, in_pieces=kind in {"memcpy", "rows"})
    return Plan(leaves, item, kind, *starts, tile, vector, index_bits, shared)


def _alone(axes: Axes) -> Iterator[Leaf]:
    return (Leaf(extent, stride, stride) for extent, stride in zip(*(axis[::-1] for axis in axes), strict=True))


def _merged(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the fewest leaves of the same offsets in order: ``[]`` for one element, a leaf of extent 0 for none."""
    merged: list[Leaf] = []
    for leaf in leaves:
        if leaf.extent == 0:
            return [Leaf(0, 0, 0)]
        if leaf.extent == 1:
            continue
        if merged and _goes_on(merged[-1], leaf):
            merged[-1] = merged[-1]._replace(extent=merged[-1].extent * leaf.extent)
        else:
            merged.append(leaf)
    return merged


def _goes_on(inner: Leaf, outer: Leaf) -> bool:
    return (
        outer.target_stride == inner.extent * inner.target_stride
        and outer.source_stride == inner.extent * inner.source_stride
    )


def _refined(target: list[Leaf], source: list[Leaf]) -> list[Leaf] | None:
    """Return the common refinement of two lists of leaves, the fastest first; None if there is none."""
    refined: list[Leaf] = []
    ours, theirs = target[::-1], source[::-1]
    while ours and theirs:
        mine, other = ours.pop(), theirs.pop()
        extent = min(mine.extent, other.extent)
        if extent and (mine.extent % extent or other.extent % extent):
            return None
        refined.append(Leaf(extent, mine.target_stride, other.source_stride))
        ours += _rest(mine, extent)
        theirs += _rest(other, extent)
    return refined


def _rest(leaf: Leaf, extent: int) -> list[Leaf]:
    """Return the outer part of a leaf whose inner part is a loop of so many steps."""
    if leaf.extent == extent:
        return []
    return [Leaf(leaf.extent // extent, leaf.target_stride * extent, leaf.source_stride * extent)]


def _forwards(pairs: list[Leaf]) -> tuple[list[Leaf], tuple[int, int]]:
    """Return loops with positive strides in the target, and the offset of the first item at both ends."""
    into = out_of = 0
    loops = []
    for extent, target, source in pairs:
        if target < 0:
            into += (extent - 1) * target
            out_of += (extent - 1) * source
            loops.append(Leaf(extent, -target, -source))
        else:
            loops.append(Leaf(extent, target, source))
    return loops, (into, out_of)


def _folded(rising: list[Leaf], itemsize: int, aligned: int) -> tuple[int, list[Leaf]]:
    """Return larger items and the loops over them, if the innermost loop is contiguous and no larger than an access."""
    if len(rising) > 1 and rising[0][1:] == (itemsize, itemsize):
        piece = rising[0].extent * itemsize
        if _aligned_to(rising[1:], aligned) % piece == 0:
            return piece, rising[1:]
    return itemsize, rising


def _aligned_to(leaves: Iterable[Leaf], aligned: int) -> int:
    """Return the largest power of two that divides both the alignment of the starts and all strides."""
    return math.gcd(aligned, *[stride for leaf in leaves for stride in leaf[1:]])


def _kind(leaves: tuple[Leaf, ...], itemsize: int) -> tuple[Kind, tuple[int, int] | None]:
    if not leaves or not leaves[0].extent:
        return "memcpy", None
    last = len(leaves) - 1
    if leaves[last][1:] == (itemsize, itemsize):
        return ("rows" if last else "memcpy"), None
    if leaves[last].target_stride == itemsize:
        for number, leaf in enumerate(leaves):
            if leaf.source_stride == itemsize:
                return "transpose", (last, number)
    return "gather", None


def _vector(leaves: tuple[Leaf, ...], itemsize: int, aligned: int, starts: tuple[int, int], *, in_pieces: bool) -> int:
    """Return the width in bytes of the widest aligned access."""
    steps = leaves[:-1] if in_pieces else leaves
    piece = leaves[-1].extent * itemsize if in_pieces and leaves else itemsize
    return _aligned_to(steps, math.gcd(aligned, piece, *starts))
