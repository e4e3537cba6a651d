"""Records: the storage under an array that the library itself allocated, made when somebody asks for it."""

from typing import Any
from weakref import WeakValueDictionary

from accel.device import Device
from accel.errors import LayoutError
from accel.memory import AnyStorage, DeviceStorage, ExternalAllocation, HostStorage, Operand, Span, heap_of
from accel.memory.owner import Owner
from accel.xp.home import Home

__all__ = ["operand", "same_memory", "storage_of", "window"]

# By the root array's id: an owner keeps its root alive, so no other object can have that id while it is here.
_owners: WeakValueDictionary[tuple[Device, int], Owner] = WeakValueDictionary()


def same_memory(home: Home, one: Any, other: Any) -> bool:
    """Tell whether two of the library's arrays are views of one allocation."""
    return home.backend.root(one) is home.backend.root(other)


def storage_of(home: Home, array: Any) -> AnyStorage:
    """Return a managed storage on the allocation that an array is a view of."""
    root = home.backend.root(array)
    key = (home.device, id(root))
    owner = _owners.get(key)
    if owner is None or owner.ended:
        low, nbytes = _reach(home, root)
        readonly = home.backend.is_readonly(root)
        external = ExternalAllocation(nbytes, pointer=low, owner=root, readonly=readonly)
        heap = heap_of(home.device)
        owner = _owners[key] = Owner(heap, None, external, True)
        computed = heap.latest()
        if computed is not None:  # whoever uses the storage on another stream must come after that
            owner.note(computed, writing=True)
    else:
        owner.add_handle()
    kind = HostStorage if home.device is Device.CPU else DeviceStorage
    return kind.over(owner, array.dtype, const=home.backend.is_readonly(array))


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
        If they do not lie one after another in C order.
    ReleasedError
        If the memory was released.
    """
    pointer = storage.pointer  # first, for nothing else matters of released memory
    if array.size and array.strides != _c_strides(array.shape, array.itemsize, array.strides):
        raise LayoutError(
            f"an array of shape {array.shape} with strides {array.strides} is not contiguous in C order, and a "
            f"container is flat; write xp.asarray(x, copy=True).container()"
        )
    start = home.backend.address(array) - pointer if array.size else 0
    return storage.window(start, array.size, array.dtype, const=home.backend.is_readonly(array))


def _c_strides(shape: tuple[int, ...], itemsize: int, given: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of C order; an axis of one element has the stride it is given, which nothing follows."""
    strides, step = [], itemsize
    for extent, stride in zip(reversed(shape), reversed(given), strict=True):
        strides.append(stride if extent == 1 else step)
        step *= extent
    return tuple(reversed(strides))
