"""The same cells under another layout: transpose, reshape, composition, coalesce."""

from typing import Any

from accel.copies.offset_ranges import offset_range, swept
from accel.errors import LayoutError
from accel.layout import Layout, coalesce
from accel.layout.coordinates import Leaf
from accel.layout.layout import as_layout, joined
from accel.views.geometry import Geometry, bare

__all__ = ["coalesced", "composed", "reshaped", "transposed"]


def transposed(found: Geometry) -> Geometry:
    """Return the two modes exchanged.

    Raises
    ------
    LayoutError
        If there are not two.
    """
    if found.rank != 2:
        raise LayoutError(
            f"transpose exchanges two modes; {found.layout} has {found.rank}: "
            f"write xp.permute_dims(xp.asarray(t), axes)"
        )
    valid = None if found.valid is None else found.valid[::-1]
    return found.seen(joined(map(bare, reversed(found.modes))), valid, found.padded)


def reshaped(found: Geometry, layout: Any) -> Geometry:
    """Return another layout of the same cells, from the same first element.

    Raises
    ------
    LayoutError
        If the cells are not the same, or the tensor is masked.
    """
    _refuse_masked(found, "reshape")
    wanted = as_layout(layout)
    if not _same_cells(found.layout, wanted):
        raise LayoutError(
            f"{wanted} does not address the same cells as {found.layout}; write t.composition(layout) for some of "
            f"them, or u.copy_from(t) for a tensor u of a layout that has them one after another"
        )
    return found.seen(wanted)


def composed(found: Geometry, layout: Any) -> Geometry:
    """Return the elements at the integers that another layout gives.

    Raises
    ------
    LayoutError
        If it leaves the domain, no layout has these elements, or the tensor is masked.
    """
    _refuse_masked(found, "composition")
    inner = as_layout(layout)
    if inner.size:
        ends = [(extent - 1) * stride for extent, stride in inner.leaves]
        low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
        if low < 0 or high >= found.layout.size:
            raise LayoutError(
                f"{inner} goes from {low} to {high}, and {found.layout} has the coordinates 0 to "
                f"{found.layout.size - 1}; compose with a layout that stays inside"
            )
    return found.seen(found.layout @ inner)


def coalesced(found: Geometry, keep_rank: bool) -> Geometry:
    """Return the fewest modes with the same elements in the same order, or the fewest leaves in each mode.

    Raises
    ------
    LayoutError
        If modes of a masked tensor would become one.
    """
    if keep_rank:
        modes = [coalesce(mode) if isinstance(mode.shape, tuple) else mode for mode in found.modes]
        return found.seen(joined(modes), found.valid, found.padded)
    _refuse_masked(found, "coalesce")
    return found.seen(coalesce(found.layout))


def _refuse_masked(found: Geometry, what: str) -> None:
    if found.valid is not None:
        raise LayoutError(
            f'Masked tensor does not support {what}. Take the tile with tail="shrink", or write t.to_numpy()'
        )


def _same_cells(one: Layout, other: Layout) -> bool:
    first, second = _normal(one), _normal(other)
    if first == second:
        return True
    if not (one.size and other.size) or (_nests(first[1]) and _nests(second[1])):
        return False
    # Where both lie between the same ends, a bit for each place there is less than the storage has.
    return offset_range(one.leaves)[1:] == offset_range(other.leaves)[1:] and _places(first[1]) == _places(second[1])


def _places(leaves: tuple[Leaf, ...]) -> int:
    """Return the offsets that leaves with positive strides name, a bit for each."""
    places = 1
    for extent, stride in leaves:
        places = swept(places, stride, extent - 1)
    return places


def _normal(layout: Layout) -> tuple[int, tuple[Leaf, ...]]:
    """Return the lowest offset, and leaves that reach the same cells from there, by rising strides and merged."""
    low, rising = 0, []
    for extent, stride in layout.leaves:
        low += min(0, (extent - 1) * stride)
        if stride:
            rising.append((abs(stride), extent))
    if not layout.size:
        return 0, ((0, 0),)
    ordered = joined([Layout.made(extent, stride) for stride, extent in sorted(rising)])
    return low, coalesce(ordered).leaves if rising else ()


def _nests(leaves: tuple[Leaf, ...]) -> bool:
    """Tell whether each stride is longer than all that the smaller ones reach, so that only these leaves do so."""
    end = 0
    for extent, stride in leaves:
        if stride <= end:
            return False
        end += (extent - 1) * stride
    return True
