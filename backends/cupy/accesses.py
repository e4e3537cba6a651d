"""The width of the memory accesses of a kernel, and the loops over accesses that copy or fill all items."""

import math
from collections.abc import Iterable

from accel.abc import Leaf, Plan, Swizzling

__all__ = [
    "TILES",
    "are_long_rows",
    "in_accesses",
    "in_pieces",
    "in_stores",
    "is_tiled",
    "outside",
    "row_bytes",
    "size_of",
    "word_of",
]


TILES = {1: (128, 128), 2: (128, 64), 4: (64, 64), 8: (64, 32), 16: (32, 32)}
"""Items of a tile along the loops that are contiguous in the target and in the source: 16 KiB in all."""
_LEAST = 64
"""Bytes of a tile's shorter side from which on most of the bytes read from memory are used."""
_FILLED = 1 / 4
"""The share of a tile from which on its threads have enough in flight."""
_LONG = 512
"""Bytes of a row from which on its ends, which are copied item by item, are the smaller part."""
_WORDS = {1: (8, 4), 2: (8, 4), 4: (16, 8), 8: (16,)}
"""The widths of words that a transpose takes several items at once by, for each itemsize, the widest first."""


def word_of(plan: Plan, aligned: int) -> int:
    """Return the bytes of the words by which the tiles of a transpose are read and written.

    All words of rows have to be aligned, and rows contain whole words; ``aligned`` is the alignment of the operands.
    """
    a, b = plan.tile or (0, 0)
    into = [leaf.target_stride for i, leaf in enumerate(plan.leaves) if i != a]
    out_of = [leaf.source_stride for i, leaf in enumerate(plan.leaves) if i != b]
    rows = [plan.leaves[i].extent * plan.itemsize for i in (a, b)]
    common = math.gcd(aligned, plan.target_start, plan.source_start, *into, *out_of, *rows)
    return next((word for word in _WORDS.get(plan.itemsize, ()) if common % word == 0), plan.itemsize)


def in_accesses(plan: Plan) -> tuple[int, list[Leaf]]:
    """Return the bytes of an access, and the loops over accesses."""
    width, pieces = in_pieces(plan)
    leaves = list(plan.leaves)
    if plan.kind in ("memcpy", "rows"):
        width = plan.vector
        pieces = (leaves.pop().extent if leaves else 1) * plan.itemsize // width
    elif plan.tile is not None:
        # With the plane's loops last, neighbouring threads access several short rows, each of them completely.
        leaves = [*outside(plan), *sorted([leaves[i] for i in plan.tile], reverse=True)]
    return width, [*leaves, Leaf(pieces, width, width)] if pieces != 1 else leaves


def outside(plan: Plan) -> list[Leaf]:
    """Return the loops outside of the plane of a transpose."""
    return [leaf for i, leaf in enumerate(plan.leaves) if i not in (plan.tile or ())]


def is_tiled(plan: Plan) -> bool:
    """Return whether a copy is a transpose whose tiles are filled for the most part."""
    if plan.tile is None or plan.vector < plan.itemsize:
        return False
    extents = [plan.leaves[i].extent for i in plan.tile]
    sides = TILES[plan.itemsize]
    filled = [extent / (-(-extent // side) * side) for extent, side in zip(extents, sides, strict=True) if extent]
    return min(extents) * plan.itemsize >= _LEAST and math.prod(filled) >= _FILLED


def are_long_rows(plan: Plan) -> bool:
    """Return whether a copy is one of long rows that are not aligned to the widest access."""
    return plan.kind in {"memcpy", "rows"} and plan.vector < 16 and row_bytes(plan) >= _LONG


def row_bytes(plan: Plan) -> int:
    """Return the bytes of the last loop, which is contiguous at both ends."""
    return (plan.leaves[-1].extent if plan.leaves else 1) * plan.itemsize


def in_pieces(plan: Plan) -> tuple[int, int]:
    """Return the bytes of an access, and the accesses of an item."""
    width = min(plan.vector, plan.itemsize)
    return width, plan.itemsize // width


def size_of(leaves: Iterable[Leaf]) -> int:
    """Return the product of the loops' extents."""
    return math.prod([leaf.extent for leaf in leaves])


def _filled(extents: Iterable[int], strides: Iterable[int]) -> list[Leaf]:
    """Return the loops over the elements, merged where they are contiguous, the slowest first."""
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
    """Return the bytes of the widest store that is always aligned, and the loops over stores or elements of a fill.

    The loops are over stores if these are wider than an element.

    Parameters
    ----------
    extents, strides : iterable of int
        The axes of the elements, strides in bytes.
    itemsize, aligned : int
        Bytes of an element, and the alignment in bytes of the first address.
    swizzling : Swizzling or None
        The change of offsets, if any.
    apart : bool
        Whether an offset table places each element separately.
    """
    leaves, run = _filled(extents, strides), itemsize
    steps = [leaf.target_stride for leaf in leaves]
    if not apart and swizzling is None and steps[-1:] == [itemsize]:
        run *= leaves[-1].extent
        steps.pop()
    swizzle = (0, 0) if swizzling is None else (swizzling.offset, _mixed_into(swizzling))
    width = math.gcd(16, aligned, run, *steps, *swizzle)
    if width > itemsize:
        leaves[-1] = Leaf(run // width, width, 0)
    return width, leaves


def _mixed_into(swizzling: Swizzling) -> int:
    """Return the bits that a swizzle may change."""
    mask, shift, _ = swizzling
    return mask >> shift if shift >= 0 else mask << -shift
