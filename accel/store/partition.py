"""`LogicalStorePartition`: a store cut into tiles (Legate's)."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import SupportsIndex

from accel.errors import StoreIndexError, StoreSizeError, StoreValueError
from accel.store.index_maps import IndexMap, sizes_of
from accel.store.logical_store import LogicalStore

__all__ = ["LogicalStorePartition", "tiled"]


class LogicalStorePartition:
    """A store cut into tiles of one shape; a color is the position of a tile (Legate's ``LogicalStorePartition``).

    Attributes
    ----------
    store : LogicalStore
        The store.
    tile_shape : tuple of int
        Number of elements of a tile along each dimension.
    color_shape : tuple of int
        Number of tiles along each dimension.
    """

    __slots__ = ("color_shape", "store", "tile_shape")

    def __init__(self, store: LogicalStore, tile_shape: tuple[int, ...], color_shape: tuple[int, ...]) -> None:
        self.store = store
        self.tile_shape = tile_shape
        self.color_shape = color_shape

    def colors(self) -> Iterator[tuple[int, ...]]:
        """Return all colors, in C order."""
        return product(*map(range, self.color_shape))

    def tile(self, color: tuple[int, ...]) -> tuple[IndexMap, tuple[int, ...]]:
        """Return the map of the tile of a color, and the index of its first element in the store.

        Tiles past the end of the store are empty.
        """
        whole, origin, shape = self.store.map, [], []
        for at, tile, extent in zip(color, self.tile_shape, whole.shape, strict=True):
            low = min(at * tile, extent)
            origin.append(low)
            shape.append(min(tile, extent - low))
        return whole.of_tile(origin, shape, first=not any(color)), tuple(origin)

    def get_child_store(self, *color: SupportsIndex) -> LogicalStore:
        """Return a tile, a view of the store; tiles past its end are empty.

        Raises
        ------
        StoreIndexError
            If there is no such color.
        StoreSizeError
            If an index is negative.
        """
        at = sizes_of(color)
        if len(at) != len(self.color_shape):
            self._refuse(at)
        for each, count in zip(at, self.color_shape, strict=True):
            if each < 0:
                raise StoreSizeError(f"can't convert negative value to uint64_t: the color is {[*at]}")
            if each >= count:
                self._refuse(at)
        return LogicalStore.on(self.store.root, self.tile(at)[0], self.store.dtype)

    def _refuse(self, color: tuple[int, ...]) -> None:
        raise StoreIndexError(f"Color {[*color]} is invalid for partition of color shape {[*self.color_shape]}")

    def __len__(self) -> int:
        return prod(self.color_shape)

    def __repr__(self) -> str:
        return f"<LogicalStorePartition of {self.store}, {self.color_shape} tiles of {self.tile_shape}>"


def tiled(
    store: LogicalStore, tile_shape: Iterable[SupportsIndex], color_shape: Iterable[SupportsIndex] | None
) -> LogicalStorePartition:
    """Cut a store into tiles."""
    tile = _positive(tile_shape, "Tile", "tile", store.ndim)
    if color_shape is None:
        colors = tuple([-(-extent // size) for extent, size in zip(store.shape, tile, strict=True)])
    else:
        colors = _positive(color_shape, "Color", "color", store.ndim)
    return LogicalStorePartition(store, tile, colors)


def _positive(given: Iterable[SupportsIndex], title: str, name: str, ndim: int) -> tuple[int, ...]:
    sizes = sizes_of(given)
    if len(sizes) != ndim:
        raise StoreValueError(f"Incompatible {name} shape: expected a {ndim}-tuple, got a {len(sizes)}-tuple")
    if any(size < 0 for size in sizes):
        raise StoreSizeError(f"can't convert negative value to uint64_t: the {name} shape is {[*sizes]}")
    if not prod(sizes):
        raise StoreValueError(f"{title} shape must have a volume greater than 0")
    return sizes
