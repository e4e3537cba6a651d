"""`ArrayOfStores`: the stores of an array and of its children, and transforms of all of them."""

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, Generic, Self, SupportsIndex, TypeVar

import numpy as np

from accel.device import DeviceLike
from accel.errors import StoreError, StoreValueError
from accel.interchange.arrow.columns import Column, Values
from accel.interchange.arrow.export import array_capsules, device_array_capsules
from accel.interchange.arrow.fields import Field, format_of, schema_capsule
from accel.memory.host_storage import HostStorage
from accel.store.arrays.array_base import ArrayBase
from accel.store.arrays.arrow_columns import HostColumn, mask_of, storage_of
from accel.store.arrays.nesting import Nesting
from accel.store.arrays.physical_array import PhysicalArray, physical_array
from accel.store.descriptions import idle_values
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.slices import Slice
from accel.store.store_targets import StoreTarget

__all__ = ["ArrayOfStores"]

Range = slice  # inside the class, `slice` is a method
_Array = TypeVar("_Array", bound="ArrayOfStores[Any]")


class ArrayOfStores(ArrayBase[LogicalStore, _Array], Generic[_Array]):
    """The base of logical arrays."""

    __slots__ = ("_origin",)
    _origin: tuple[int, ...] | None

    def _start(self, data: LogicalStore, null_mask: LogicalStore | None, origin: tuple[int, ...] | None = None) -> Self:
        if null_mask is not None and null_mask.dtype != np.bool_:
            raise StoreValueError(f"a null mask is of dtype bool; found {null_mask.dtype.name}")
        self._data = data
        self._mask = null_mask
        self._origin = origin
        return self

    def _check_mask(self) -> None:
        """Raise `StoreValueError` unless the null mask has the shape of the array."""
        mask = self._mask
        if mask is None or mask.known_shape is None or self._data.known_shape is None:
            return
        if mask.shape != self.shape:
            raise StoreValueError(f"a null mask has the shape of its array, {self.shape}; found {mask.shape}")

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
        """Whether the shape of a store is not chosen yet; False from when the tasks that choose it were submitted."""
        return any(store.unbound for store in self.stores())

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
        stores = [_at(store.get_physical_store(target), origin) for store, origin in located]
        return physical_array(self.nesting, stores)

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

        return pa.array(HostColumn(self._checked_column()))

    def __arrow_c_schema__(self) -> object:
        return schema_capsule(self._field(""))

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return array_capsules(self._checked_column())

    def __arrow_c_device_array__(self, requested_schema: object = None, **_options: object) -> tuple[object, object]:
        return device_array_capsules(self._checked_column())

    def _checked_column(self) -> Column:
        """Return this array as a column of Arrow on the same memory, once the tasks that write it are done."""
        if self.ndim != 1:
            raise StoreValueError(
                f"Arrow's columns have 1 dimension, and this array has {self.ndim}; project the others"
            )
        return self._column()

    def __repr__(self) -> str:
        if any(store.known_shape is None for store in self.stores()):
            return self._text("unbound" if self.unbound else "a task that writes it is in flight")
        stores = [_idle(store) for store in self.stores()]
        known = [store for store in stores if store is not None]
        values = physical_array(self.nesting, known)._values if len(known) == len(stores) else ""
        return self._text(f"shape {self.shape}", values)

    # What subclasses replace

    def rows(self, low: int, high: int) -> Self:
        """Return the elements from ``low`` to before ``high`` along the first dimension; see `partition_by_tiling`."""
        origin = self._first + low, *(0,) * (self.ndim - 1)
        return self._like(self._data.slice(0, Slice(low, high)), self._mask_rows(low, high), origin)

    @property
    def _has_list(self) -> bool:
        """Whether this is or contains an array of lists or strings."""
        return any(part._has_list for part in self._parts())

    def _parts(self) -> tuple[_Array, ...]:
        """Return the children whose stores are not own stores."""
        return ()

    def _own_stores(self) -> tuple[LogicalStore, ...]:
        return (self._data,)

    def _each(self, transform: Callable[[LogicalStore], LogicalStore]) -> Self:
        self._refuse_lists()
        return self._like(transform(self._data), None if self._mask is None else transform(self._mask))

    def _column(self) -> Column:
        return Values(storage_of(self._data), mask_of(self._mask))

    def _field(self, name: str) -> Field:
        """Return the type as Arrow says it."""
        return Field(format_of(self._data.dtype), name)

    # Helpers of subclasses

    @property
    def _first(self) -> int:
        """The coordinate of the first element along the first dimension."""
        return self._origin[0] if self._origin else 0

    def _like(self, data: LogicalStore, null_mask: LogicalStore | None, origin: tuple[int, ...] | None = None) -> Self:
        """Return an array of this kind on other stores, not checked."""
        array: Self = object.__new__(type(self))
        return array._start(data, null_mask, origin)

    def _masks(self) -> tuple[LogicalStore, ...]:
        return () if self._mask is None else (self._mask,)

    def _mask_rows(self, low: int, high: int) -> LogicalStore | None:
        return None if self._mask is None else self._mask.slice(0, Slice(low, high))

    def _origin_of(self, store: LogicalStore) -> tuple[int, ...]:
        return (self._first, *(0,) * (store.ndim - 1)) if store.ndim else ()

    def _refuse_lists(self) -> None:
        if self._has_list:
            raise StoreError(
                f"List arrays do not support store transformations: this is a {self._kind.value} array; write "
                f"x.rows(low, high) for a part, or x.partition_by_tiling(shape)"
            )


def _idle(store: LogicalStore) -> PhysicalStore | None:
    """Return a store for its values, if they can be read without waiting."""
    root = store.root
    if idle_values(root, store.map, store.dtype) is None or not isinstance(root.contents, HostStorage):
        return None
    return PhysicalStore.on(root.contents, store.map, store.dtype, access=Access.READ, place=root.place)


def _at(store: PhysicalStore, origin: tuple[int, ...]) -> PhysicalStore:
    """Give a physical store the coordinates of its first element."""
    if any(origin):
        store._origin = origin
    return store
