"""`PhysicalCore`: what a physical store is, without its elements."""

from collections.abc import Callable
from typing import Any, Self

from accel.device import Device
from accel.dtypes import DType
from accel.errors import StoreError, StoreValueError
from accel.memory.any_storage import AnyStorage
from accel.store.binding import Binding
from accel.store.domains import Domain
from accel.store.index_maps import IndexMap
from accel.store.regions import Access
from accel.store.store_targets import Place, StoreTarget

__all__ = ["PhysicalCore"]


def _never() -> bool:
    return False


class PhysicalCore:
    """Base of `PhysicalStore`: its fields and properties.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the elements.
    """

    __slots__ = (
        "__weakref__",
        "_access",
        "_binding",
        "_future",
        "_map",
        "_op",
        "_origin",
        "_partitioned",
        "_place",
        "_storage",
        "_undefined",
        "_valid",
        "dtype",
    )
    _access: Access
    _binding: Binding | None
    _future: bool
    _map: IndexMap
    _op: Any
    _origin: tuple[int, ...] | None
    _partitioned: bool
    _place: Place
    _storage: AnyStorage
    _undefined: bool
    _valid: Callable[[], bool] | None
    dtype: DType

    @classmethod
    def on(
        cls,
        storage: AnyStorage,
        index_map: IndexMap,
        dtype: DType,
        *,
        access: Access,
        place: Place,
        origin: tuple[int, ...] | None = None,
        op: Any = None,
        partitioned: bool = False,
        future: bool = False,
        valid: Callable[[], bool] | None = None,
    ) -> Self:
        """Return the physical store of some memory; ``origin`` is the first point of its domain."""
        store = object.__new__(cls)
        store._storage = storage
        store._map = index_map
        store.dtype = dtype
        store._access = access
        store._place = place
        store._origin = origin
        store._op = op
        store._partitioned = partitioned
        store._future = future
        store._valid = valid
        store._binding = None
        store._undefined = access is Access.WRITE and place.device.type == "sim"
        return store

    @classmethod
    def unbound(cls, dtype: DType, ndim: int, place: Place) -> Self:
        """Return the physical store of an unbound store, which a task binds to data."""
        store = object.__new__(cls)
        store.dtype = dtype
        store._binding = Binding(dtype, ndim, place)
        store._access = Access.WRITE
        store._place = place
        store._op = None
        store._partitioned = store._future = store._undefined = False
        store._valid = None
        return store

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return self._known_map().shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._map.shape) if self._binding is None else self._binding.ndim

    @property
    def domain(self) -> Domain:
        """The points of this store; in a task on a tile, those of the tile in its store."""
        shape = self._known_map().shape
        origin = self._origin or (0,) * len(shape)
        return Domain(origin, tuple([low + extent - 1 for low, extent in zip(origin, shape, strict=True)]))

    @property
    def target(self) -> StoreTarget:
        """The kind of memory; an unbound store has none."""
        if self._binding is not None:
            raise StoreValueError("an unbound store has no target: its memory is that of the buffer that is bound")
        return self._place.kind

    @property
    def device(self) -> Device:
        """The device of the memory, or the device that it is pinned for."""
        return self._place.device if self._binding is not None else self._storage.device

    @property
    def valid(self) -> bool:
        """Whether the memory still holds the values of the store."""
        return self._valid is None or self._valid()

    @property
    def transformed(self) -> bool:
        """Whether indices of the store differ from those of its root."""
        return self._binding is None and self._map.transformed

    @property
    def is_readable(self) -> bool:
        """Whether its values may be read."""
        return self._binding is None and self._access in (Access.READ, Access.READ_WRITE)

    @property
    def is_writable(self) -> bool:
        """Whether values may be written."""
        return self._access in (Access.WRITE, Access.READ_WRITE)

    @property
    def is_reducible(self) -> bool:
        """Whether values may be combined into it."""
        return self._binding is None and self._access in (Access.REDUCE, Access.READ_WRITE)

    @property
    def is_future(self) -> bool:
        """Whether it is a scalar store."""
        return self._future

    @property
    def is_unbound_store(self) -> bool:
        """Whether a task chooses its shape; also after it has done so."""
        return self._binding is not None

    @property
    def is_partitioned(self) -> bool:
        """Whether the task sees only a part of the store."""
        return self._partitioned

    @property
    def bound(self) -> tuple[AnyStorage, tuple[int, ...]] | None:
        """The data and the extents that were bound to an unbound store; None if none were."""
        return None if self._binding is None else self._binding.bound

    def expire(self) -> None:
        """Make it invalid: the task that it was given to is over."""
        self._valid = _never

    def _share_fields(self, other: "PhysicalCore") -> None:
        for name in PhysicalCore.__slots__[1:]:
            if hasattr(other, name):  # an unbound store has no memory
                setattr(self, name, getattr(other, name))

    def _known_map(self) -> IndexMap:
        if self._binding is not None:
            raise StoreValueError("an unbound store has no shape in the task that binds its data")
        return self._map

    def _memory(self) -> AnyStorage:
        if self._binding is not None:
            self._binding.refuse_access()
        if self._valid is not None and not self._valid():
            raise StoreError(
                "this physical store is no longer valid: since it was made, its task has ended, the values have moved "
                "to other memory, or the store was detached; call get_physical_store of the store"
            )
        return self._storage
