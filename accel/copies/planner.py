"""The planner: a copy as the fewest loops, found by integers alone.

Two lists of leaves name elements in pairs, the n-th with the n-th. Where they have a common refinement, one list of
loops walks both; as a copy has no order, its loops are then sorted by the target's strides and merged where both go on.
"""

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache

from accel.copies.distinct import refuse_repeated_bytes
from accel.copies.elements import CACHED, Leaves
from accel.errors import LayoutError
from accel.memory import Leaf, Operand, Plan

__all__ = ["leaves_of", "plan", "plan_leaves"]


def plan(target: Operand, source: Operand) -> Plan:
    """Plan how the elements of one operand are copied to another, paired in C order.

    Parameters
    ----------
    target, source : Operand
        Of equal size and itemsize; their extents may differ.

    Returns
    -------
    Plan
        The slowest loop first; of no more loops than needed.

    Raises
    ------
    OverlapError
        If the target names a byte twice.
    LayoutError
        If no loops walk both, because their extents have no common refinement.
    ValueError
        If the sizes differ.
    """
    if math.prod(target.extents) != math.prod(source.extents):
        raise ValueError(f"extents {source.extents} and {target.extents} have different sizes; they must be equal")
    itemsize = target.dtype.itemsize
    refuse_repeated_bytes(leaves_of(target), itemsize)
    found = plan_leaves(leaves_of(target), leaves_of(source), itemsize)
    if found is None:
        raise LayoutError(
            f"extents {source.extents} and {target.extents} have no common refinement, so that no loops walk both; "
            f"copy to contiguous memory first, and from there"
        )
    return found


def leaves_of(operand: Operand) -> Leaves:
    """Return the loops over an operand, the fastest first, with strides in bytes."""
    return tuple(zip(reversed(operand.extents), reversed(operand.strides), strict=True))


@lru_cache(CACHED)
def plan_leaves(target: Leaves, source: Leaves, itemsize: int) -> Plan | None:
    """Return the plan for leaves of equal size, or None if no loops walk both.

    Its strides are in the unit of theirs, and so is the itemsize.
    """
    pairs = _refined(_merged(_alone(target)), _merged(_alone(source)))
    if pairs is None:
        return None
    rising = sorted(pairs, key=lambda leaf: (abs(leaf.target_stride), abs(leaf.source_stride)))
    return Plan(tuple(reversed(_merged(rising))), itemsize)


def _alone(leaves: Leaves) -> Iterator[Leaf]:
    return (Leaf(extent, stride, stride) for extent, stride in leaves)


def _merged(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the fewest leaves that walk the same way: none for one element, and one of extent 0 for no elements."""
    found: list[Leaf] = []
    for leaf in leaves:
        if leaf.extent == 0:
            return [Leaf(0, 0, 0)]
        if leaf.extent == 1:
            continue
        if found and _goes_on(found[-1], leaf):
            found[-1] = found[-1]._replace(extent=found[-1].extent * leaf.extent)
        else:
            found.append(leaf)
    return found


def _goes_on(inner: Leaf, outer: Leaf) -> bool:
    return (
        outer.target_stride == inner.extent * inner.target_stride
        and outer.source_stride == inner.extent * inner.source_stride
    )


def _refined(target: list[Leaf], source: list[Leaf]) -> list[Leaf] | None:
    """Return the leaves that walk both, the fastest first; None if there are none."""
    found: list[Leaf] = []
    ours, theirs = target[::-1], source[::-1]
    while ours and theirs:
        mine, other = ours.pop(), theirs.pop()
        extent = min(mine.extent, other.extent)
        if extent and (mine.extent % extent or other.extent % extent):
            return None
        found.append(Leaf(extent, mine.target_stride, other.source_stride))
        ours += _rest(mine, extent)
        theirs += _rest(other, extent)
    return found


def _rest(leaf: Leaf, extent: int) -> list[Leaf]:
    """Return what is left of a leaf after an inner loop of so many steps."""
    if leaf.extent == extent:
        return []
    return [Leaf(leaf.extent // extent, leaf.target_stride * extent, leaf.source_stride * extent)]
