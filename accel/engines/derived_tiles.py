"""The tiles that `image`, `scale` and `bloat` derive from those of another store.

The colors of a partition are boxes of one shape; those at the end are not cut off here, so that larger tiles derived
from them reach as far as in Legate. A derived tile is cut off where its store ends, when it is used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from accel.engines.constraints import Bloat, Derived, Image, ImageComputationHint, Scale
from accel.engines.task_arguments import stores_of
from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store.arrays.logical_array import LogicalArrayPartition
from accel.store.boxes import Box, box_of, extents, is_empty
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore, LogicalStorePartition

__all__ = ["check_derived", "derived_boxes", "inside"]

_PARTITIONS = LogicalStorePartition, LogicalArrayPartition
_MOST = np.iinfo(np.int64).max


def check_derived(task: str, derived: Sequence[Derived], values: Mapping[str, Any]) -> frozenset[str]:
    """Check the stores that get derived tiles, by the arguments; return the parameters whose stores are cut.

    Raises
    ------
    StoreValueError
        If the numbers of dimensions do not fit, a store that gets derived tiles is a partition or unbound, or a
        function store has no points.
    """
    cut = {name for name, value in values.items() if isinstance(value, _PARTITIONS)}
    for each in derived:
        what = f"task {task}: {type(each).__name__.lower()} derives the tiles of {each.target!r} from {each.source!r}"
        if each.target in cut:
            raise StoreValueError(f"{what}; give the store itself for {each.target!r}, not a partition")
        source, target = _whole(values[each.source]), _whole(values[each.target])
        if any(store.root.shape is None for store in stores_of(values[each.target])):
            raise StoreValueError(f"{what}, and {each.target!r} is unbound: it has no tiles before a task has bound it")
        if any(store.root.shape is None for store in stores_of(values[each.source])):
            continue
        if isinstance(each, Image):
            _check_function(what, source, target.ndim)
        else:
            _check_dimensions(what, each, source.ndim, target.ndim)
        if each.source in cut:
            cut.add(each.target)
    return frozenset(cut)


def derived_boxes(
    derived: Sequence[Derived], values: Mapping[str, Any], colors: Sequence[tuple[int, ...]]
) -> dict[str, list[Box]]:
    """Return the box of each color in each store that gets derived tiles, not cut off at the ends of the store.

    The values of function stores are read: this waits for the tasks that write them.
    """
    boxes: dict[str, list[Box]] = {}
    for each in derived:
        tiles = boxes.get(each.source)
        if tiles is None and isinstance(values[each.source], _PARTITIONS):
            tiles = [_tile(values[each.source], color) for color in colors]
        if tiles is None:
            continue
        if isinstance(each, Image):
            function, shape = _whole(values[each.source]), _whole(values[each.target]).shape
            tiles = [inside(box, function.shape) for box in tiles]
            boxes[each.target] = [_image(_corners(each, function, box, len(shape)), shape, each.hint) for box in tiles]
        else:
            boxes[each.target] = [_grown(each, box) for box in tiles]
    return boxes


def inside(box: Box, shape: tuple[int, ...]) -> Box:
    """Return a box cut off at the ends of a shape."""
    ends = [
        (min(max(low, 0), extent), min(max(high, 0), extent)) for (low, high), extent in zip(box, shape, strict=True)
    ]
    return tuple([(low, max(low, high)) for low, high in ends])


def _whole(value: Any) -> Any:
    """Return the store or the array of an argument."""
    if isinstance(value, _PARTITIONS):
        return value.store if isinstance(value, LogicalStorePartition) else value.array
    return value


def _tile(partition: Any, color: tuple[int, ...]) -> Box:
    """Return the box of a color."""
    whole = _whole(partition)
    sizes = partition.tile_shape  # of fewer dimensions than the colors, if another partition has one more of extent 1
    tile = tuple([(at * size, (at + 1) * size) for at, size in zip(color, sizes, strict=False)])
    return (*tile, *box_of(whole.shape[len(tile) :]))  # an array is cut along its first dimension


def _grown(each: Scale | Bloat, box: Box) -> Box:
    if is_empty(box):
        return box
    if isinstance(each, Scale):
        return tuple([(low * by, high * by) for (low, high), by in zip(box, each.factors, strict=True)])
    return tuple([(low - less, high + more) for (low, high), less, more in zip(box, each.low, each.high, strict=True)])


def _corners(each: Image, function: Any, box: Box, ndim: int) -> HostArray:
    """Return the points or rectangles of a box of a function store, one in each row."""
    (store,) = stores_of(function)
    indices = ndim == store.ndim == 1
    if not (indices or is_empty(box)) and box[-1] != (0, store.shape[-1]):
        raise StoreValueError(
            f"the tiles of {each.source!r} cut its points: the last dimension has their {store.shape[-1]} coordinates, "
            f"and a tile has {box[-1][1] - box[-1][0]}; give a partition with {store.shape[-1]} in tile_shape[-1]"
        )
    origin = [low for low, _ in box]
    index_map = store.map.of_tile(origin, extents(box), first=not any(origin))
    values = host_values(LogicalStore.on(store.root, index_map, store.dtype))
    if values.dtype == np.uint64:
        values = np.minimum(values, _MOST)
    return values.astype(np.int64, copy=False).reshape(-1, 1 if indices else store.shape[-1])


def _image(corners: HostArray, shape: tuple[int, ...], hint: ImageComputationHint) -> Box:
    """Return the box of the elements that some points or rectangles point to."""
    ndim = len(shape)
    nothing = ((0, 0),) * ndim
    if not len(corners):
        return nothing
    if hint is ImageComputationHint.FIRST_LAST:
        corners = corners[[0, -1]]
    low, high = corners[:, :ndim], corners[:, -ndim:]
    if hint is ImageComputationHint.NO_HINT:  # none of these points is outside
        low, high = np.maximum(low, 0), np.minimum(high, np.array(shape) - 1)
    if hint is not ImageComputationHint.FIRST_LAST:
        exists = (low <= high).all(axis=1)
        low, high = low[exists], high[exists]
    if not len(low):
        return nothing
    return tuple(zip(low.min(axis=0).tolist(), [most + 1 for most in high.max(axis=0).tolist()], strict=True))


def _check_function(what: str, function: Any, ndim: int) -> None:
    """Refuse a function store without points or rectangles of a number of dimensions."""
    stores = stores_of(function)
    if len(stores) > 1:
        raise StoreValueError(f"{what}, an array of {len(stores)} stores; give the one that has the points")
    if stores[0].dtype.kind not in "iu":
        raise StoreValueError(f"{what}, which has {stores[0].dtype.name}; points have integers, such as int64")
    shape = function.shape
    if not (ndim and shape and (shape[-1] in (ndim, 2 * ndim) or ndim == len(shape) == 1)):
        raise StoreValueError(
            f"{what}, of shape {shape}; a store with {ndim}-D points has {ndim} coordinates along its last dimension, "
            f"and one with rects {2 * ndim}"
        )


def _check_dimensions(what: str, each: Scale | Bloat, source: int, target: int) -> None:
    counts = each.factors if isinstance(each, Scale) else each.low
    if source != target or source != len(counts):
        raise StoreValueError(
            f"{what} with {len(counts)} {'factors' if isinstance(each, Scale) else 'offsets'}; the stores have "
            f"{source} and {target} dimensions, and all three numbers must be equal"
        )
