"""Cut a picture into tiles, each with a halo of surrounding pixels."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from accel import xp
from accel.xp import Array

__all__ = ["Tile", "cover", "cut"]


@dataclass(frozen=True, slots=True)
class Tile:
    """The pixels from (top, left) up to, not including, (bottom, right)."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def index(self) -> tuple[slice, slice]:
        """The index of this tile in an array of the picture's shape."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def __str__(self) -> str:
        return f"row {self.top}, column {self.left}"


def cover(height: int, width: int, side: int) -> Iterator[Tile]:
    """Yield tiles of at most ``side`` by ``side`` pixels that cover each pixel once, row by row.

    Their heights are equal or differ by one pixel, and so do their widths.
    """
    rows, columns = _ends(height, side), _ends(width, side)
    for top, bottom in pairwise(rows):
        for left, right in pairwise(columns):
            yield Tile(top, left, bottom, right)


def _ends(extent: int, side: int) -> list[int]:
    """Return where the tiles along an axis end, after the first 0."""
    count = -(-extent // side)
    return [extent * i // count for i in range(count + 1)]


def cut(picture: Array, tile: Tile, halo: int) -> Array:
    """Return a copy of a tile and ``halo`` pixels on each side; beyond its edges the picture is mirrored.

    Mirroring repeats the last pixel (``symmetric`` in `numpy.pad`). With a symmetric filter, one mirroring of the input
    then gives the same result as mirroring the input of every step.

    Parameters
    ----------
    picture : Array
        Of shape (height, width, ...).
    tile : Tile
        A part of it.
    halo : int
        How many pixels to add on each side.
    """
    rows = _mirrored(tile.top - halo, tile.bottom + halo, picture.shape[0], picture)
    columns = _mirrored(tile.left - halo, tile.right + halo, picture.shape[1], picture)
    return xp.take(xp.take(picture, rows, axis=0), columns, axis=1)


def _mirrored(start: int, stop: int, size: int, like: Array) -> Array:
    place = xp.remainder(xp.arange(start, stop, device=like.device), 2 * size)
    return xp.where(place < size, place, 2 * size - 1 - place)
