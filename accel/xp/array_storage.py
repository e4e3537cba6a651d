"""The storage under an array: made at the first request, and shared by all views of the array."""

from typing import Any
from weakref import WeakValueDictionary, ref

import numpy as np

from accel.abc import ExternalAllocation, Operand, Span
from accel.device import Device
from accel.dtypes import DType
from accel.errors import LayoutError
from accel.memory import AnyStorage, DeviceStorage, HostStorage, heap_of
from accel.memory.owner import ArrayOwner, ForeignOwner, Owner
from accel.xp.array_library import ArrayLibrary

__all__ = [
    "SharedStorage",
    "known_storage",
    "may_overlap",
    "operand",
    "reach",
    "register",
    "same_memory",
    "storage_of",
    "window",
]


class SharedStorage:
    """The record that an array and all views of it share: it has the handle on their memory.

    Through it a view learns of pending work and of a release, even if the view was made before the handle.

    Attributes
    ----------
    handle : HostStorage or DeviceStorage or None
        None until a storage is requested.
    readonly : bool
        Whether the array came from another library as read-only; the handle is then read-only too.
    """

    __slots__ = ("__weakref__", "_others", "handle", "readonly")

    def __init__(self, handle: AnyStorage | None = None, readonly: bool = False) -> None:
        self.handle: AnyStorage | None = handle
        self.readonly: bool = readonly
        self._others: dict[DType, AnyStorage] | None = None  # handles for views of another dtype

    def handle_as(self, handle: AnyStorage, dtype: DType) -> AnyStorage:
        """Return the handle for a view of a dtype: the handle itself, or a handle on the same bytes as that dtype."""
        if handle.dtype == dtype:
            return handle
        others = self._others = self._others or {}
        if dtype not in others:
            others.setdefault(dtype, handle.window(0, handle.nbytes // dtype.itemsize, dtype))
        return others[dtype]


# A key is the root array's id, which is even, and 1 more if the record is read-only: tuples take more time. The arrays
# and the handle of a record keep the root array alive, so its id is not used again while the record lives.
_shared_storages: dict[int, ref[SharedStorage]] = {}
_FEW = 1024
_limit = _FEW  # of entries, from which those of dead records are removed: at once, because callbacks take more time
_owners: WeakValueDictionary[tuple[Device, int], Owner] = WeakValueDictionary()


def register(library: ArrayLibrary, array: Any, record: SharedStorage) -> SharedStorage:
    """Return the record registered for the allocation under an array; register the given one if there is none."""
    root = array if type(array) is np.ndarray and array.base is None else library.backend.root(array)
    key, reference = id(root) + record.readonly, ref(record)
    while (registered := _shared_storages.setdefault(key, reference)) is not reference:
        previous = registered()
        if previous is not None and not (previous.handle is not None and previous.handle.released):
            return previous
        # No call between these: another thread may be first.
        if key in _shared_storages and _shared_storages[key] is registered:
            _shared_storages[key] = reference
            return record
    if len(_shared_storages) > _limit:
        _remove_dead_records()
    return record


def known_storage(library: ArrayLibrary, array: Any) -> AnyStorage | None:
    """Return a storage on the allocation under an array, if there is one that was not released."""
    root = array if type(array) is np.ndarray and array.base is None else library.backend.root(array)
    for key in (id(root), id(root) + 1):
        reference = _shared_storages.get(key)
        record = None if reference is None else reference()
        if record is not None and record.handle is not None and not record.handle.released:
            return record.handle
    return None


def _remove_dead_records() -> None:
    global _limit
    for key, reference in _shared_storages.copy().items():
        # No call between the last three: another thread may register another record under the key.
        if reference() is None and key in _shared_storages and _shared_storages[key] is reference:
            del _shared_storages[key]
    _limit = max(_FEW, 2 * len(_shared_storages))


def same_memory(library: ArrayLibrary, one: Any, other: Any) -> bool:
    """Tell whether two of the library's arrays are views of one allocation."""
    return library.backend.root(one) is library.backend.root(other)


def may_overlap(library: ArrayLibrary, one: Any, other: Any) -> bool:
    """Tell whether two of the library's arrays may have a byte in common, whatever they are views of."""
    if type(one) is np.ndarray:
        # Arrays without a base own their memory, so two of them, and their views, have none in common. This is decided
        # in a quarter of the time that NumPy takes.
        root = one if one.base is None else one.base
        others = other if other.base is None else other.base
        if type(root) is type(others) is np.ndarray and root.base is None and others.base is None:
            return root is others and np.may_share_memory(one, other)
        return np.may_share_memory(one, other)
    if library.capture is not None:  # what is recorded reads all before it writes
        return False
    distance = library.backend.address(other) - library.backend.address(one)
    if type(one) is library.based is type(other) and one.flags.c_contiguous and other.flags.c_contiguous:
        return bool(-other.nbytes < distance < one.nbytes)
    (low, nbytes), (first, more) = reach(one), reach(other)
    return low - first - more < distance < low - first + nbytes


def storage_of(library: ArrayLibrary, array: Any, *, readonly: bool) -> AnyStorage:
    """Return a storage on the allocation under an array; the library's root array keeps the memory alive."""
    root = library.backend.root(array)
    owner = _ordered_owner(library, root) or _foreign_owner(library, root)
    kind = HostStorage if library.device is Device.CPU else DeviceStorage
    return kind.over(owner, root.dtype, const=readonly)


def _ordered_owner(library: ArrayLibrary, root: Any) -> Owner | None:
    """Return the owner of memory that the library reuses in the order of streams; None for all other memory."""
    result = None if library.block_of is None else library.block_of(library.device, root)
    if result is None:
        return None
    block, identity = result
    key = library.device, id(identity)
    first = _owners.get(key)
    # No call between these: another thread may release the last handle, while exports still keep the owner alive.
    if first is not None and first.handles and first.array is root:  # type: ignore[attr-defined]
        first.handles += 1
        return first
    owner = ArrayOwner(heap_of(library.device), block, root, readonly=library.backend.is_readonly(root))
    if first is None:
        first = _owners.setdefault(key, owner)
    if first is not owner:  # released before; or the library has two arrays on it, and neither is a view of the other
        owner.hazard_record = first.own_hazard_record()
    return owner


def _foreign_owner(library: ArrayLibrary, root: Any) -> Owner:
    key = library.device, id(root)
    known = _owners.get(key)
    # No call between these, as above.
    if known is not None and known.handles:
        known.handles += 1
        return known
    low, nbytes = reach(root)
    address = library.backend.address(root) + low
    external = ExternalAllocation(nbytes, pointer=address, owner=root, readonly=library.backend.is_readonly(root))
    heap = heap_of(library.device)
    owner = _owners[key] = ForeignOwner(heap, external, counted=True)
    computed = heap.latest()
    if computed is not None:  # work on another stream must wait for the computation of the array
        owner.note(computed, writing=True)
    return owner


def reach(array: Any) -> tuple[int, int]:
    """Return the lowest byte of an array, from the address of its first element, and the number of bytes from it on."""
    if array.size == 0:
        return 0, 0
    low = high = 0
    for extent, stride in zip(array.shape, array.strides, strict=True):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high - low + array.itemsize


def operand(library: ArrayLibrary, array: Any, storage: AnyStorage) -> Operand:
    """Describe an array's elements to a backend."""
    block = storage.__accel_operand__().span.block
    start = library.backend.address(array) - block.pointer
    writable = not (storage.readonly or library.backend.is_readonly(array))
    return Operand(Span(block, 0, block.nbytes), start, array.dtype, array.shape, array.strides, writable)


def window(library: ArrayLibrary, array: Any, storage: AnyStorage) -> AnyStorage:
    """Return a handle on an array's elements, without the rest of the allocation.

    Raises
    ------
    LayoutError
        If they are not contiguous in C order, or not aligned.
    ReleasedError
        If the memory was released.
    """
    pointer = storage.pointer  # first, because it raises if the memory was released
    if not array.size:
        return storage.window(0, 0, array.dtype, const=library.backend.is_readonly(array))
    first = library.backend.address(array)
    if array.strides != _c_strides(array.shape, array.itemsize, array.strides) or first % array.dtype.alignment:
        raise LayoutError(
            f"an array of shape {array.shape} with strides {array.strides} at {first:#x} is not contiguous in C "
            f"order and aligned, and a container is flat; write xp.reshape(x, (-1,), copy=True).container()"
        )
    return storage.window(first - pointer, array.size, array.dtype, const=library.backend.is_readonly(array))


def _c_strides(shape: tuple[int, ...], itemsize: int, library_strides: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of C order; an axis of one element keeps its given stride, which is never used."""
    strides, step = [], itemsize
    for extent, stride in zip(reversed(shape), reversed(library_strides), strict=True):
        strides.append(stride if extent == 1 else step)
        step *= extent
    return tuple(reversed(strides))
