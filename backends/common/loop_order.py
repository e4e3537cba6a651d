"""Plans rewritten for the CPU: loops in the order of the target's memory, merged, or split into a buffered copy."""

from functools import lru_cache

from accel.abc import Leaf, Plan

__all__ = ["halves", "in_order"]


@lru_cache(1024)
def in_order(plan: Plan) -> Plan:
    """Return an equivalent plan with target strides of 0 or more, the loop with the largest first.

    Loops that are contiguous at both ends are merged. The operands must have no swizzle and no table.
    """
    into, out_of, leaves = plan.target_start, plan.source_start, []
    for extent, target_stride, source_stride in plan.leaves:
        if extent == 1:
            continue
        backward = (target_stride, source_stride) < (0, 0)
        if backward:
            into, out_of = into + (extent - 1) * target_stride, out_of + (extent - 1) * source_stride
        sign = -1 if backward else 1
        leaves.append(Leaf(extent, sign * target_stride, sign * source_stride))
    leaves.sort(key=lambda leaf: leaf[1:], reverse=True)
    return plan._replace(leaves=_merged(leaves), target_start=into, source_start=out_of)


def _merged(leaves: list[Leaf]) -> tuple[Leaf, ...]:
    merged: list[Leaf] = []
    for leaf in leaves:
        extent, target_stride, source_stride = leaf
        if merged and merged[-1][1:] == (extent * target_stride, extent * source_stride):
            merged[-1] = leaf._replace(extent=merged[-1].extent * extent)
        else:
            merged.append(leaf)
    return tuple(merged)


def halves(plan: Plan) -> tuple[Plan, Plan]:
    """Return a plan that copies the source to compact memory, and one that copies from there to the target."""
    there: list[Leaf] = []
    back: list[Leaf] = []
    stride = plan.itemsize
    for extent, into, out_of in reversed(plan.leaves):
        there.insert(0, Leaf(extent, stride, out_of))
        back.insert(0, Leaf(extent, into, stride))
        stride *= extent
    first = plan._replace(leaves=tuple(there), target_start=0, buffered=False)
    return first, plan._replace(leaves=tuple(back), source_start=0, buffered=False)
