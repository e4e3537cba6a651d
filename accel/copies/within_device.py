"""Copies within the memory of one device whose order is certain without events; see `accel.memory.stream_order`.

What the backend is to do depends on the loops of both ends and on how their addresses are aligned. It is prepared once,
and then started with other addresses.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from accel import config
from accel.abc import FreesInOrder, PreparedCopy, PreparesCopies, Stream
from accel.copies.elements import Elements, Leaves, offset_range
from accel.copies.injectivity import names_twice
from accel.copies.planner import loops_of
from accel.memory import DeviceStorage
from accel.memory.heap import Heap
from accel.memory.stream_order import try_in_order
from accel.memory.submission import Submission
from accel.registry import table_by_device

__all__ = ["Route", "copied_within_device", "prepared_route", "remember", "submitted_within_device"]

_WIDEST = 16
"""Bytes of the widest access; a prepared copy depends on the addresses only by their remainders by this number."""
_MOST_KNOWN = 4096

_Key = tuple[Leaves, Leaves, int, int, int]


class Route(NamedTuple):
    """A copy that the backend has prepared, and the least and greatest offset of an element of both ends."""

    start: PreparedCopy
    target_low: int
    target_high: int
    source_low: int
    source_high: int


_routes: dict[Any, dict[_Key, Route | None]] = table_by_device()


def copied_within_device(target: Elements, source: Elements) -> bool:
    """Copy elements between two allocations of one device, and return True; in all other cases return False.

    The other cases are those that must wait for other work or are to be refused: `copy_by_plan` handles all of them.

    Parameters
    ----------
    target : Elements
        The elements that are written.
    source : Elements
        The elements that are read.

    Returns
    -------
    bool
        Whether they were copied.
    """
    return submitted_within_device(target, source, None) is not None


# One function, since each call of another costs a copy a twentieth of its time.
def submitted_within_device(target: Elements, source: Elements, stream: Stream | None) -> Submission | None:  # noqa: PLR0911
    """Submit a copy as `copied_within_device` does, to a stream of the device, and return what covers it."""
    to, into, target_leaves, target_dtype, target_table, target_swizzle = target
    of, out_of, source_leaves, source_dtype, source_table, source_swizzle = source
    if type(to) is not DeviceStorage or type(of) is not DeviceStorage:
        return None
    mine, other = to._owner, of._owner
    if mine is None or other is None or mine is other or mine.allocation is None or other.allocation is None:
        return None
    dtype = target_dtype or to.dtype
    strided = target_table is source_table is None and not (target_swizzle or source_swizzle)
    heap, itemsize = mine.heap, dtype.itemsize
    alike = dtype is (source_dtype or of.dtype) and other.heap is heap
    if not (strided and alike) or to._const or mine.readonly:
        return None
    there, here = into * itemsize, out_of * itemsize
    aligned = (
        (mine.allocation.pointer + to._start + there) % _WIDEST,
        (other.allocation.pointer + of._start + here) % _WIDEST,
    )
    key = target_leaves, source_leaves, itemsize, *aligned
    routes = _routes.get(heap.device) or _routes.setdefault(heap.device, {})
    try:
        route = routes[key]
    except KeyError:
        route = remember(routes, key, _prepared(heap, target, source))
    if route is None or config.current().strict:
        return None
    start, target_low, target_high, source_low, source_high = route
    required = (into + target_high + 1) * itemsize, (out_of + source_high + 1) * itemsize
    if into + target_low < 0 or out_of + source_low < 0:
        return None
    if required[0] > to.size * to.dtype.itemsize or required[1] > of.size * of.dtype.itemsize:
        return None
    queue = heap.stream if stream is None else stream
    if queue is None or not heap.plain:
        return None

    def give(stream: Stream, addresses: Sequence[int]) -> None:
        start(stream, addresses[0] + there, addresses[1] + here)

    return try_in_order(heap, queue, ((to, True, False), (of, False, False)), give)


def remember(routes: dict[Any, Route | None], key: Any, route: Route | None) -> Route | None:
    """Keep a prepared copy, or that there is none, and return it; when there are too many, all others are dropped."""
    if len(routes) >= _MOST_KNOWN:
        routes.clear()
    routes[key] = route
    return route


def _prepared(heap: Heap, target: Elements, source: Elements) -> Route | None:
    """Return the prepared copy within a device; also None if its backend does not free in order."""
    return prepared_route(heap, target, source) if isinstance(heap.backend, FreesInOrder) else None


def prepared_route(heap: Heap, target: Elements, source: Elements) -> Route | None:
    """Return the prepared copy; None if the backend prepares none, or if the ends do not fit each other."""
    there, here = offset_range(target.leaves), offset_range(source.leaves)
    backend = heap.backend
    if not isinstance(backend, PreparesCopies) or not 0 < there.size == here.size or names_twice(target.leaves):
        return None
    into, out_of = target.operand(), source.operand()
    plan = loops_of(into, out_of)
    if plan is None or plan.buffered:
        return None
    start = backend.prepare_copy(heap.device, into, out_of, plan)
    return None if start is None else Route(start, there.low, there.high, here.low, here.high)
