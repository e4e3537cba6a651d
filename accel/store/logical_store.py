"""`LogicalStore`: elements of a shape, apart from where they are; a root and a stack of transforms (Legate's)."""

from collections.abc import Iterable
from math import prod
from os import PathLike
from typing import TYPE_CHECKING, Any, SupportsIndex
from uuid import uuid4

from accel.device import DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype, exact_cast
from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store import box_order, boxes, shared_memory
from accel.store.index_maps import IndexMap
from accel.store.indexing import Key, indexed, refuse_step
from accel.store.parts import Part, elements
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.root import HOST, Root
from accel.store.scalars import Scalar
from accel.store.slices import Slice
from accel.store.store_targets import Place, StoreTarget, place_of_argument

if TYPE_CHECKING:
    from accel.store.partition import LogicalStorePartition

__all__ = ["LogicalStore"]

_new = object.__new__
Range = slice  # inside the class, `slice` is a method


class LogicalStore:
    """Elements of one type with a shape, apart from where they are (Legate's ``LogicalStore``).

    Made by `create_store` and `from_array`. Transforms are views: they copy nothing, and a write through one is seen
    through all.

    Attributes
    ----------
    root : Root
        What all views of this store share.
    dtype : numpy.dtype
        Type of the elements.
    """

    __slots__ = ("_map", "_tiling", "dtype", "root")
    root: Root
    dtype: DType
    _map: IndexMap | None
    # The shapes of the current partition, not the partition: it refers to this store. Unset before the first one.
    _tiling: tuple[tuple[int, ...], tuple[int, ...]]

    @classmethod
    def on(cls, root: Root, index_map: IndexMap | None = None, dtype: DType | None = None) -> "LogicalStore":
        """Return a view of a root; without a map, of all its elements."""
        made = object.__new__(cls)
        made.root = root
        made.dtype = root.dtype if dtype is None else dtype
        if index_map is None and root.shape is not None:
            index_map = IndexMap.whole(root.shape, root.strides, root.start)
        made._map = index_map
        return made

    @property
    def map(self) -> IndexMap:
        """Where the elements are in the root; waits for the task that chooses the shape of an unbound store."""
        known = self._map
        if known is None:
            known = self._map = IndexMap.whole(self.root.known_shape(), self.root.strides, self.root.start)
        return known

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension; waits for the task that chooses it."""
        return self.map.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        known = self._map
        return self.root.ndim if known is None else len(known.shape)

    @property
    def volume(self) -> int:
        """Number of elements; waits for the task that chooses the shape."""
        return prod(self.map.shape)

    @property
    def unbound(self) -> bool:
        """Whether a task chooses the shape."""
        return self.root.unbound

    @property
    def transformed(self) -> bool:
        """Whether indices of this store differ from those of its root."""
        return self._map is not None and self._map.transformed

    @property
    def has_scalar_storage(self) -> bool:
        """Whether this is a scalar store."""
        return self.root.scalar

    # Transforms

    def promote(self, dim: SupportsIndex, size: SupportsIndex) -> "LogicalStore":
        """Add a dimension that repeats the values ``size`` times; it becomes dimension ``dim``.

        Raises
        ------
        StoreValueError
            If ``dim`` is not in [-ndim, ndim].
        """
        return self._view((self._map or self.map).promote(dim, size))

    def project(self, dim: SupportsIndex, index: SupportsIndex) -> "LogicalStore":
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

    def broadcast(self, dim: SupportsIndex, size: SupportsIndex) -> "LogicalStore":
        """Repeat the values along a dimension of extent 1.

        Raises
        ------
        StoreValueError
            If there is no such dimension, or its extent is not 1.
        """
        return self._view((self._map or self.map).broadcast(dim, size))

    def slice(self, dim: SupportsIndex, bounds: Slice | Range) -> "LogicalStore":
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
        made = (self._map or self.map).slice(dim, bounds.start, bounds.stop)
        return self if made is self._map else self._view(made)

    def transpose(self, axes: Iterable[SupportsIndex]) -> "LogicalStore":
        """Reorder the dimensions: dimension ``i`` of the result is ``axes[i]`` of this store.

        Raises
        ------
        StoreValueError
            If ``axes`` is no permutation of the dimensions.
        """
        return self._view((self._map or self.map).transpose(axes))

    def delinearize(self, dim: SupportsIndex, sizes: Iterable[SupportsIndex]) -> "LogicalStore":
        """Split a dimension into several, in C order.

        Raises
        ------
        StoreValueError
            If there is no such dimension, or the product of the sizes is not its extent.
        """
        return self._view((self._map or self.map).delinearize(dim, sizes))

    def reinterpret_as(self, dtype: DTypeLike) -> "LogicalStore":
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
        return LogicalStore.on(self.root, self._map, other)

    def __getitem__(self, key: Key) -> "LogicalStore":
        """Return a view by integers, slices, an ellipsis and None, as NumPy does; slices are cut off at the ends.

        Raises
        ------
        StoreIndexError
            If there is no such index; an IndexError.
        NotImplementedError
            If a slice has a step.
        """
        made = indexed(self.map, key)
        return self if made is self._map else self._view(made)

    # Relations

    def equal_storage(self, other: "LogicalStore") -> bool:
        """Tell whether two stores cover the same elements of one root, in whatever order.

        As in Legate, two slices are the same storage, but a slice and its root are not, and each empty slice is
        storage of its own.
        """
        return self.root is other.root and self.map.same_storage(other.map)

    def overlaps(self, other: "LogicalStore") -> bool:
        """Tell whether two stores cover an element of one root in common; an empty slice covers none."""
        return self.root is other.root and boxes.overlap(self.map.box, other.map.box)

    def partition_by_tiling(
        self, tile_shape: Iterable[SupportsIndex], color_shape: Iterable[SupportsIndex] | None = None
    ) -> "LogicalStorePartition":
        """Cut this store into tiles.

        Parameters
        ----------
        tile_shape : sequence of int
            Number of elements of a tile along each dimension; those at the end may have fewer.
        color_shape : sequence of int, optional
            Number of tiles along each dimension, by default as many as there are. Tiles past the end are empty.

        Raises
        ------
        StoreValueError
            If a shape has another number of dimensions, or no volume.
        """
        from accel.store.partition import tiled  # which imports this module

        made = tiled(self, tile_shape, color_shape)
        self._tiling = made.tile_shape, made.color_shape
        return made

    def get_partition(self) -> "LogicalStorePartition | None":
        """Return the partition that `partition_by_tiling` made last of this store; None if there is none."""
        from accel.store.partition import LogicalStorePartition  # which imports this module

        tiling = getattr(self, "_tiling", None)
        return None if tiling is None else LogicalStorePartition(self, *tiling)

    # Values

    def get_physical_store(self, target: StoreTarget | DeviceLike | None = None) -> PhysicalStore:
        """Wait for all tasks that write this store, and return its memory.

        Parameters
        ----------
        target : StoreTarget or Device or str, optional
            The kind of memory, by default that of the host. Physical stores of another kind are invalid afterwards.

        Raises
        ------
        StoreError
            If the store is unbound or detached.
        ValueError
            If there is no such memory here.
        BaseException
            The error of the task that was to write it.
        """
        root, index_map = self.root, self.map
        place = HOST if target is None else place_of_argument(target)
        root.refuse_detached()
        shared_memory.settle(root, index_map.box, writing=not root.readonly)
        while True:
            if root.place != place:
                self._move_to(place)
            storage, here, instance = root.held()
            if here == place:  # no other thread has moved it meanwhile
                break
        return PhysicalStore.on(
            storage,
            index_map,
            self.dtype,
            access=Access.READ if root.readonly else Access.READ_WRITE,
            place=place,
            future=root.scalar,
            valid=lambda: root.instance == instance,
        )

    def _move_to(self, place: Place) -> None:
        root = self.root
        with box_order.hosting(root, root.box, Access.READ_WRITE):
            root.move_to(place)

    def fill(self, value: Any) -> None:
        """Write a value to all elements, after the tasks that use them.

        Parameters
        ----------
        value : number or Scalar
            The value.

        Raises
        ------
        ReadOnlyError
            If the store is attached to read-only memory.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        """
        root, index_map = self.root, self.map
        root.refuse_detached()
        root.refuse_read_only()
        number = exact_cast(value.value() if isinstance(value, Scalar) else value, self.dtype)
        if number.ndim:
            raise StoreValueError(f"fill takes one value; found {number.size}: write them in a task, or to an accessor")
        if index_map.empty:
            return
        index_map = index_map.distinct()
        with box_order.hosting(root, index_map.box, Access.WRITE):
            elements(root.storage(), Part.of(index_map, self.dtype), writable=True).fill(number[()])
            shared_memory.note_filled(root, index_map.box)

    def detach(self) -> None:
        """Wait for all uses, and give attached memory back to the user, up to date; the store is invalid afterwards.

        Raises
        ------
        StoreError
            If no memory is attached, or it was detached before.
        BaseException
            The failure of a task that was to write it; the memory is given back all the same.
        """
        root = self.root
        with box_order.hosting(root, root.box, Access.READ_WRITE):
            root.detach()
        root.regions.refuse_failed(root.box)

    def offload_to(self, target: StoreTarget | DeviceLike) -> None:
        """Move the values to another kind of memory, which then holds the only copy; also those of other views.

        Raises
        ------
        ValueError
            If there is no such memory here.
        OutOfMemoryError
            If it has not enough room; all is as it was.
        """
        place = place_of_argument(target)
        self.root.refuse_detached()
        self._move_to(place)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        from accel.store.host_values import host_values  # which imports this module

        values = host_values(self)
        if dtype is not None and as_dtype(dtype) != values.dtype:
            values, copy = values.astype(as_dtype(dtype)), False
        return values.copy() if copy else values

    def __dask_tokenize__(self) -> str:
        return uuid4().hex  # the values change: no two arrays of Dask share them

    def to_zarr(self, path: "str | PathLike[str]", chunks: Iterable[SupportsIndex] | None = None) -> None:
        """Wait for all tasks that write this store, and write it as an array of zarr, chunk by chunk.

        The array is written beside the path and renamed when it is complete. So after a crash there is the array that
        was there before, or the new one.

        Parameters
        ----------
        path : path
            A folder; an array of zarr that is there is replaced.
        chunks : sequence of int, optional
            Number of elements of a chunk along each dimension. By default the chunks that a store of `from_zarr` was
            read by, and else whole rows of a few MiB.

        Raises
        ------
        FileExistsError
            If something else is at the path.
        StoreValueError
            If the chunks do not fit the number of dimensions.
        DTypeError
            If zarr has no such elements.
        """
        from accel.store.zarr_arrays import to_zarr  # which imports this module

        to_zarr(self, path, chunks)

    def __repr__(self) -> str:
        shape = "unbound" if self._map is None and self.root.shape is None else f"shape {self.shape}"
        return f"<LogicalStore of {self.dtype.name}, {shape}>"

    def _view(self, index_map: IndexMap) -> "LogicalStore":
        made = _new(LogicalStore)
        made.root = self.root
        made.dtype = self.dtype
        made._map = index_map
        return made
