"""Fills of a device's memory whose order is certain without events; see `accel.memory.stream_order`.

What the backend is to do depends on the loops over the elements and on how their address is aligned. It is prepared
once, and then started with other addresses and values.
"""

from typing import Any, NamedTuple

from accel import config
from accel.abc import PreparedFill, PreparesFills
from accel.copies import thresholds
from accel.copies.elements import Elements, Leaves, offset_range
from accel.copies.injectivity import names_twice
from accel.copies.items import Item
from accel.dtypes import DType
from accel.memory import AnyStorage, DeviceStorage, HostStorage
from accel.memory.captures import ACTIVE
from accel.memory.heap import Heap
from accel.memory.stream_order import try_fill_in_order
from accel.registry import table_by_device

__all__ = ["filled", "filled_within_device"]

_WIDEST = 16
"""Bytes of the widest access; a prepared fill depends on the address only by its remainder by this number."""
_MOST_KNOWN = 4096

_Key = tuple[Leaves, int, int]


class _Route(NamedTuple):
    """A fill that the backend has prepared, and the least and greatest offset of an element."""

    start: PreparedFill
    low: int
    high: int


_routes: dict[Any, dict[_Key, _Route | None]] = table_by_device()


def filled(storage: AnyStorage, item: Item) -> bool:
    """Set all elements of a storage at once, and return True; in all other cases do nothing, and return False.

    The other cases are those that must wait for other work or are to be refused: `fill_with` handles all of them.

    Parameters
    ----------
    storage : HostStorage or DeviceStorage
        The storage.
    item : Item
        The value.

    Returns
    -------
    bool
        Whether they were set.
    """
    owner, size = storage._owner, storage.size
    if owner is None or storage._const or owner.readonly or not size or ACTIVE:
        return False
    if type(storage) is HostStorage:
        return size <= thresholds.FEW_ELEMENTS and _few_filled(storage, item)
    heap = owner.heap
    queue: Any = heap.stream
    if item.byte < 0 or queue is None or not queue.direct or not heap.plain or config.strict():
        return filled_within_device(storage, 0, ((size, 1),), item)
    nbytes = size * storage.dtype.itemsize
    return try_fill_in_order(storage, 0, heap, queue, queue.set_bytes, item.byte, nbytes) is not None


def _few_filled(storage: HostStorage, item: Item) -> bool:
    """Set a few elements of the host, if nothing is in flight."""
    array = storage.array
    # From here on no other thread runs. Before, one may have released the memory, or submitted work that uses it.
    owner = storage._owner
    if owner is None or owner.hazard_record.hazards is not None:
        return False
    array[...] = item.value
    return True


def filled_within_device(
    storage: AnyStorage, start: int, leaves: Leaves, item: Item, dtype: DType | None = None
) -> bool:
    """Set elements in the memory of a device as `filled` does; the arguments are fields of `Elements`.

    Parameters
    ----------
    storage : HostStorage or DeviceStorage
        The storage.
    start : int
        The first byte.
    leaves : Leaves
        The extents and strides.
    item : Item
        The value.
    dtype : numpy.dtype, optional
        The dtype of the elements.

    Returns
    -------
    bool
        Whether they were set.
    """
    if type(storage) is not DeviceStorage:
        return False
    owner, itemsize = storage._owner, (dtype or storage.dtype).itemsize
    if owner is None or owner.allocation is None or storage._const or owner.readonly:
        return False
    heap, there = owner.heap, start * itemsize
    queue: Any = heap.stream
    if ACTIVE or queue is None or not queue.direct or not heap.plain or config.strict():
        return False
    routes = _routes.get(heap.device) or _routes.setdefault(heap.device, {})
    key = leaves, itemsize, (owner.allocation.pointer + storage._start + there) % _WIDEST
    try:
        route = routes[key]
    except KeyError:
        if len(routes) >= _MOST_KNOWN:
            routes.clear()
        route = routes[key] = _prepared(heap, Elements(storage, start, leaves, dtype))
    if route is None:
        return False
    fill, low, high = route
    if start + low < 0 or (start + high + 1) * itemsize > storage.size * storage.dtype.itemsize:
        return False
    _, byte, least, greatest = item

    def give(address: int, byte: int, _: int) -> None:
        fill(address, queue, byte, least, greatest)

    return try_fill_in_order(storage, there, heap, queue, give, byte, 0) is not None


def _prepared(heap: Heap, target: Elements) -> _Route | None:
    """Return the prepared fill; None if the backend prepares none, or if an element is named twice."""
    within, backend = offset_range(target.leaves), heap.backend
    if not isinstance(backend, PreparesFills) or not within.size or names_twice(target.leaves):
        return None
    return _Route(backend.prepare_fill(heap.device, target.operand()), within.low, within.high)
