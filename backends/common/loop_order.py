"""A plan's loops in the order in which memory is written, and as few as may be."""

from functools import lru_cache

from accel.abc import Leaf, Plan

__all__ = ["halves", "in_order"]


@lru_cache(1024)
def in_order(plan: Plan) -> Plan:
    """Return a plan of the same copy, for ends without swizzle and table, whose loops go up and down to the fastest.

    No step goes down in the target; the loops are sorted by its strides, and merged where both ends go on.
    """
    into, out_of, leaves = plan.target_start, plan.source_start, []
    for extent, step, origin in plan.leaves:
        if extent == 1:
            continue
        down = (step, origin) < (0, 0)
        if down:
            into, out_of = into + (extent - 1) * step, out_of + (extent - 1) * origin
        leaves.append(Leaf(extent, -step, -origin) if down else Leaf(extent, step, origin))
    leaves.sort(key=lambda leaf: leaf[1:], reverse=True)
    return plan._replace(leaves=_merged(leaves), target_start=into, source_start=out_of)


def _merged(leaves: list[Leaf]) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for leaf in leaves:
        extent, into, out_of = leaf
        if found and found[-1][1:] == (extent * into, extent * out_of):
            found[-1] = leaf._replace(extent=found[-1].extent * extent)
        else:
            found.append(leaf)
    return tuple(found)


def halves(plan: Plan) -> tuple[Plan, Plan]:
    """Return the plans that copy to compact memory, and from there: together a copy that reads all before it writes."""
    there: list[Leaf] = []
    back: list[Leaf] = []
    stride = plan.itemsize
    for extent, into, out_of in reversed(plan.leaves):
        there.insert(0, Leaf(extent, stride, out_of))
        back.insert(0, Leaf(extent, into, stride))
        stride *= extent
    first = plan._replace(leaves=tuple(there), target_start=0, buffered=False)
    return first, plan._replace(leaves=tuple(back), source_start=0, buffered=False)
