"""Other layouts of the same cells: transpose, reshape, composition, coalesce."""

from functools import lru_cache
from typing import Any

from accel.copies.offset_ranges import offset_range, swept
from accel.errors import LayoutError
from accel.layout import Layout, coalesce
from accel.layout.coordinates import Leaf
from accel.layout.layout import as_layout, joined
from accel.views.geometry import CACHED, Geometry, normalized

__all__ = ["coalesced", "composed", "reshaped", "transposed"]


@lru_cache(CACHED)
def transposed(geometry: Geometry) -> Geometry:
    """Return the geometry with its two modes exchanged.

    Raises
    ------
    LayoutError
        If there are not two modes.
    """
    if geometry.rank != 2:
        raise LayoutError(
            f"transpose exchanges two modes; {geometry.layout} has {geometry.rank}: "
            f"write xp.permute_dims(xp.asarray(t), axes)"
        )
    valid = None if geometry.valid is None else geometry.valid[::-1]
    return geometry.with_layout(joined(map(normalized, reversed(geometry.modes))), valid, geometry.padded)


def reshaped(geometry: Geometry, layout: Any) -> Geometry:
    """Return the geometry with another layout of the same cells, from the same first element.

    Raises
    ------
    LayoutError
        If the layout addresses other cells, or the tensor is masked.
    """
    _refuse_masked(geometry, "reshape")
    wanted = as_layout(layout)
    if not _same_cells(geometry.layout, wanted):
        raise LayoutError(
            f"{wanted} does not address the same cells as {geometry.layout}; write t.composition(layout) for some of "
            f"them, or u.copy_from(t) for a tensor u with a contiguous layout"
        )
    return geometry.with_layout(wanted)


def composed(geometry: Geometry, layout: Any) -> Geometry:
    """Return the geometry of the elements at the indices that another layout gives.

    Raises
    ------
    LayoutError
        If an index is out of bounds, no layout describes the result, or the tensor is masked.
    """
    _refuse_masked(geometry, "composition")
    inner = as_layout(layout)
    if inner.size:
        ends = [(extent - 1) * stride for extent, stride in inner.leaves]
        low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
        if low < 0 or high >= geometry.layout.size:
            raise LayoutError(
                f"{inner} gives indices from {low} to {high}, and {geometry.layout} has the indices 0 to "
                f"{geometry.layout.size - 1}; compose with a layout that stays inside"
            )
    return geometry.with_layout(geometry.layout @ inner)


def coalesced(geometry: Geometry, keep_rank: bool) -> Geometry:
    """Return the geometry with the fewest modes in the same order; with ``keep_rank``, the fewest leaves in each mode.

    Raises
    ------
    LayoutError
        If modes of a masked tensor would be merged.
    """
    if keep_rank:
        modes = [coalesce(mode) if isinstance(mode.shape, tuple) else mode for mode in geometry.modes]
        return geometry.with_layout(joined(modes), geometry.valid, geometry.padded)
    _refuse_masked(geometry, "coalesce")
    return geometry.with_layout(coalesce(geometry.layout))


def _refuse_masked(geometry: Geometry, what: str) -> None:
    if geometry.valid is not None:
        raise LayoutError(
            f'Masked tensor does not support {what}. Take the tile with tail="shrink", or write t.to_numpy()'
        )


def _same_cells(one: Layout, other: Layout) -> bool:
    """Tell whether two layouts address the same cells, in any order."""
    first, second = _normal(one), _normal(other)
    if first == second:
        return True
    if not (one.size and other.size) or (_strides_nest(first[1]) and _strides_nest(second[1])):
        return False
    # With equal bounds, a bitmap of the cells takes less memory than the storage itself.
    return offset_range(one.leaves)[1:] == offset_range(other.leaves)[1:] and _bitmap(first[1]) == _bitmap(second[1])


def _bitmap(leaves: tuple[Leaf, ...]) -> int:
    """Return the offsets of leaves with positive strides as a bitmap, one bit for each offset."""
    bitmap = 1
    for extent, stride in leaves:
        bitmap = swept(bitmap, stride, extent - 1)
    return bitmap


def _normal(layout: Layout) -> tuple[int, tuple[Leaf, ...]]:
    """Return the lowest offset, and coalesced leaves with ascending positive strides that address the same cells."""
    low, rising = 0, []
    for extent, stride in layout.leaves:
        low += min(0, (extent - 1) * stride)
        if stride:
            rising.append((abs(stride), extent))
    if not layout.size:
        return 0, ((0, 0),)
    ordered = joined([Layout.unchecked(extent, stride) for stride, extent in sorted(rising)])
    return low, coalesce(ordered).leaves if rising else ()


def _strides_nest(leaves: tuple[Leaf, ...]) -> bool:
    """Tell whether each stride exceeds the span of all smaller ones; no other such leaves have the same cells."""
    end = 0
    for extent, stride in leaves:
        if stride <= end:
            return False
        end += (extent - 1) * stride
    return True
