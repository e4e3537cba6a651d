"""`LogicalArray`: elements and a null mask, as stores (Legate's)."""

from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Self, SupportsIndex

import numpy as np

from accel.device import DeviceLike
from accel.errors import StoreError, StoreValueError
from accel.interchange.arrow.export import array_capsules, device_array_capsules
from accel.interchange.arrow.fields import schema_capsule
from accel.store.arrays.children import child_at
from accel.store.arrays.nesting import Kind, Nesting
from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.types import ArrayType
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore
from accel.store.slices import Slice
from accel.store.store_targets import StoreTarget

if TYPE_CHECKING:
    from accel.store.arrays.list_array import ListLogicalArray
    from accel.store.arrays.string_array import StringLogicalArray
    from accel.store.arrays.struct_array import StructLogicalArray
    from accel.store.arrays.tiles import LogicalArrayPartition

__all__ = ["LogicalArray"]

Range = slice  # inside the class, `slice` is a method


class LogicalArray:
    """Elements and, if the array is nullable, a mask of the valid ones (Legate's ``LogicalArray``).

    Arrays of lists, strings and structs are subclasses, which have child arrays. All memory is that of stores.

    Parameters
    ----------
    data : LogicalStore
        The elements.
    null_mask : LogicalStore, optional
        A boolean for each element, True where it is valid; without it all are.

    Raises
    ------
    StoreValueError
        If the mask has another shape, or is not boolean.

    Examples
    --------
    >>> from accel.store import create_store
    >>> from accel.store.arrays import LogicalArray
    >>> array = LogicalArray(create_store("float32", (2, 3)))
    >>> array.promote(0, 4), array.nullable
    (<LogicalArray of float32, shape (4, 2, 3)>, False)
    """

    __slots__ = ("_data", "_mask", "_origin")
    _kind = Kind.PRIMITIVE

    def __init__(self, data: LogicalStore, null_mask: LogicalStore | None = None) -> None:
        self._start(data, null_mask)
        if null_mask is not None and not (data.unbound or null_mask.unbound):
            refuse_mask_of_shape(null_mask, data.shape)

    def _start(self, data: LogicalStore, null_mask: LogicalStore | None, origin: tuple[int, ...] | None = None) -> None:
        if null_mask is not None and null_mask.dtype != np.bool_:
            raise StoreValueError(f"a null mask is of dtype bool; found {null_mask.dtype.name}")
        self._data = data
        self._mask = null_mask
        self._origin = origin

    # What it is

    @property
    def nullable(self) -> bool:
        """Whether there is a null mask."""
        return self._mask is not None

    @property
    def nested(self) -> bool:
        """Whether there are child arrays."""
        return self.num_children > 0

    @property
    def num_children(self) -> int:
        """Number of child arrays."""
        return len(self._children())

    @property
    def dtype(self) -> ArrayType:
        """Type of the elements."""
        return self._data.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._data.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension; waits for the task that chooses it."""
        return self._data.shape

    @property
    def volume(self) -> int:
        """Number of elements; waits for the task that chooses the shape."""
        return prod(self.shape)

    @property
    def unbound(self) -> bool:
        """Whether a task chooses the shape."""
        return any(store.unbound for store in self.stores())

    @property
    def data(self) -> LogicalStore:
        """The elements; `StoreValueError` if there are child arrays, which have them."""
        if self.nested:
            raise StoreValueError(
                f"Data store of a nested array cannot be retrieved: a {self._kind.value} array has children"
            )
        return self._data

    @property
    def null_mask(self) -> LogicalStore:
        """A boolean for each element, True where it is valid; `StoreValueError` if the array is not nullable."""
        if self._mask is None:
            raise StoreValueError("Invalid to retrieve the null mask of a non-nullable array; ask array.nullable first")
        return self._mask

    def child(self, index: SupportsIndex) -> "LogicalArray":
        """Return a child array.

        Raises
        ------
        StoreValueError
            If there are none, or the array is an unbound struct.
        StoreIndexError
            If there is no such child.
        """
        return child_at(self._children(), index, f"{self._kind.value} array")

    def as_list_array(self) -> "ListLogicalArray":
        """Return this array as one of lists; `StoreValueError` if it is another."""
        self._refuse_cast("list array")

    def as_string_array(self) -> "StringLogicalArray":
        """Return this array as one of strings; `StoreValueError` if it is another."""
        self._refuse_cast("string array")

    def as_struct_array(self) -> "StructLogicalArray":
        """Return this array as one of structs; `StoreValueError` if it is another."""
        self._refuse_cast("struct array")

    # Transforms of the elements and of the mask; `StoreError` for lists and strings, and for structs of these

    def promote(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Add a dimension; see `LogicalStore.promote`. So the methods below."""
        return self._each(lambda store: store.promote(dim, size))

    def project(self, dim: SupportsIndex, index: SupportsIndex) -> Self:
        """Remove a dimension."""
        return self._each(lambda store: store.project(dim, index))

    def broadcast(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Repeat the elements along a dimension of extent 1."""
        return self._each(lambda store: store.broadcast(dim, size))

    def slice(self, dim: SupportsIndex, bounds: Slice | Range) -> Self:
        """Keep a range of a dimension."""
        return self._each(lambda store: store.slice(dim, bounds))

    def transpose(self, axes: Iterable[SupportsIndex]) -> Self:
        """Reorder the dimensions."""
        order = list(axes)
        return self._each(lambda store: store.transpose(order))

    def delinearize(self, dim: SupportsIndex, sizes: Iterable[SupportsIndex]) -> Self:
        """Split a dimension into several."""
        parts = list(sizes)
        return self._each(lambda store: store.delinearize(dim, parts))

    def partition_by_tiling(self, tile: SupportsIndex, colors: SupportsIndex | None = None) -> "LogicalArrayPartition":
        """Cut this array into tiles along its first dimension.

        A tile of lists or strings has its part of the descriptor or of the offsets, and only those values that this
        part refers to. The values keep their coordinates.

        Parameters
        ----------
        tile : int
            Number of elements of a tile; the last one may have fewer.
        colors : int, optional
            Number of tiles, by default as many as there are. Tiles past the end are empty.

        Raises
        ------
        StoreValueError
            If a number is not positive.
        """
        from accel.store.arrays.tiles import tiled  # which imports this module

        return tiled(self, tile, colors)

    # Values

    def get_physical_array(self, target: StoreTarget | DeviceLike | None = None) -> PhysicalArray:
        """Wait for the tasks that write this array, and return its memory.

        Parameters
        ----------
        target : StoreTarget or Device or str, optional
            The kind of memory, by default that of the host. Physical arrays of another kind are invalid afterwards.

        Raises
        ------
        ValueError
            If there is no such memory here.
        """
        located = zip(self.stores(), self.origins(), strict=True)
        return self.physical([_at(store.get_physical_store(target), origin) for store, origin in located])

    def offload_to(self, target: StoreTarget | DeviceLike) -> None:
        """Move all stores to another kind of memory, which then holds the only copy; also those of other views.

        Raises
        ------
        ValueError
            If there is no such memory here.
        OutOfMemoryError
            If it has not enough room.
        """
        for store in self.stores():
            store.offload_to(target)

    def stores(self) -> tuple[LogicalStore, ...]:
        """Return all stores: the null mask if there is one, the own stores, then those of the children in order."""
        return (*self._masks(), *self._own_stores(), *(each for child in self._parts() for each in child.stores()))

    def origins(self) -> tuple[tuple[int, ...], ...]:
        """Return for each of `stores` the coordinates of its first element: in a tile, those in the whole array."""
        own = self._masks() + self._own_stores()
        return (*map(self._origin_of, own), *(each for child in self._parts() for each in child.origins()))

    def physical(self, physical_stores: Iterable[PhysicalStore]) -> PhysicalArray:
        """Return the physical array of physical stores, which are in the order of `stores`."""
        return self.nesting.physical(physical_stores)

    @property
    def nesting(self) -> Nesting:
        """How the stores belong together, for processes that have physical stores only."""
        return Nesting(self._kind, self.nullable, self._first, tuple(part.nesting for part in self._parts()))

    # Arrow

    def to_arrow(self) -> Any:
        """Return a pyarrow array on the same memory if that is on the host, else on a copy.

        Masks and booleans are copied, as Arrow has a bit for each; so are elements that are not contiguous. The other
        bytes are shared: Arrow takes them for immutable, so write to them here only when the result is gone.

        Raises
        ------
        ModuleNotFoundError
            If pyarrow is missing.
        StoreValueError
            If there is more than one dimension.
        """
        import pyarrow as pa  # type: ignore[import-untyped]

        from accel.store.arrays.to_arrow import HostColumn

        return pa.array(HostColumn(self))

    def __arrow_c_schema__(self) -> object:
        from accel.store.arrays.to_arrow import field_of

        return schema_capsule(field_of(self))

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        from accel.store.arrays.to_arrow import column_of

        return array_capsules(column_of(self))

    def __arrow_c_device_array__(self, requested_schema: object = None, **_options: object) -> tuple[object, object]:
        from accel.store.arrays.to_arrow import column_of

        return device_array_capsules(column_of(self))

    def __repr__(self) -> str:
        nullable = ", nullable" if self.nullable else ""
        shape = "unbound" if self.unbound else f"shape {self.shape}"
        return f"<{type(self).__name__} of {self.dtype}, {shape}{nullable}>"

    # What subclasses replace

    @property
    def _has_list(self) -> bool:
        """Whether this is or contains an array of lists or strings."""
        return any(part._has_list for part in self._parts())

    def _children(self) -> "tuple[LogicalArray, ...]":
        return ()

    def _parts(self) -> "tuple[LogicalArray, ...]":
        """Return the children whose stores are not own stores."""
        return ()

    def _own_stores(self) -> tuple[LogicalStore, ...]:
        return (self._data,)

    def _each(self, transform: Callable[[LogicalStore], LogicalStore]) -> Self:
        if self._has_list:
            self._refuse_transform()
        made = object.__new__(type(self))
        made._start(transform(self._data), None if self._mask is None else transform(self._mask))
        return made

    def rows(self, low: int, high: int) -> "LogicalArray":
        """Return the elements from ``low`` to before ``high`` along the first dimension; see `partition_by_tiling`."""
        made = object.__new__(type(self))
        made._start(
            self._data.slice(0, Slice(low, high)), self._mask_rows(low, high), (self._first + low, *self._rest())
        )
        return made

    # Helpers of subclasses

    @property
    def _first(self) -> int:
        """The coordinate of the first element along the first dimension."""
        return self._origin[0] if self._origin else 0

    def _rest(self) -> tuple[int, ...]:
        return (0,) * (self.ndim - 1)

    def _masks(self) -> tuple[LogicalStore, ...]:
        return () if self._mask is None else (self._mask,)

    def _mask_rows(self, low: int, high: int) -> LogicalStore | None:
        return None if self._mask is None else self._mask.slice(0, Slice(low, high))

    def _origin_of(self, store: LogicalStore) -> tuple[int, ...]:
        return (self._first, *(0,) * (store.ndim - 1)) if store.ndim else ()

    def _refuse_cast(self, wanted: str) -> NoReturn:
        raise StoreValueError(f"Array is not a {wanted}: it is a {self._kind.value} array of {self.dtype}")

    def _refuse_transform(self) -> NoReturn:
        raise StoreError(
            f"List arrays do not support store transformations: this is a {self._kind.value} array; use "
            f"partition_by_tiling, or transform the array of its values"
        )


def refuse_mask_of_shape(null_mask: LogicalStore, shape: tuple[int, ...]) -> None:
    """Raise `StoreValueError` unless a null mask has a shape."""
    if not null_mask.unbound and null_mask.shape != shape:
        raise StoreValueError(f"a null mask has the shape of its array, {shape}; found {null_mask.shape}")


def _at(store: PhysicalStore, origin: tuple[int, ...]) -> PhysicalStore:
    """Give a physical store the coordinates of its first element."""
    if any(origin):
        store._origin = origin
    return store
