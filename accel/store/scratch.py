"""Raw memory by kind and alignment, for scoped allocators and task-local buffers."""

from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.owner import Owner
from accel.memory.pinned_memory import pinned
from accel.memory.sizes import as_size
from accel.store.store_targets import Place, StoreTarget

__all__ = ["DEFAULT_ALIGNMENT", "bytes_of", "elements_of"]

DEFAULT_ALIGNMENT = 16
"""Default alignment in bytes, as in Legate; the least alignment of a block."""

_BYTE = as_dtype("uint8")


def bytes_of(place: Place, nbytes: int, alignment: int) -> AnyStorage:
    """Allocate managed bytes with an alignment."""
    if place.kind is StoreTarget.ZCMEM:
        with pinned(nbytes + alignment - 1, _BYTE, place.device) as whole:
            return whole.window(-whole.pointer % alignment, nbytes, _BYTE)
    heap = heap_of(place.device)
    kind = HostStorage if place.device is Device.CPU else DeviceStorage
    owner = Owner(heap)
    # As in Storage.allocated: the handle is made first.
    handle = kind._on(owner, _BYTE, nbytes)
    enough = alignment <= heap.backend.limits(place.device).alignment
    heap.allocate(nbytes, 1 if enough else alignment, None, owner)
    return handle


def elements_of(place: Place, size: int, dtype: DType) -> AnyStorage:
    """Allocate managed, uninitialised elements."""
    if place.kind is StoreTarget.ZCMEM:
        return pinned(size, dtype, place.device)
    return allocate(place.device, as_size(size, dtype.itemsize), dtype)
