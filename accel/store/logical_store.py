"""`LogicalStore`: elements of a shape, apart from where they are, and their partitions (Legate's)."""

from collections.abc import Iterable
from itertools import islice
from math import prod
from os import PathLike
from typing import Any, SupportsIndex
from uuid import uuid4

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DTypeLike, as_dtype, exact_cast
from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store import box_order, shared_memory
from accel.store.descriptions import html_of, idle_values, state_of, values_text
from accel.store.host_values import host_values
from accel.store.index_maps import IndexMap
from accel.store.parts import Part, elements
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.scalars import Scalar
from accel.store.store_targets import Place, StoreTarget, place_of_argument
from accel.store.store_view import StoreView
from accel.store.tiling import Tiling
from accel.store.zarr_arrays import write_zarr

__all__ = ["LogicalStore", "LogicalStorePartition"]

_SHOWN = 20  # tiles, of a partition in a notebook


class LogicalStore(StoreView):
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

    __slots__ = ("_tiling",)
    # The shapes of the current partition, not the partition: it refers to this store. Unset before the first one.
    _tiling: tuple[tuple[int, ...], tuple[int, ...]]

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
        partition = LogicalStorePartition(self, tile_shape, color_shape)
        self._tiling = partition.tile_shape, partition.color_shape
        return partition

    def get_partition(self) -> "LogicalStorePartition | None":
        """Return the partition that `partition_by_tiling` made last of this store; None if there is none."""
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
        shared_memory.settle(root, index_map, writing=not root.readonly)
        while True:
            if root.place != place:
                self._move_to(place)
            storage, here, instance = root.memory()
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

        Parameters
        ----------
        target : StoreTarget or Device or str
            The kind of memory.

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
        return np.array(host_values(self), dtype and as_dtype(dtype), copy=copy)

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
        write_zarr(self, path, chunks)

    def __repr__(self) -> str:
        state = ", ".join(state_of(self.root, self._known_map))
        values = values_text(idle_values(self.root, self._known_map, self.dtype))
        return f"<LogicalStore of {self.dtype.name}, {state}{values}>"

    def _repr_html_(self) -> str:
        state = ", ".join([f"of {self.dtype.name}", *state_of(self.root, self._known_map)])
        return html_of("LogicalStore", state, values_text(idle_values(self.root, self._known_map, self.dtype)))


class LogicalStorePartition(Tiling):
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

    __slots__ = ("store",)

    def __init__(
        self,
        store: LogicalStore,
        tile_shape: Iterable[SupportsIndex],
        color_shape: Iterable[SupportsIndex] | None = None,
    ) -> None:
        super().__init__(store.shape, tile_shape, color_shape)
        self.store: LogicalStore = store

    def tiles(self, colors: Iterable[tuple[int, ...]]) -> list[tuple[IndexMap, tuple[int, ...]]]:
        """Return for each color the map of its tile, and the index of the tile's first element in the store.

        Tiles past the end of the store are empty.

        Parameters
        ----------
        colors : iterable of tuple of int
            The colors.
        """
        tiles, whole = [], self.store.map
        for color in colors:
            origin, shape = [], []
            for at, tile, extent in zip(color, self.tile_shape, whole.shape, strict=True):
                low = min(at * tile, extent)
                origin.append(low)
                shape.append(min(tile, extent - low))
            tiles.append((whole.of_tile(origin, shape, first=not any(color)), tuple(origin)))
        return tiles

    def get_child_store(self, *color: SupportsIndex) -> LogicalStore:
        """Return a tile, a view of the store; tiles past its end are empty.

        Parameters
        ----------
        *color : int
            The position of the tile.

        Raises
        ------
        StoreIndexError
            If there is no such color.
        StoreSizeError
            If an index is negative.
        """
        ((tile, _),) = self.tiles([self._checked(color)])
        return LogicalStore.on(self.store.root, tile, self.store.dtype)

    def __repr__(self) -> str:
        return f"<LogicalStorePartition of {self.store}, {self.color_shape} tiles of {self.tile_shape}>"

    def _repr_html_(self) -> str:
        from accel.pictures.html import card, table

        tiles = zip(self.colors(), self.tiles(islice(self.colors(), _SHOWN)), strict=False)
        rows = [(color, origin, tile.shape) for color, (tile, origin) in tiles]
        hidden = prod(self.color_shape) - len(rows)
        caption = f"the first {_SHOWN}; there are {hidden} more" if hidden else ""
        return card(
            "LogicalStorePartition",
            f"{self.color_shape} tiles of {self.tile_shape}",
            self.store._repr_html_(),
            table(("color", "begins at", "shape"), rows, caption=caption),
        )
