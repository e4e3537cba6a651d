"""Records: the storage under an array, made when somebody asks for it and shared by all views of one array."""

from typing import Any
from weakref import KeyedRef, WeakValueDictionary

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.errors import LayoutError
from accel.memory import AnyStorage, DeviceStorage, ExternalAllocation, HostStorage, Operand, Span, heap_of
from accel.memory.owner import ForeignOwner, Owner
from accel.xp.home import Home

__all__ = ["Record", "may_overlap", "operand", "same_memory", "shared", "storage_of", "window"]


class Record:
    """What an array and all views of it share: the handle on their memory.

    So a view knows of work in flight, and of a release, also if it was made before anybody asked for the handle.

    Attributes
    ----------
    handle : HostStorage or DeviceStorage or None
        None until somebody asks for it.
    readonly : bool
        Whether the array was read-only when it came from another library, and the handle must be too.
    """

    __slots__ = ("__weakref__", "_others", "handle", "readonly")

    def __init__(self, handle: AnyStorage | None = None, *, readonly: bool = False) -> None:
        self.handle = handle
        self.readonly = readonly
        self._others: dict[DType, AnyStorage] | None = None  # of views of another dtype

    def handle_as(self, handle: AnyStorage, dtype: DType) -> AnyStorage:
        """Return the handle as a view has the memory: the handle itself, unless the view has another dtype."""
        if handle.dtype == dtype:
            return handle
        others = self._others = self._others or {}
        if dtype not in others:
            others.setdefault(dtype, handle.window(0, handle.nbytes // dtype.itemsize, dtype))
        return others[dtype]


# By the root array's id: an owner and the arrays with a record keep it alive, so no other object has that id meanwhile.
# Not a dictionary of weak values, whose methods take longer than all else that an array on NumPy's memory needs.
_records: "dict[tuple[int, bool], KeyedRef[tuple[int, bool], Record]]" = {}
_owners: WeakValueDictionary[tuple[Device, int], Owner] = WeakValueDictionary()


def shared(home: Home, array: Any, record: Record) -> Record:
    """Return the record of all arrays on the same allocation that others may look at too; this one if it has none."""
    key = id(home.backend.root(array)), record.readonly
    made = None
    while True:
        found = _records.get(key)
        known = None if found is None else found()
        if known is not None and not (known.handle is not None and known.handle.released):
            return known
        made = made or KeyedRef(record, _forget, key)  # the last who had it is gone
        # No call between these: another thread may be first.
        if (_records[key] if key in _records else None) is found:  # noqa: SIM401 - get() is a call
            _records[key] = made
            return record


def _forget(found: "KeyedRef[tuple[int, bool], Record]") -> None:
    key = found.key
    # No call between these: another thread may note another in its place.
    if key in _records and _records[key] is found:
        del _records[key]


def same_memory(home: Home, one: Any, other: Any) -> bool:
    """Tell whether two of the library's arrays are views of one allocation."""
    return home.backend.root(one) is home.backend.root(other)


def may_overlap(home: Home, one: Any, other: Any) -> bool:
    """Tell whether a byte of one of the library's arrays may be one of another, whatever they are views of."""
    if type(one) is np.ndarray:
        return np.may_share_memory(one, other)
    (low, nbytes), (first, more) = _reach(home, one), _reach(home, other)
    return low < first + more and first < low + nbytes


def storage_of(home: Home, array: Any, *, readonly: bool) -> AnyStorage:
    """Return a managed storage on the allocation that an array is a view of."""
    root = home.backend.root(array)
    key = (home.device, id(root))
    owner = _owners.get(key)
    # No call between these: another thread may release the last handle, while exports still hold the owner.
    if owner is not None and owner.handles:
        owner.handles += 1
    else:
        low, nbytes = _reach(home, root)
        external = ExternalAllocation(nbytes, pointer=low, owner=root, readonly=home.backend.is_readonly(root))
        heap = heap_of(home.device)
        owner = _owners[key] = ForeignOwner(heap, external, counted=True)
        computed = heap.latest()
        if computed is not None:  # whoever uses the storage on another stream must come after that
            owner.note(computed, writing=True)
    kind = HostStorage if home.device is Device.CPU else DeviceStorage
    return kind.over(owner, root.dtype, const=readonly)


def _reach(home: Home, array: Any) -> tuple[int, int]:
    """Return the address of an array's lowest byte, and how many bytes there are up to its highest."""
    if array.size == 0:
        return home.backend.address(array), 0
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    low = sum(step for step in steps if step < 0)
    high = sum(step for step in steps if step > 0)
    return home.backend.address(array) + low, high - low + array.itemsize


def operand(home: Home, array: Any, storage: AnyStorage) -> Operand:
    """Describe an array's elements to a backend."""
    block = storage.__accel_operand__().span.block
    start = home.backend.address(array) - block.pointer
    writable = not (storage.readonly or home.backend.is_readonly(array))
    return Operand(Span(block, 0, block.nbytes), start, array.dtype, array.shape, array.strides, writable)


def window(home: Home, array: Any, storage: AnyStorage) -> AnyStorage:
    """Return a handle on exactly an array's elements.

    Raises
    ------
    LayoutError
        If they do not lie one after another in C order, from an aligned address on.
    ReleasedError
        If the memory was released.
    """
    pointer = storage.pointer  # first, for nothing else matters of released memory
    if not array.size:
        return storage.window(0, 0, array.dtype, const=home.backend.is_readonly(array))
    first = home.backend.address(array)
    if array.strides != _c_strides(array.shape, array.itemsize, array.strides) or first % array.dtype.alignment:
        raise LayoutError(
            f"an array of shape {array.shape} with strides {array.strides} at {first:#x} is not contiguous in C "
            f"order and aligned, and a container is flat; write xp.reshape(x, (-1,), copy=True).container()"
        )
    return storage.window(first - pointer, array.size, array.dtype, const=home.backend.is_readonly(array))


def _c_strides(shape: tuple[int, ...], itemsize: int, given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of C order; an axis of one element has the stride it is given, which nothing follows."""
    strides, step = [], itemsize
    for extent, stride in zip(reversed(shape), reversed(given), strict=True):
        strides.append(stride if extent == 1 else step)
        step *= extent
    return tuple(reversed(strides))
