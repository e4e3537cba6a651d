"""`Tiles`: the values of a root as tiles, on the workers of a cluster or in this process; a version of a store."""

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import finalize, ref

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.engines.dask.cluster import Cluster, lost, reaching
from accel.engines.dask.tiling import Tiling, within
from accel.engines.dask.worker_memory import MEMORY, WorkerTile
from accel.engines.dask.works import PointWork
from accel.engines.dask.works import failure_of as failure_of_value
from accel.memory.any_storage import AnyStorage
from accel.memory.byte_copies import copy_elements
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.box_order import HostWork, Use, enter, leave
from accel.store.boxes import Box, box_of, volume
from accel.store.index_maps import c_strides
from accel.store.regions import Access
from accel.store.root import Root

if TYPE_CHECKING:
    from distributed import Future

    Value = Future[Any]

__all__ = ["Here", "Holder", "Key", "SavedFile", "Tile", "Tiles", "here"]

Key = tuple[str, int]
"""The name of a value on the cluster: what made it, and a number."""

_BATCH = 1 << 26
"""Bytes that are fetched at once, so that a gather takes little more memory than its result."""


class SavedFile:
    """A file with the values of a tile; removed with the last tile that may be computed again from it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        finalize(self, path.unlink, missing_ok=True)


class Tile:
    """Values of a box, on a worker.

    Attributes
    ----------
    box : Box
        The elements.
    key : tuple
        Their name on the cluster.
    future : distributed.Future or None
        Keeps them there; None until they are submitted.
    depth : int
        Number of launches since the values, or those they are computed from, were sent or saved.
    files : frozenset of SavedFile
        What they are computed from again if a worker is lost.
    """

    __slots__ = ("box", "depth", "files", "future", "key")

    def __init__(self, box: Box, key: Key, depth: int = 0, files: frozenset[SavedFile] = frozenset()) -> None:
        self.box: Box = box
        self.key: Key = key
        self.depth: int = depth
        self.files: frozenset[SavedFile] = files
        self.future: Value | None = None

    @property
    def value(self) -> "Value":
        """The future of a tile that was submitted."""
        assert self.future is not None, "the tile was submitted"
        return self.future


class Here(NamedTuple):
    """Values of a root in memory of this process.

    Attributes
    ----------
    box : Box
        All elements of the root.
    array : numpy.ndarray
        The values, in the shape of the root.
    """

    box: Box
    array: HostArray


Holder = Tile | Here


class Tiles:
    """A version of the values of a root: disjoint boxes, and what holds each. Never changed once it is the contents.

    Parameters
    ----------
    cluster : Cluster
        Where the tiles are.
    root : Root
        The root.
    tiling : Tiling
        What holds each box; elements in none of them were never written.
    shape : tuple of int
        The shape of the root.

    Attributes
    ----------
    nbytes : int
        Bytes in this process.
    """

    def __init__(self, cluster: Cluster, root: Root, tiling: Tiling[Holder], shape: tuple[int, ...]) -> None:
        self.cluster = cluster
        self.tiling = tiling
        self.shape = shape
        here = {id(value.array): value.array.nbytes for value in tiling.values() if isinstance(value, Here)}
        self.nbytes: int = sum(here.values())
        self._root = ref(root)
        self._dtype = root.dtype
        self._home = root.home
        cluster.values.add(self)
        self._strides, self._start = (c_strides(shape), 0) if root.strides is None else (root.strides, root.start)

    def tiles(self) -> list[Tile]:
        """Return the tiles on the cluster, each once."""
        return [*{value.key: value for value in self.tiling.values() if isinstance(value, Tile)}.values()]

    def lose(self) -> None:
        """Record that the values on the cluster are gone: a read raises the error until they are overwritten."""
        root = self._root()
        if root is None or root.contents is not self:
            return
        for box, value in self.tiling.items():
            if isinstance(value, Tile) and root.regions.failure_of(box) is None:
                _lose(root, box)

    def gather(self) -> AnyStorage:
        """Return all values in memory of the host: attached memory, otherwise in C order; blocks until they are known.

        Elements whose task failed are left out: `accel.store.regions` knows the failure.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        OutOfMemoryError
            If there is not enough memory here.
        """
        storage = self._memory()
        target = array_on(storage, self._dtype, self.shape, self._strides, self._start)
        whole = box_of(self.shape)
        placed: dict[Key, list[tuple[Box, Holder]]] = {}
        for box, value in self.tiling.items():
            if isinstance(value, Here):
                target[within(box, whole)] = value.array[within(box, whole)]
            else:
                placed.setdefault(value.key, []).append((box, value))
        for key, values in self._fetched():
            for box, value in placed[key]:
                target[within(box, whole)] = values.view(self._dtype)[within(box, value.box)]
        return storage

    def _invalid(self, tile: Tile) -> bool:
        """Tell whether a tile failed; raise the failure if the regions of the root do not know it."""
        root = self._root()
        failure = lost() if self.cluster.lost else failure_of_value(tile.value)
        if failure is not None and root is not None:
            for work in root.regions.pending(tile.box, writing=False):
                if isinstance(work, PointWork):  # it records the failure when it leaves
                    work.settle()
        if failure is not None and (root is None or root.regions.failure_of(tile.box) is None):
            self.cluster.refuse_lost()
            raise failure
        return failure is not None

    def _memory(self) -> HostStorage:
        """Return memory for all elements in the layout of the root."""
        home = self._home
        if isinstance(home, HostStorage):
            return home
        if home is None:
            return HostStorage.allocated(heap_of(Device.CPU), prod(self.shape), self._dtype)
        copied = HostStorage.allocated(heap_of(Device.CPU), home.size, home.dtype)
        copy_elements(copied, home)
        return copied

    def _fetched(self) -> Iterator[tuple[Key, HostArray]]:
        """Return the values of all tiles whose task did not fail, by key, a batch at a time."""
        tiles = self.tiles()
        with reaching(self.cluster):
            if not self.cluster.lost:
                self.cluster.wait(tile.value for tile in tiles)
            valid = [tile for tile in tiles if not self._invalid(tile)]
            for batch in _batches(valid, self._dtype.itemsize):
                values: list[WorkerTile] = self.cluster.gather(tile.value for tile in batch)
                for tile, value in zip(batch, values, strict=True):
                    with MEMORY.reading(value) as array:
                        yield tile.key, array


def _lose(root: Root, box: Box) -> None:
    """Record that a box was not written, because its cluster is lost."""
    work, uses = HostWork(), [Use(root, box, Access.WRITE)]
    enter(work, uses)  # it is over at once, so it need not wait for others
    work.failure = lost()
    leave(work, uses)
    work.end()


def here(root: Root) -> Here:
    """Return the values of a root that are in memory of this process; those on a device are copied to the host."""
    storage = root.storage()
    if not isinstance(storage, HostStorage):
        copied = HostStorage.allocated(heap_of(Device.CPU), storage.size, storage.dtype)
        copy_elements(copied, storage)
        storage = copied
    assert root.shape is not None, "a root with memory has a shape"
    assert root.strides is not None, "as above"
    return Here(root.box, array_on(storage, root.dtype, root.shape, root.strides, root.start))


def array_on(
    storage: HostStorage, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], start: int
) -> HostArray:
    """Return the elements of a root as an array on its memory."""
    in_bytes = tuple([stride * dtype.itemsize for stride in strides])
    return np.ndarray(shape, dtype, storage.export(), start * dtype.itemsize, in_bytes)


def _batches(tiles: list[Tile], itemsize: int) -> Iterator[list[Tile]]:
    batch: list[Tile] = []
    size = 0
    for tile in tiles:
        batch.append(tile)
        size += volume(tile.box) * itemsize
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
