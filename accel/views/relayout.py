"""The same cells under another layout: transpose, reshape, composition, coalesce."""

from typing import Any

from accel.copies.reaching import reach, swept
from accel.errors import LayoutError
from accel.layout import Layout, coalesce
from accel.layout.coordinates import Leaf
from accel.layout.layout import as_layout, joined
from accel.views.geometry import Geometry, without_unit_extent

__all__ = ["coalesced", "composed", "reshaped", "transposed"]


def transposed(geometry: Geometry) -> Geometry:
    """Return the two modes exchanged.

    Raises
    ------
    LayoutError
        If there are not two.
    """
    if geometry.rank != 2:
        raise LayoutError(
            f"transpose exchanges two modes; {geometry.layout} has {geometry.rank}: "
            f"write xp.permute_dims(xp.asarray(t), axes)"
        )
    valid = None if geometry.valid is None else geometry.valid[::-1]
    return geometry.with_layout(joined(map(without_unit_extent, reversed(geometry.modes))), valid, geometry.padded)


def reshaped(geometry: Geometry, layout: Any) -> Geometry:
    """Return another layout of the same cells, from the same first element.

    Raises
    ------
    LayoutError
        If the cells are not the same, or the tensor is masked.
    """
    _refuse_masked(geometry, "reshape")
    wanted = as_layout(layout)
    if not _same_cells(geometry.layout, wanted):
        raise LayoutError(
            f"{wanted} does not address the same cells as {geometry.layout}; write t.composition(layout) for some of "
            f"them, or u.copy_from(t) for a tensor u of a layout that has them one after another"
        )
    return geometry.with_layout(wanted)


def composed(geometry: Geometry, layout: Any) -> Geometry:
    """Return the elements at the integers that another layout gives.

    Raises
    ------
    LayoutError
        If it leaves the domain, no layout has these elements, or the tensor is masked.
    """
    _refuse_masked(geometry, "composition")
    inner = as_layout(layout)
    if inner.size:
        ends = [(extent - 1) * stride for extent, stride in inner.leaves]
        low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
        if low < 0 or high >= geometry.layout.size:
            raise LayoutError(
                f"{inner} goes from {low} to {high}, and {geometry.layout} has the coordinates 0 to "
                f"{geometry.layout.size - 1}; compose with a layout that stays inside"
            )
    return geometry.with_layout(geometry.layout @ inner)


def coalesced(geometry: Geometry, keep_rank: bool) -> Geometry:
    """Return the fewest modes with the same elements in the same order, or the fewest leaves in each mode.

    Raises
    ------
    LayoutError
        If modes of a masked tensor would become one.
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
    first, second = _normal(one), _normal(other)
    if first == second:
        return True
    if not (one.size and other.size) or (_strides_nest(first[1]) and _strides_nest(second[1])):
        return False
    # Where both lie between the same ends, a bit for each place there is less than the storage has.
    return reach(one.leaves)[1:] == reach(other.leaves)[1:] and _places(first[1]) == _places(second[1])


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


def _strides_nest(leaves: tuple[Leaf, ...]) -> bool:
    """Tell whether each stride is longer than all that the smaller ones reach, so that only these leaves do so."""
    end = 0
    for extent, stride in leaves:
        if stride <= end:
            return False
        end += (extent - 1) * stride
    return True
