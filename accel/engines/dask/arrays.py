"""Stores from arrays of `dask.array`, and back: the chunks are the tiles, and nothing is gathered."""

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise, product
from typing import Any
from uuid import uuid4

import numpy as np

from accel.device import Device
from accel.dtypes import as_dtype
from accel.engines.dask.engine import DaskEngine
from accel.engines.dask.programs import Cut, store_tile
from accel.engines.dask.tiles import Here, Holder, Key, Tile, Tiles
from accel.engines.dask.tiling import Tiling, within
from accel.engines.dask.worker_memory import WorkerTile
from accel.engines.protocol import current
from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store.boxes import Box
from accel.store.index_maps import IndexMap
from accel.store.logical_store import LogicalStore
from accel.store.root import Root

__all__ = ["from_dask", "to_dask"]


def from_dask(array: Any) -> LogicalStore:
    """Make a store of an array of `dask.array`: its chunks are computed on the cluster, and are the tiles.

    The chunks are arrays of NumPy, or of accel. The store does not change the array.

    Raises
    ------
    StoreValueError
        If the current engine is not ``dask``: it has the cluster.
    DeviceLostError
        If its cluster is gone.
    """
    from dask.task_spec import Task, TaskRef

    engine = _engine("from_dask")
    cluster = engine.cluster
    cluster.refuse_lost()
    if any(np.isnan(extent) for extent in array.shape):
        with cluster.client.as_current():
            array = array.compute_chunk_sizes()
    chunks = cluster.client.persist(array)
    futures = {each.key: each for each in cluster.distributed.futures_of(chunks)}
    root = Root(as_dtype(array.dtype), tuple(map(int, array.shape)))
    tiling: Tiling[Holder] = Tiling(root.ndim)
    name = f"from-dask-{uuid4().hex}"
    tasks: dict[Key, Any] = {}
    for number, at in enumerate(product(*map(range, array.numblocks))):
        key = name, number
        tasks[key] = Task(key, _on_host, TaskRef(futures[array.name, *at].key), engine.budget)
        tiling.put(_box_of_chunk(array.chunks, at), Tile(_box_of_chunk(array.chunks, at), key))
    values = cluster.submit(tasks, [*tasks])
    for value in tiling.values():
        if isinstance(value, Tile):
            value.future = values[value.key]
    root.contents = Tiles(cluster, root, tiling, tuple(map(int, array.shape)))
    return LogicalStore.on(root)


def to_dask(store: LogicalStore) -> Any:
    """Return a store as a Dask array; values that the cluster holds stay there, those of this process are sent.

    Its chunks are the tiles, cut so that they form a grid. Later writes to the store do not change the array.

    Raises
    ------
    StoreValueError
        If the current engine is not ``dask``.
    BaseException
        The failure of a task that was to write the store.
    """
    da: Any = import_module("dask.array")

    cluster = _engine("to_dask").cluster
    root, index_map = store.root, store.map
    root.regions.settle(index_map.box, writing=False)
    contents = root.contents
    if not isinstance(contents, Tiles) or contents.cluster is not cluster:
        return da.from_array(np.array(store.get_physical_store()))
    grid = _grid(index_map.box, [box for box, _ in contents.tiling.find(index_map.box)])
    name = f"to-dask-{uuid4().hex}"
    graph = {}
    for at in product(*[range(len(edges) - 1) for edges in grid]):
        cell = tuple([(edges[place], edges[place + 1]) for edges, place in zip(grid, at, strict=True)])
        graph[name, *at] = _cell((name, *at), cell, contents, root)
    chunks = tuple([tuple([high - low for low, high in pairwise(edges)]) for edges in grid])
    whole = da.Array(graph, name, chunks, root.dtype)
    viewed = _viewed(whole, index_map.on_box())
    return viewed if store.dtype == root.dtype else viewed.view(store.dtype)


def _engine(what: str) -> DaskEngine:
    engine = current()
    if not isinstance(engine, DaskEngine):
        raise StoreValueError(f"{what} needs a cluster, and the current engine is {engine}; use engine('dask')")
    return engine


def _on_host(chunk: Any, budget: int | None) -> WorkerTile:
    if not isinstance(chunk, np.ndarray) and hasattr(chunk, "to_device"):
        chunk = chunk.to_device(Device.CPU)
    return store_tile(np.ascontiguousarray(np.asarray(chunk)).reshape(chunk.shape), budget)


def _box_of_chunk(chunks: Sequence[Sequence[int]], at: Sequence[int]) -> Box:
    starts = [int(sum(sizes[:place])) for sizes, place in zip(chunks, at, strict=True)]
    sizes = [int(each[place]) for each, place in zip(chunks, at, strict=True)]
    return tuple([(start, start + size) for start, size in zip(starts, sizes, strict=True)])


def _grid(box: Box, tiles: Sequence[Box]) -> list[list[int]]:
    """Return the edges along each axis at which some tile of a box begins or ends."""
    edges = []
    for axis, (low, high) in enumerate(box):
        inside = {bound for tile in tiles for bound in tile[axis] if low < bound < high}
        edges.append([low, *sorted(inside), high])
    return edges


def _cell(key: Any, cell: Box, contents: Tiles, root: Root) -> Any:
    """Return the task that makes the values of a cell of the grid, which is all in one tile or in none."""
    from dask.task_spec import Task

    shape = tuple([high - low for low, high in cell])
    for _, value in contents.tiling.find(cell):
        if isinstance(value, Here):
            return Task(key, np.copy, value.array[within(cell, value.box)])
        return Task(key, _Cell(Cut(within(cell, value.box)), root.dtype), value.value)
    return Task(key, np.zeros, shape, root.dtype)


class _Cell:
    """Return a part of a tile, as elements of the type of its root."""

    def __init__(self, cut: Cut, dtype: Any) -> None:
        self.cut = cut
        self.dtype = dtype

    def __call__(self, tile: WorkerTile) -> HostArray:
        return self.cut.cut_from(tile).view(self.dtype)


def _viewed(whole: Any, index_map: IndexMap) -> Any:
    """Return the elements of a map on an array of its box."""
    da: Any = import_module("dask.array")

    runs = [dim for dim, stride in enumerate(index_map.strides) if stride and index_map.shape[dim] > 1]
    outer_first = sorted(runs, key=lambda dim: -index_map.strides[dim])
    array = whole.reshape([index_map.shape[dim] for dim in outer_first])
    array = array.transpose([outer_first.index(dim) for dim in runs])
    indices = tuple([slice(None) if dim in runs else None for dim in range(len(index_map.shape))])
    return da.broadcast_to(array[indices], index_map.shape)
