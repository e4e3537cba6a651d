"""`TiledContents`: the values of a root as tiles, each with memory of its own that can be written to a file.

Tiles are kept in the order in which they were written; where two overlap, the later one counts. A point of a launch
that asks for exactly the box of a tile uses its memory. Other boxes are put together from the tiles that they overlap.
"""

import threading
from collections.abc import Iterable

from accel.dtypes import DType
from accel.engines.execution import host_array, moved
from accel.engines.memory_budget.admission import Admission
from accel.engines.memory_budget.evictable import Evictable
from accel.engines.memory_budget.spill_file import Extent, SpillFile
from accel.layout import Layout
from accel.memory import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.box_tree import BoxTree
from accel.store.boxes import Box, box_of, covers, extents, intersection, overlap, volume
from accel.store.index_maps import IndexMap
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.store_targets import Place
from accel.views import LayoutTensor

__all__ = ["Tile", "TiledContents", "copy_overlap"]


class Tile(Evictable):
    """The elements of a box.

    Parameters
    ----------
    box : Box
        The elements, in coordinates of the root.
    storage : HostStorage or DeviceStorage
        Their memory, in C order.
    place : Place
        Where the memory is.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage or None
        The elements; None while they are in the file.
    """

    __slots__ = ("box", "dtype", "place", "storage")

    def __init__(self, box: Box, storage: AnyStorage, place: Place) -> None:
        super().__init__(place.device)
        self.box: Box = box
        self.dtype: DType = storage.dtype
        self.place: Place = place
        self.storage: AnyStorage | None = storage
        self.buffers: dict[int, int] = {id(self): self.nbytes}

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return volume(self.box) * self.dtype.itemsize

    @property
    def memory(self) -> AnyStorage:
        """The elements, which are in memory."""
        assert self.storage is not None, "it is pinned"
        return self.storage

    def write(self, file: SpillFile) -> Extent:
        """Write the elements to a file."""
        return file.write(host_array(moved(self.memory, HOST)))

    def read(self, file: SpillFile) -> None:
        """Read the elements into new memory."""
        host = elements_of(HOST, volume(self.box), self.dtype)
        file.read(self.token, host_array(host))
        self.storage = moved(host, self.place)

    def clear(self) -> None:
        """Drop the memory."""
        self.storage = None

    def discard(self, file: SpillFile) -> None:
        """Give back the place in a file."""
        file.free(self.token)

    def elements(self, file: SpillFile) -> AnyStorage:
        """Return the elements where they are, in memory or in a file."""
        if self.storage is not None:
            return self.storage
        return HostStorage.on_array(file.mapped(self.token).view(self.dtype))


