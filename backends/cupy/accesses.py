"""How items are read and written: in accesses of a width that is aligned everywhere, by loops over them."""

import math
from collections.abc import Iterable

from accel.abc import Leaf, Plan, Swizzling

__all__ = ["in_accesses", "in_pieces", "in_stores", "outside", "packable", "shorter_side", "size_of"]


def packable(plan: Plan, target_address: int, source_address: int) -> bool:
    """Tell whether small items of a transpose can be read and written as words of 4 bytes."""
    if plan.kind != "transpose" or plan.itemsize >= 4:
        return False
    a, b = plan.tile or (None, None)
    into = [leaf.target_stride for i, leaf in enumerate(plan.leaves) if i != a]
    out_of = [leaf.source_stride for i, leaf in enumerate(plan.leaves) if i != b]
    starts = (target_address + plan.target_start, source_address + plan.source_start)
    return math.gcd(4, *starts, *into, *out_of) == 4


def in_accesses(plan: Plan) -> tuple[int, list[Leaf]]:
    """Return the bytes of an access, and the loops over accesses."""
    width, pieces = in_pieces(plan)
    leaves = list(plan.leaves)
    if plan.kind in ("memcpy", "rows"):
        width = plan.vector
        pieces = (leaves.pop().extent if leaves else 1) * plan.itemsize // width
    elif plan.tile is not None:
        # Neighbouring threads then touch several short rows, but of each all bytes.
        leaves = [*outside(plan), *sorted([leaves[i] for i in plan.tile], reverse=True)]
    return width, [*leaves, Leaf(pieces, width, width)] if pieces != 1 else leaves


def outside(plan: Plan) -> list[Leaf]:
    """Return the loops around the plane that a transpose turns."""
    return [leaf for i, leaf in enumerate(plan.leaves) if i not in (plan.tile or ())]


def shorter_side(plan: Plan) -> int:
    """Return how many items the plane that a transpose turns has on its shorter side."""
    return min([plan.leaves[i].extent for i in plan.tile or ()])


def in_pieces(plan: Plan) -> tuple[int, int]:
    """Return the bytes of an access, and how many an item takes."""
    width = min(plan.vector, plan.itemsize)
    return width, plan.itemsize // width


def size_of(leaves: Iterable[Leaf]) -> int:
    """Return how many steps loops have together."""
    return math.prod([leaf.extent for leaf in leaves])


def _filled(extents: Iterable[int], strides: Iterable[int]) -> list[Leaf]:
    """Return the loops over elements, as few as there can be, the slowest first."""
    leaves: list[Leaf] = []
    for stride, extent in sorted(zip(strides, extents, strict=True), key=lambda axis: -abs(axis[0])):
        run = extent
        if leaves and leaves[-1].target_stride == extent * stride:
            run *= leaves.pop().extent
        if run != 1:
            leaves.append(Leaf(run, stride, 0))
    return leaves


def in_stores(
    extents: Iterable[int],
    strides: Iterable[int],
    itemsize: int,
    aligned: int,
    swizzling: Swizzling | None,
    *,
    apart: bool,
) -> tuple[int, list[Leaf]]:
    """Return the bytes of the widest store that is aligned everywhere, and the loops over them, or over elements.

    Parameters
    ----------
    extents, strides : iterable of int
        The axes of the elements, in bytes.
    itemsize, aligned : int
        Bytes of an element, and what the first address is a multiple of.
    swizzling : Swizzling or None
        What becomes of their distances.
    apart : bool
        Whether each lies wherever a table says.
    """
    leaves, run = _filled(extents, strides), itemsize
    steps = [leaf.target_stride for leaf in leaves]
    if not apart and swizzling is None and steps[-1:] == [itemsize]:
        run *= leaves[-1].extent
        steps.pop()
    moved = (0, 0) if swizzling is None else (swizzling.offset, _mixed_into(swizzling))
    width = math.gcd(16, aligned, run, *steps, *moved)
    if width > itemsize:
        leaves[-1] = Leaf(run // width, width, 0)
    return width, leaves


def _mixed_into(swizzling: Swizzling) -> int:
    """Return the bits that a swizzle may change."""
    mask, shift, _ = swizzling
    return mask >> shift if shift >= 0 else mask << -shift
