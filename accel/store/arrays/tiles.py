"""`LogicalArrayPartition`: an array cut into tiles along its first dimension."""

from collections.abc import Iterator
from operator import index
from typing import SupportsIndex

from accel.errors import StoreIndexError, StoreSizeError, StoreValueError
from accel.store.arrays.logical_array import LogicalArray

__all__ = ["LogicalArrayPartition", "tiled"]


class LogicalArrayPartition:
    """An array cut into tiles along its first dimension; a color is the position of a tile.

    Attributes
    ----------
    array : LogicalArray
        The array.
    tile_shape, color_shape : tuple of int
        Number of elements of a tile, and number of tiles.
    """

    __slots__ = ("array", "color_shape", "tile_shape")

    def __init__(self, array: LogicalArray, tile: int, colors: int) -> None:
        self.array = array
        self.tile_shape = (tile,)
        self.color_shape = (colors,)

    def colors(self) -> Iterator[tuple[int, ...]]:
        """Return all colors."""
        return ((color,) for color in range(self.color_shape[0]))

    def get_child_array(self, *color: SupportsIndex) -> LogicalArray:
        """Return a tile, a view of the array; its `LogicalArray.origins` say where it is.

        For lists and strings this waits for the tasks that write the descriptor or the offsets.

        Raises
        ------
        StoreIndexError
            If there is no such color.
        FormatError
            If the tile refers to values that are not there.
        """
        at = tuple(map(index, color))
        if len(at) != 1 or not 0 <= at[0] < self.color_shape[0]:
            raise StoreIndexError(f"Color {[*at]} is invalid for partition of color shape {[*self.color_shape]}")
        extent, (tile,) = self.array.shape[0], self.tile_shape
        low = min(at[0] * tile, extent)
        return self.array.rows(low, min(low + tile, extent))

    def __len__(self) -> int:
        return self.color_shape[0]

    def __repr__(self) -> str:
        return f"<LogicalArrayPartition of {self.array}, {self.color_shape[0]} tiles of {self.tile_shape[0]}>"


def tiled(array: LogicalArray, tile: SupportsIndex, colors: SupportsIndex | None) -> LogicalArrayPartition:
    """Cut an array into tiles."""
    if not array.ndim:
        raise StoreValueError("an array without dimensions has no tiles; promote it first")
    size = _positive(tile, "Tile")
    count = -(-array.shape[0] // size) if colors is None else _positive(colors, "Color")
    return LogicalArrayPartition(array, size, count)


def _positive(given: SupportsIndex, title: str) -> int:
    size = index(given)
    if size < 0:
        raise StoreSizeError(f"can't convert negative value to uint64_t: the {title.lower()} shape is {size}")
    if not size:
        raise StoreValueError(f"{title} shape must have a volume greater than 0")
    return size