class TiledContents:
    """The values of a root, as tiles.

    Attributes
    ----------
    memory : Admission
        What counts the tiles.
    gathered : HostStorage or DeviceStorage or None
        All elements, from when they were read as a whole. The tiles are not used any more then.
    """

    # `lock` guards `gathered`, and lets one thread at a time change the tiles. The lock of `memory` is taken inside of
    # it, never the other way round. `_finding` guards the tree and the tiles by box; nothing is called with it held.
    # Both are reentrant, because a finaliser may run at any time.

    def __init__(self, root: Root, memory: Admission) -> None:
        self.dtype: DType = root.dtype
        self.shape: tuple[int, ...] = root.bound_shape()
        self.place: Place = root.place
        self.memory = memory
        self.lock: threading.RLock = threading.RLock()
        self._finding = threading.RLock()
        self._tiles: BoxTree[Tile, int] = BoxTree(box_of(self.shape))  # with numbers in the order of writing
        self._by_box: dict[Box, Tile] = {}  # the last of each box
        self._written = 0
        self._layered = False  # whether a tile overlaps another
        self.gathered: AnyStorage | None = None

    @property
    def tiles(self) -> list[Tile]:
        """The tiles, in the order in which they were written."""
        return self.overlapping(box_of(self.shape))

    @property
    def nbytes(self) -> int:
        """Bytes that the tiles take in memory."""
        return sum([tile.nbytes for tile in self.tiles if tile.storage is not None])

    def exact(self, box: Box) -> Tile | None:
        """Return the tile of a box; None if there is none, or a later tile overlaps it."""
        if not self._layered:
            return self._by_box.get(box)
        with self._finding:
            last = max(self._tiles.overlapping(box), key=lambda entry: entry.value, default=None)
        return last.key if last is not None and last.box == box else None

    def overlapping(self, box: Box) -> list[Tile]:
        """Return the tiles that have elements of a box, in the order in which they were written."""
        with self._finding:
            return [entry.key for entry in sorted(self._tiles.overlapping(box), key=lambda entry: entry.value)]

    def add(self, tile: Tile) -> None:
        """Add a tile that a point has written, and drop those that it covers."""
        with self.lock:
            if self.gathered is not None:
                self._drop([tile])
                return
            touched = self.overlapping(tile.box)
            covered = [each for each in touched if covers(tile.box, each.box)]
            self._layered = self._layered or len(covered) < len(touched)
            with self._finding:
                for each in covered:
                    self._tiles.remove(each.box, each)
                    del self._by_box[each.box]
                self._written += 1
                self._tiles.add(tile.box, tile, self._written)
                self._by_box[tile.box] = tile
        self._drop(covered)

    def copy(self, box: Box, place: Place | None = None, *, filled: bool = True) -> AnyStorage:
        """Return new memory for a box, where the tiles are if no place is named; the caller has waited for tasks.

        It has the elements of the box if it is to be filled.
        """
        storage = elements_of(self.place if place is None else place, volume(box), self.dtype)
        for tile in self.overlapping(box) if filled else ():
            with self.memory.pinned(tile):
                copy_overlap(storage, box, tile.elements(self.memory.file), tile.box)
        return storage

    def gather(self) -> AnyStorage:
        """Return all values in memory of the host, in C order."""
        with self.lock:
            if self.gathered is None:
                self.gathered = self.copy(box_of(self.shape), HOST)
                dropped = self.tiles
                with self._finding:
                    self._tiles, self._by_box = BoxTree(box_of(self.shape)), {}
                self._drop(dropped)
            return self.gathered

    def read(self, box: Box) -> HostArray:
        """Return the values of a box of the root, in new memory of the host; the tiles stay."""
        with self.lock:
            storage = self.copy(box, HOST)
            if self.gathered is not None:
                copy_overlap(storage, box, self.gathered, box_of(self.shape))
        values: HostArray = host_array(storage).reshape(extents(box))
        return values

    def written(self, tile: Tile) -> None:
        """Copy a tile to the gathered values, if all values were gathered before a point wrote it."""
        with self.lock:
            if self.gathered is not None:
                copy_overlap(self.gathered, box_of(self.shape), tile.memory, tile.box)

    def _drop(self, tiles: Iterable[Tile]) -> None:
        for tile in tiles:
            tile.needed = False
            self.memory.drop(tile)

    def __del__(self) -> None:
        tiles = [*self._by_box.values()]
        for tile in tiles:
            tile.needed = False
        self.memory.drop_later(tiles)


def copy_overlap(target: AnyStorage, target_box: Box, source: AnyStorage, source_box: Box) -> None:
    """Copy the elements that two boxes have in common; each memory has the elements of its box in C order."""
    if overlap(target_box, source_box):
        common = intersection(target_box, source_box)
        _part(target, target_box, common).copy_from(_part(source, source_box, common))


def _part(storage: AnyStorage, box: Box, part: Box) -> LayoutTensor:
    index_map = IndexMap.whole(extents(box))
    for axis, ((low, high), (start, _)) in enumerate(zip(part, box, strict=True)):
        index_map = index_map.slice(axis, low - start, high - start)
    return LayoutTensor(storage, Layout(index_map.shape, index_map.strides), index_map.offset)
