"""`TiledContents`: the values of a root as tiles, each with memory of its own that can be written to a file.

Tiles are kept in the order in which they were written; where two overlap, the later one counts. A point of a launch
that asks for exactly the box of a tile uses its memory. Other boxes are put together from the tiles that they overlap.
"""

import threading
from typing import TYPE_CHECKING

from accel.dtypes import DType
from accel.engines.graph.spill_file import Extent, SpillFile
from accel.engines.running import host_array, moved
from accel.layout import Layout
from accel.memory import AnyStorage
from accel.memory.host_storage import HostStorage
from accel.store.box_tree import BoxTree
from accel.store.boxes import Box, box_of, covers, extents, overlap, volume
from accel.store.index_maps import IndexMap
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.store_targets import Place
from accel.views import LayoutTensor

if TYPE_CHECKING:
    from accel.engines.budget import Budget

__all__ = ["Tile", "TiledContents", "copy_overlap"]


class Tile:
    """The elements of a box.

    Attributes
    ----------
    box : Box
        The elements, in coordinates of the root.
    dtype : numpy.dtype
        Their type.
    place : Place
        Where the memory is.
    storage : HostStorage or DeviceStorage or None
        The elements in C order; None while they are in the file, and before they are written.
    extent : Extent or None
        Where they are in the file, if the file has their current values.
    pins : int
        Number of points that run with it.
    moving : bool
        Whether a thread writes it to the file or reads it.
    dropped : bool
        Whether nothing needs it any more but the points that run with it.
    """

    __slots__ = ("box", "dropped", "dtype", "extent", "moving", "nbytes", "pins", "place", "storage")

    def __init__(self, box: Box, dtype: DType, place: Place) -> None:
        self.box = box
        self.dtype = dtype
        self.place = place
        self.nbytes = volume(box) * dtype.itemsize
        self.storage: AnyStorage | None = None
        self.extent: Extent | None = None
        self.pins = 0
        self.moving = False
        self.dropped = False

    def written(self, file: SpillFile) -> Extent:
        """Write the elements to a file."""
        assert self.storage is not None, "it is in memory"
        return file.write(host_array(moved(self.storage, HOST)))

    def read(self, file: SpillFile, place: Place) -> AnyStorage:
        """Return new memory with the elements; they are undefined if nothing has written them."""
        if self.extent is None:
            return elements_of(place, volume(self.box), self.dtype)
        host = elements_of(HOST, volume(self.box), self.dtype)
        file.read(self.extent, host_array(host))
        return moved(host, place)

    def mapped(self, file: SpillFile) -> AnyStorage:
        """Return the elements as they are in the file."""
        assert self.extent is not None, "it was written"
        return HostStorage.on_array(file.mapped(self.extent).view(self.dtype))


class TiledContents:
    """The values of a root, as tiles.

    Attributes
    ----------
    gathered : HostStorage or DeviceStorage or None
        All elements, from when someone asked for them. The tiles are not used any more then.
    """

    # `lock` guards `gathered`, and lets one thread at a time change the tiles. The budget's lock is taken inside of it,
    # never the other way round. `_finding` guards the tree and the tiles by box; nothing is called with it held. Both
    # are reentrant, because a finaliser may run at any time.

    def __init__(self, root: Root, budget: "Budget") -> None:
        self.dtype = root.dtype
        self.shape = root.known_shape()
        self.place = root.place
        self.budget = budget
        self.lock = threading.RLock()
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
            found = max(self._tiles.overlapping(box), key=lambda entry: entry.value, default=None)
        return found.key if found is not None and found.box == box else None

    def overlapping(self, box: Box) -> list[Tile]:
        """Return the tiles that have elements of a box, in the order in which they were written."""
        with self._finding:
            return [entry.key for entry in sorted(self._tiles.overlapping(box), key=lambda entry: entry.value)]

    def add(self, made: Tile) -> None:
        """Take a tile that is to be written, and drop those that it covers."""
        with self.lock:
            if self.gathered is not None:
                self.budget.drop(made)
                return
            touched = self.overlapping(made.box)
            covered = [tile for tile in touched if covers(made.box, tile.box)]
            self._layered = self._layered or len(covered) < len(touched)
            with self._finding:
                for tile in covered:
                    self._tiles.remove(tile.box, tile)
                    del self._by_box[tile.box]
                self._written += 1
                self._tiles.add(made.box, made, self._written)
                self._by_box[made.box] = made
        for tile in covered:
            self.budget.drop(tile)

    def gather(self) -> AnyStorage:
        """Return all values in memory of the host, in C order."""
        with self.lock:
            if self.gathered is None:
                self.gathered = self.budget.values(self, box_of(self.shape))
                dropped = self.tiles
                with self._finding:
                    self._tiles, self._by_box = BoxTree(box_of(self.shape)), {}
                for tile in dropped:
                    self.budget.drop(tile)
            return self.gathered

    def written(self, tile: Tile) -> None:
        """Take the values of a tile that a point has written after all values were gathered."""
        with self.lock:
            if self.gathered is not None:
                assert tile.storage is not None, "the point has used it"
                copy_overlap(self.gathered, box_of(self.shape), tile.storage, tile.box)

    def __del__(self) -> None:
        self.budget.drop_later([*self._by_box.values()])


def copy_overlap(target: AnyStorage, target_box: Box, source: AnyStorage, source_box: Box) -> None:
    """Copy the elements that two boxes have in common; each memory has the elements of its box in C order."""
    if overlap(target_box, source_box):
        common = tuple(
            [
                (max(low, first), min(high, past))
                for (low, high), (first, past) in zip(target_box, source_box, strict=True)
            ]
        )
        _part(target, target_box, common).copy_from(_part(source, source_box, common))


def _part(storage: AnyStorage, box: Box, part: Box) -> LayoutTensor:
    index_map = IndexMap.whole(extents(box))
    for axis, ((low, high), (start, _)) in enumerate(zip(part, box, strict=True)):
        index_map = index_map.slice(axis, low - start, high - start)
    return LayoutTensor(storage, Layout(index_map.shape, index_map.strides), index_map.offset)
