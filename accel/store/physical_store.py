"""`PhysicalStore`: the memory of one store in one place, and access to it."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from accel.abc.operand import Operand
from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DeviceMismatchError, ReadOnlyError, StoreError
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray
from accel.store.domains import Domain
from accel.store.index_maps import IndexMap
from accel.store.local_buffer import InlineAllocation
from accel.store.regions import Access
from accel.store.store_targets import Place, StoreTarget
from accel.views import LayoutTensor

__all__ = ["PhysicalStore"]


def _always() -> bool:
    return True


class PhysicalStore:
    """The memory of one store in one place, in a task or after `LogicalStore.get_physical_store` (Legate's)."""

    __slots__ = (
        "_access",
        "_bound",
        "_future",
        "_map",
        "_op",
        "_origin",
        "_partitioned",
        "_place",
        "_storage",
        "_valid",
        "dtype",
    )
    _access: Access
    _bound: tuple[AnyStorage, tuple[int, ...]] | None
    _future: bool
    _map: IndexMap
    _op: Any
    _origin: tuple[int, ...] | None
    _partitioned: bool
    _place: Place
    _storage: AnyStorage
    _valid: Callable[[], bool]
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
        valid: Callable[[], bool] = _always,
    ) -> "PhysicalStore":
        """Return the physical store of some memory; ``origin`` is the first point of its domain."""
        made = object.__new__(cls)
        made._storage = storage
        made._map = index_map
        made.dtype = dtype
        made._access = access
        made._place = place
        made._origin = origin
        made._op = op
        made._partitioned = partitioned
        made._future = future
        made._valid = valid
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return self._map.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._map.shape)

    @property
    def domain(self) -> Domain:
        """The points of this store; in a task on a tile, those of the tile in its store."""
        origin = self._origin or (0,) * self.ndim
        return Domain(origin, tuple([low + extent - 1 for low, extent in zip(origin, self._map.shape, strict=True)]))

    @property
    def valid(self) -> bool:
        """Whether the memory still holds the values of the store."""
        return self._valid()

    @property
    def target(self) -> StoreTarget:
        """The kind of memory."""
        return self._place.kind

    @property
    def device(self) -> Device:
        """The device of the memory."""
        return self._place.device

    def span_read_accessor(self) -> Any:
        """Return the elements as a read-only array: of NumPy on the host, a `LayoutTensor` on a device."""
        return self._array(writable=False)

    def span_write_accessor(self) -> Any:
        """Return the elements as an array to write; values before the first write are undefined."""
        self._refuse_read_only()
        return self._array(writable=True)

    def span_read_write_accessor(self) -> Any:
        """Return the elements as an array to read and write."""
        self._refuse_read_only()
        return self._array(writable=True)

    def get_inline_allocation(self) -> InlineAllocation:
        """Return address and strides in bytes."""
        storage, itemsize = self._memory(), self.dtype.itemsize
        strides = tuple([stride * itemsize for stride in self._map.strides])
        return InlineAllocation(storage.pointer + self._map.offset * itemsize, strides, self.target)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        storage, itemsize = self._memory(), self.dtype.itemsize
        strides = tuple([stride * itemsize for stride in self._map.strides])
        writable = self._access is not Access.READ
        return Operand(storage.span, self._map.offset * itemsize, self.dtype, self.shape, strides, writable)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        array = self._array(writable=self._access is not Access.READ)
        if not isinstance(array, np.ndarray):
            raise DeviceMismatchError(f"NumPy cannot read memory of {self.device}; write get_physical_store('cpu')")
        if dtype is None or as_dtype(dtype) == array.dtype:
            return array.copy() if copy else array
        if copy is False:
            raise ValueError(f"{array.dtype} becomes {dtype} only by a copy; write copy=None")
        return array.astype(as_dtype(dtype))

    def _array(self, *, writable: bool) -> Any:
        storage, index_map = self._memory(), self._map
        if storage.device is Device.CPU:
            array: HostArray = np.ndarray(
                index_map.shape,
                self.dtype,
                storage.export(),  # type: ignore[union-attr]
                index_map.offset * self.dtype.itemsize,
                tuple([stride * self.dtype.itemsize for stride in index_map.strides]),
            )
            if not writable:
                array.flags.writeable = False
            return array
        typed = storage if storage.dtype == self.dtype else storage.window(0, storage.size, self.dtype)
        tensor = LayoutTensor(typed, index_map.layout, index_map.offset)
        return tensor if writable else tensor.get_immutable()

    def _memory(self) -> AnyStorage:
        if not self._valid():
            self._refuse_invalid()
        return self._storage

    def _refuse_invalid(self) -> NoReturn:
        raise StoreError(
            "the values of this store have moved to other memory, or the store was detached, since this physical "
            "store was made; call get_physical_store again"
        )

    def _refuse_read_only(self) -> None:
        if self._access is Access.READ:
            raise ReadOnlyError("this physical store is an input; declare the parameter as an Output or InOut to write")
