"""`StoreView`: the elements of a root that a stack of transforms leaves, in their order."""

from collections.abc import Iterable
from math import prod
from typing import Self, SupportsIndex

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import StoreValueError
from accel.store import boxes
from accel.store.index_maps import IndexMap
from accel.store.indexing import Key, indexed, refuse_step
from accel.store.root import Root
from accel.store.slices import Slice

__all__ = ["StoreView"]

_new = object.__new__
Range = slice  # inside the class, `slice` is a method


class StoreView:
    """The base of `LogicalStore`: a root, which elements of it, and their type.

    Attributes
    ----------
    root : Root
        What all views of this store share.
    dtype : numpy.dtype
        Type of the elements.
    """

    __slots__ = ("_map", "dtype", "root")
    root: Root
    dtype: DType
    _map: IndexMap | None

    @classmethod
    def on(cls, root: Root, index_map: IndexMap | None = None, dtype: DType | None = None) -> Self:
        """Return a view of a root; without a map, of all its elements."""
        view = _new(cls)
        view.root = root
        view.dtype = root.dtype if dtype is None else dtype
        if index_map is None and root.shape is not None:
            index_map = IndexMap.whole(root.shape, root.strides, root.start)
        view._map = index_map
        return view

    @property
    def map(self) -> IndexMap:
        """Where the elements are in the root; waits for the task that chooses the shape of an unbound store."""
        index_map = self._map
        if index_map is None:
            index_map = self._map = IndexMap.whole(self.root.bound_shape(), self.root.strides, self.root.start)
        return index_map

    @property
    def _known_map(self) -> IndexMap | None:
        """The map; None if a task has yet to choose the shape."""
        return self._map if self.root.shape is None else self.map

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension; waits for the task that chooses it."""
        return self.map.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        index_map = self._map
        return self.root.ndim if index_map is None else len(index_map.shape)

    @property
    def volume(self) -> int:
        """Number of elements; waits for the task that chooses the shape."""
        return prod(self.map.shape)

    @property
    def unbound(self) -> bool:
        """Whether the shape is not chosen yet; False from when the task that chooses it was submitted."""
        return self._map is None and self.root.unbound

    @property
    def known_shape(self) -> tuple[int, ...] | None:
        """Number of elements along each dimension; None if a task has yet to choose them. Does not wait."""
        index_map = self._known_map
        return None if index_map is None else index_map.shape

    @property
    def transformed(self) -> bool:
        """Whether indices of this store differ from those of its root."""
        return self._map is not None and self._map.transformed

    @property
    def has_scalar_storage(self) -> bool:
        """Whether this is a scalar store."""
        return self.root.scalar

    # Transforms

    def promote(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Add a dimension that repeats the values ``size`` times; it becomes dimension ``dim``.

        Raises
        ------
        StoreValueError
            If ``dim`` is not in [-ndim, ndim].
        """
        return self._view((self._map or self.map).promote(dim, size))

    def project(self, dim: SupportsIndex, index: SupportsIndex) -> Self:
        """Remove a dimension: keep the elements at one index of it.

        Raises
        ------
        StoreValueError
            If there is no such dimension.
        StoreIndexError
            If there is no such index; an IndexError and a ValueError.
        NonInvertibleTransformation
            If the dimension is an inner part of one that `delinearize` split.
        """
        return self._view((self._map or self.map).project(dim, index))

    def broadcast(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Repeat the values along a dimension of extent 1.

        Raises
        ------
        StoreValueError
            If there is no such dimension, or its extent is not 1.
        """
        return self._view((self._map or self.map).broadcast(dim, size))

    def slice(self, dim: SupportsIndex, bounds: Slice | Range) -> Self:
        """Keep a range of a dimension.

        Negative bounds count from the end, and a start past the stop gives no elements. ``store[a:b]`` cuts bounds off
        as Python does.

        Raises
        ------
        StoreValueError
            If there is no such dimension.
        StoreIndexError
            If the range ends past it; an IndexError and a ValueError.
        """
        if not isinstance(bounds, Slice) and bounds.step not in (None, 1):
            refuse_step(bounds)
        index_map = (self._map or self.map).slice(dim, bounds.start, bounds.stop)
        return self if index_map is self._map else self._view(index_map)

    def transpose(self, axes: Iterable[SupportsIndex]) -> Self:
        """Reorder the dimensions: dimension ``i`` of the result is ``axes[i]`` of this store.

        Raises
        ------
        StoreValueError
            If ``axes`` is no permutation of the dimensions.
        """
        return self._view((self._map or self.map).transpose(axes))

    def delinearize(self, dim: SupportsIndex, sizes: Iterable[SupportsIndex]) -> Self:
        """Split a dimension into several, in C order.

        Raises
        ------
        StoreValueError
            If there is no such dimension, or the product of the sizes is not its extent.
        """
        return self._view((self._map or self.map).delinearize(dim, sizes))

    def reinterpret_as(self, dtype: DTypeLike) -> Self:
        """Return the same bytes as elements of another type of the same size and alignment.

        Raises
        ------
        StoreValueError
            If the size or the alignment differs.
        """
        other = as_dtype(dtype)
        if (other.itemsize, other.alignment) != (self.dtype.itemsize, self.dtype.alignment):
            raise StoreValueError(
                f"{self.dtype.name} has {self.dtype.itemsize} bytes aligned to {self.dtype.alignment}, and "
                f"{other.name} has {other.itemsize} aligned to {other.alignment}: both must be equal"
            )
        return type(self).on(self.root, self._map, other)

    def __getitem__(self, key: Key) -> Self:
        """Return a view by integers, slices, an ellipsis and None, as NumPy does; slices are cut off at the ends.

        Raises
        ------
        StoreIndexError
            If there is no such index; an IndexError.
        NotImplementedError
            If a slice has a step.
        """
        index_map = indexed(self.map, key)
        return self if index_map is self._map else self._view(index_map)

    # Relations

    def equal_storage(self, other: "StoreView") -> bool:
        """Tell whether two stores cover the same elements of one root, in whatever order.

        As in Legate, two slices are the same storage, but a slice and its root are not, and each empty slice is
        storage of its own.
        """
        return self.root is other.root and self.map.same_storage(other.map)

    def overlaps(self, other: "StoreView") -> bool:
        """Tell whether two stores cover an element of one root in common; an empty slice covers none."""
        return self.root is other.root and boxes.overlap(self.map.box, other.map.box)

    def _view(self, index_map: IndexMap) -> Self:
        view = _new(type(self))
        view.root = self.root
        view.dtype = self.dtype
        view._map = index_map
        return view
