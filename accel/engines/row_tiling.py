"""Cuts a launch on plain stores into tiles of rows, where the constraints of the task allow it."""

from collections.abc import Sequence

from accel.engines.constraints import Align, Broadcast, Image
from accel.engines.points import Operand, root_of
from accel.engines.task_launch import Launch
from accel.store.boxes import overlap
from accel.store.regions import Access

__all__ = ["TILE_BYTES", "tile_rows"]

TILE_BYTES = 1 << 22
"""Bytes of all aligned stores in one tile: with what the body makes on the way, they stay in the cache of a core."""


def tile_rows(launch: Launch, tile_bytes: int | None = None) -> Launch:
    """Return a launch on large aligned stores cut into tiles of rows, and any other launch as it is.

    It is cut if each store that the task writes is aligned, or reduced, and each that it reads is aligned, broadcast,
    or gets tiles by `scale` or `bloat`. It stays whole if the results could depend on the cuts: if rows that are
    written overlap other rows.
    """
    task = launch.task
    if not task.constraints or launch.only is None or launch.has_arrays:
        return launch
    names = _aligned(launch)
    operands = launch.only.operands
    stores = [each for each in operands if each.name in names]
    nbytes = sum([each.nbytes for each in stores])
    tile_bytes = TILE_BYTES if tile_bytes is None else tile_bytes
    if nbytes <= 2 * tile_bytes or any(each.map is None or not each.map.shape for each in stores):
        return launch
    if not all(map(_has_rows, stores)) or _rows_meet(operands, names):
        return launch
    assert stores[0].map is not None, "checked above"
    extent = stores[0].map.shape[0]
    rows = max(extent * tile_bytes // nbytes, 1)
    return launch.cut(names, rows) if rows < extent else launch


def _has_rows(operand: Operand) -> bool:
    """Tell whether each row has elements of its own, that a view can have alone."""
    index_map = operand.map
    assert index_map is not None, "it has a shape"
    return index_map.divisible(0) and (index_map.strides[0] != 0 or operand.access is Access.READ)


def _rows_meet(operands: Sequence[Operand], names: Sequence[str]) -> bool:
    """Tell whether a row that is written has elements in common with another row, or with a store that is not cut."""
    written = [each for each in operands if each.access is not Access.READ]
    return any(
        _meet(one, other) and not (one.root is other.root and one.map == other.map and other.name in names)
        for one in written
        for other in operands
        if one is not other
    )


def _meet(one: Operand, other: Operand) -> bool:
    """Tell whether two stores have elements in common, or may have some by attached memory."""
    if one.root is other.root:
        return overlap(one.box, other.box)
    return root_of(one).shares_memory(root_of(other))


def _aligned(launch: Launch) -> tuple[str, ...]:
    """Return the names of the one group of aligned stores; none if some other store stands in the way."""
    groups = [each for each in launch.task.constraints if isinstance(each, Align)]
    if len(groups) != 1:
        return ()
    read = {name for each in launch.task.constraints if isinstance(each, Broadcast) for name in each.names}
    # Not those of an image: to find them takes reading a store.
    grown = [each for each in launch.task.derived if not isinstance(each, Image)]
    read |= {each.target for each in grown if each.source in groups[0].names}
    for place in launch.task.store_places:
        free = place.access is Access.REDUCE or (place.access is Access.READ and place.name in read)
        if place.name not in groups[0].names and not free:
            return ()
    reduced = {place.name for place in launch.task.store_places if place.access is Access.REDUCE}
    if reduced & {*groups[0].names}:
        return ()
    return groups[0].names
