"""Outputs whose shapes the colors of a launch choose: they are bound when all colors are over."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from accel.engines.dask.cluster import Cluster
from accel.engines.dask.plan import PlannedPoint
from accel.engines.dask.tiles import Holder, Key, Tile, Tiles
from accel.engines.dask.tiling import Tiling
from accel.engines.dask.works import LaunchEnd
from accel.engines.points import root_of
from accel.errors import StoreError
from accel.store.boxes import box_of
from accel.store.root import Root

if TYPE_CHECKING:
    from distributed import Future

    Value = Future[Any]

__all__ = ["end_of"]


def end_of(cluster: Cluster, planned: Sequence[PlannedPoint], values: Mapping[Key, "Value"]) -> LaunchEnd | None:
    """Return the action that binds the unbound outputs when all points are over; None if there are none."""
    parts: dict[int, list[tuple[Root, Tile, Value]]] = {}
    for each in planned:
        for operand, tile, shape in each.unbound:
            tile.future = values[tile.key]
            parts.setdefault(id(operand.root), []).append((root_of(operand), tile, values[shape]))
    return LaunchEnd(partial(_bind_all, cluster, [*parts.values()]), len(planned)) if parts else None


def _bind_all(cluster: Cluster, outputs: Sequence[Sequence[tuple[Root, Tile, "Value"]]]) -> None:
    for parts in outputs:
        _bind(cluster, parts)


def _bind(cluster: Cluster, parts: Sequence[tuple[Root, Tile, "Value"]]) -> None:
    """Give an unbound root its shape: the outputs of all colors, one after the other along the first axis."""
    root = parts[0][0]
    shapes = cluster.gather(shape for _, _, shape in parts)
    rest = shapes[0][1:]
    if any(shape[1:] != rest for shape in shapes):
        raise StoreError(
            f"the colors of a launch chose shapes that cannot be joined along the first dimension: "
            f"{sorted(set(shapes))}; bind buffers with the same other extents"
        )
    tiling: Tiling[Holder] = Tiling(root.ndim)
    start = 0
    for (_, tile, _), shape in zip(parts, shapes, strict=True):
        tile.box = ((start, start + shape[0]), *box_of(rest))
        tiling.put(tile.box, tile)
        start += shape[0]
    whole = start, *rest
    root.bind(Tiles(cluster, root, tiling, whole), whole)
