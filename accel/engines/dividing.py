"""Cuts a launch on plain stores into tiles of rows, where the constraints of the task allow it."""

from accel.engines.constraints import Align, Broadcast
from accel.engines.launch import Launch
from accel.store.regions import Access

__all__ = ["TILE_BYTES", "divided"]

TILE_BYTES = 1 << 22
"""Bytes of all aligned stores in one tile: with what the body makes on the way, they stay in the cache of a core."""


def divided(launch: Launch) -> Launch:
    """Return a launch on large aligned stores cut into tiles of rows, and any other launch as it is.

    It is cut if each store that the task writes is aligned, or reduced, and each that it reads is aligned or broadcast.
    """
    task = launch.task
    if not task.constraints or launch.color_shape or not launch.operands or launch.has_arrays:
        return launch
    names = _aligned(launch)
    stores = [each for each in launch.operands if each.name in names]
    nbytes = sum([each.nbytes for each in stores])
    if nbytes <= 2 * TILE_BYTES or any(each.map is None or not each.map.shape for each in stores):
        return launch
    assert stores[0].map is not None, "checked above"
    extent = stores[0].map.shape[0]
    rows = max(extent * TILE_BYTES // nbytes, 1)
    return launch.cut(names, rows) if rows < extent else launch


def _aligned(launch: Launch) -> tuple[str, ...]:
    """Return the names of the one group of aligned stores; none if some other store stands in the way."""
    groups = [each for each in launch.task.constraints if isinstance(each, Align)]
    if len(groups) != 1:
        return ()
    whole = {name for each in launch.task.constraints if isinstance(each, Broadcast) for name in each.names}
    for place in launch.task.store_places:
        free = place.access is Access.REDUCE or (place.access is Access.READ and place.name in whole)
        if place.name not in groups[0].names and not free:
            return ()
    reduced = {place.name for place in launch.task.store_places if place.access is Access.REDUCE}
    if reduced & {*groups[0].names}:
        return ()
    return groups[0].names
