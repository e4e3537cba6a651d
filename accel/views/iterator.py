"""`LayoutTensorIter`: a tile that goes along an axis."""

from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from accel.errors import BoundsError, reading_pickled
from accel.views.checks import as_axis, as_sizes, as_whole
from accel.views.core import TensorCore
from accel.views.tiling import tile_sizes

if TYPE_CHECKING:
    from accel.views.layout_tensor import LayoutTensor

__all__ = ["LayoutTensorIter"]


class LayoutTensorIter:
    """The tiles of a tensor along one axis, from some tile on; `LayoutTensor.tiled_iterator` makes it.

    In a ``for`` loop it gives the tiles that are left; a circular one starts again after the last, without end.

    Parameters
    ----------
    tensor : LayoutTensor
        What is cut into tiles.
    sizes : tuple of int
        The extents of a tile.
    coords : tuple of int
        Where the first tile is.
    axis : int
        Which coordinate advances.
    circular : bool
        Whether the first tile of the axis follows the last.

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
        self, tensor: "LayoutTensor", sizes: Any, coords: Any, axis: SupportsIndex = 0, circular: bool = False
    ) -> None:
        self._tensor = tensor
        self._sizes = tile_sizes(tensor._geometry, sizes)
        given = as_sizes(coords, tensor.rank, "the coordinates of a tile")
        counts = [-(-extent // size) for extent, size in zip(tensor._geometry.extents, self._sizes, strict=True)]
        # Counted from the front, so that going back ends there.
        self._coords = [c + count if c < 0 else c for c, count in zip(given, counts, strict=True)]
        self._axis = as_axis(axis, tensor.rank)
        self._count = counts[self._axis]
        self._circular = circular and self._count > 0

    def get(self) -> "LayoutTensor":
        """Return the tile that it stands at, as a view.

        Raises
        ------
        BoundsError
            If it went past the last tile, or before the first.
        """
        if any(c < 0 for c in self._coords):
            raise BoundsError(f"tile {tuple(self._coords)} is before the first; go on with next(count)")
        return self._tensor.tile(self._sizes, tuple(self._coords))

    def next(self, count: SupportsIndex = 1) -> None:
        """Go on by some tiles; negative counts go back."""
        place = self._coords[self._axis] + as_whole(count, "a count of tiles")
        self._coords[self._axis] = place % self._count if self._circular else place

    def __iadd__(self, count: SupportsIndex) -> Self:
        self.next(count)
        return self

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> "LayoutTensor":
        if self._coords[self._axis] >= self._count:
            raise StopIteration
        tile = self.get()
        self.next()
        return tile

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self._tensor, self._sizes, tuple(self._coords), self._axis, self._circular)


def _unpickled(*state: Any) -> LayoutTensorIter:
    """Return the iterator that came out of a pickle.

    Raises
    ------
    FormatError
        If it is none.
    """
    with reading_pickled("iterator of tiles"):
        kind, tensor, sizes, coords, axis, circular = state
        classes = isinstance(kind, type) and issubclass(kind, LayoutTensorIter) and isinstance(tensor, TensorCore)
        if not (classes and isinstance(circular, bool)):
            raise TypeError(f"found {', '.join(type(part).__name__ for part in state)}")
        found: LayoutTensorIter = kind(tensor, sizes, coords, axis, circular)
        return found
