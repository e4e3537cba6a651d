"""`Tiling`: a shape in tiles of one shape; a color is the position of a tile."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import SupportsIndex

from accel.errors import StoreIndexError, StoreSizeError, StoreValueError
from accel.store.index_maps import sizes_of

__all__ = ["Tiling"]


class Tiling:
    """The base of partitions: which tiles there are.

    Attributes
    ----------
    tile_shape : tuple of int
        Number of elements of a tile along each dimension.
    color_shape : tuple of int
        Number of tiles along each dimension.

    Raises
    ------
    StoreValueError
        If a shape has another number of dimensions than the elements, or no volume.
    StoreSizeError
        If a size is negative.
    """

    __slots__ = ("color_shape", "tile_shape")

    def __init__(
        self,
        shape: tuple[int, ...],
        tile_shape: Iterable[SupportsIndex],
        color_shape: Iterable[SupportsIndex] | None = None,
    ) -> None:
        self.tile_shape: tuple[int, ...] = _positive(tile_shape, "tile", len(shape))
        self.color_shape: tuple[int, ...] = (
            tuple([-(-extent // size) for extent, size in zip(shape, self.tile_shape, strict=True)])
            if color_shape is None
            else _positive(color_shape, "color", len(shape))
        )

    def colors(self) -> Iterator[tuple[int, ...]]:
        """Return all colors, in C order."""
        return product(*map(range, self.color_shape))

    def _checked(self, color: Iterable[SupportsIndex]) -> tuple[int, ...]:
        """Return a color; `StoreIndexError` if there is no such one, `StoreSizeError` if an index is negative."""
        position = sizes_of(color)
        if any(index < 0 for index in position):
            raise StoreSizeError(f"can't convert negative value to uint64_t: the color is {[*position]}")
        if len(position) != len(self.color_shape) or any(
            index >= count for index, count in zip(position, self.color_shape, strict=True)
        ):
            raise StoreIndexError(f"Color {[*position]} is invalid for partition of color shape {[*self.color_shape]}")
        return position

    def __len__(self) -> int:
        return prod(self.color_shape)


def _positive(shape: Iterable[SupportsIndex], name: str, ndim: int) -> tuple[int, ...]:
    sizes = sizes_of(shape)
    if len(sizes) != ndim:
        raise StoreValueError(f"Incompatible {name} shape: expected a {ndim}-tuple, got a {len(sizes)}-tuple")
    if any(size < 0 for size in sizes):
        raise StoreSizeError(f"can't convert negative value to uint64_t: the {name} shape is {[*sizes]}")
    if not prod(sizes):
        raise StoreValueError(f"{name.capitalize()} shape must have a volume greater than 0")
    return sizes
