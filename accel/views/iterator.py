"""`LayoutTensorIter`: iterates over the tiles of a tensor along one axis."""

from typing import Any, Generic, Protocol, Self, SupportsIndex, TypeVar

from accel.errors import BoundsError, reading_pickled
from accel.views.core import TensorCore
from accel.views.geometry import Geometry
from accel.views.index_checks import as_axis, as_sizes, as_whole
from accel.views.tiling import tile_sizes

__all__ = ["LayoutTensorIter"]


class _Tiled(Protocol):
    """What the iterator needs of a tensor."""

    _geometry: Geometry

    @property
    def rank(self) -> int: ...

    def tile(self, sizes: Any, coords: Any) -> Self: ...


_Tensor = TypeVar("_Tensor", bound=_Tiled)


class LayoutTensorIter(Generic[_Tensor]):
    """Iterator over the tiles of a tensor along one axis; made by `LayoutTensor.tiled_iterator`.

    A ``for`` loop yields the remaining tiles. A circular iterator starts again after the last tile and never ends.

    Parameters
    ----------
    tensor : LayoutTensor
        The tensor to tile.
    sizes : tuple of int
        Extent of a tile along each mode.
    coords : tuple of int
        Tile coordinates of the first tile.
    axis : int
        The tile coordinate that advances.
    circular : bool
        Whether the iterator continues with the first tile of the axis after the last.

    Examples
    --------
    >>> import accel
    >>> t = accel.LayoutTensor(accel.container([0.0, 1.0, 2.0, 3.0]), accel.layout.Layout(4))
    >>> tiles = t.tiled_iterator((2,), (0,))
    >>> tiles += 1
    >>> print(tiles.get())
    2.0 3.0
    """

    __slots__ = ("_axis", "_circular", "_coords", "_count", "_sizes", "_tensor")

    def __init__(
        self, tensor: _Tensor, sizes: Any, coords: Any, axis: SupportsIndex = 0, circular: bool = False
    ) -> None:
        self._tensor = tensor
        self._sizes = tile_sizes(tensor._geometry, sizes)
        coordinates = as_sizes(coords, tensor.rank, "the coordinates of a tile")
        counts = [-(-extent // size) for extent, size in zip(tensor._geometry.extents, self._sizes, strict=True)]
        # Negative coordinates are resolved here, so that stepping back past tile 0 is an error and does not wrap.
        self._coords = [c + count if c < 0 else c for c, count in zip(coordinates, counts, strict=True)]
        self._axis = as_axis(axis, tensor.rank)
        self._count = counts[self._axis]
        self._circular = circular and self._count > 0

    def get(self) -> _Tensor:
        """Return the current tile as a view.

        Raises
        ------
        BoundsError
            If the iterator is past the last tile, or before the first.
        """
        if any(c < 0 for c in self._coords):
            raise BoundsError(f"tile {tuple(self._coords)} is before the first; go on with next(count)")
        return self._tensor.tile(self._sizes, tuple(self._coords))

    def next(self, count: SupportsIndex = 1) -> None:
        """Advance by ``count`` tiles; a negative count goes back.

        Parameters
        ----------
        count : int, default 1
            How many tiles.
        """
        coordinate = self._coords[self._axis] + as_whole(count, "a count of tiles")
        self._coords[self._axis] = coordinate % self._count if self._circular else coordinate

    def __iadd__(self, count: SupportsIndex) -> Self:
        self.next(count)
        return self

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _Tensor:
        if self._coords[self._axis] >= self._count:
            raise StopIteration
        tile = self.get()
        self.next()
        return tile

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self._tensor, self._sizes, tuple(self._coords), self._axis, self._circular)


def _unpickled(*state: Any) -> LayoutTensorIter[Any]:
    """Return the iterator that was pickled.

    Raises
    ------
    FormatError
        If the state is not that of an iterator.
    """
    with reading_pickled("iterator of tiles"):
        kind, tensor, sizes, coords, axis, circular = state
        classes = isinstance(kind, type) and issubclass(kind, LayoutTensorIter) and isinstance(tensor, TensorCore)
        if not (classes and isinstance(circular, bool)):
            raise TypeError(f"found {', '.join(type(part).__name__ for part in state)}")
        iterator: LayoutTensorIter[Any] = kind(tensor, sizes, coords, axis, circular)
        return iterator
