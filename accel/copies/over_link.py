"""Copies between a device and the host: see `accel.memory.link_copies`, and `accel.memory.async_link_copies`.

What the backend is to do depends on the loops of both ends. It is prepared once, and then done at other addresses.
"""

from typing import Any, NamedTuple

from accel.abc.stream import Stream
from accel.copies.elements import Elements, Leaves
from accel.copies.within_device import Route, prepared_route, remember
from accel.memory import DeviceStorage, HostStorage
from accel.memory.async_link_copies import submitted_over_link as submitted
from accel.memory.link_copies import Transport
from accel.memory.link_copies import copied_over_link as copied
from accel.memory.submission import Submission
from accel.registry import table_by_device

__all__ = ["copied_over_link", "submitted_over_link"]

_Key = tuple[Leaves, Leaves, int, bool]


class _Ends(NamedTuple):
    """The memory of a copy between a device and the host, and how it is given to a stream."""

    device: DeviceStorage
    host: HostStorage
    upload: bool
    give: Transport


_routes: dict[Any, dict[_Key, Route | None]] = table_by_device()


def copied_over_link(target: Elements, source: Elements) -> bool:
    """Copy elements between a device and the host, and return True; in all other cases return False.

    The other cases are those that must wait for other work, have no rows that a device copies, or are to be refused:
    `copy_by_plan` handles all of them.
    """
    ends = _ends(target, source)
    if ends is None:
        return False
    device, host, upload, give = ends
    owner = host.owner
    low = owner.block.pointer + host._start
    memory = low, low + host.size * host.dtype.itemsize, owner.own_hazard_record(), owner
    return copied(device, memory, 0, upload=upload, give=give)


def submitted_over_link(target: Elements, source: Elements, stream: Stream) -> Submission | None:
    """Submit a copy as `copied_over_link` does, to a stream of the device, and return what covers it."""
    ends = _ends(target, source)
    if ends is None:
        return None
    nbytes = target.size * target.element_type.itemsize
    return submitted(ends.device, ends.host, nbytes, stream, upload=ends.upload, give=ends.give)


def _ends(target: Elements, source: Elements) -> _Ends | None:
    """Return the ends of a copy that the backend has prepared; None if there is none, or it is to be refused."""
    to, into, target_leaves, target_dtype, target_table, target_swizzle = target
    of, out_of, source_leaves, source_dtype, source_table, source_swizzle = source
    upload = type(to) is DeviceStorage
    device, host = (to, of) if upload else (of, to)
    if type(device) is not DeviceStorage or type(host) is not HostStorage:
        return None
    mine, other = device._owner, host._owner
    dtype = target_dtype or to.dtype
    strided = target_table is source_table is None and not (target_swizzle or source_swizzle)
    if mine is None or other is None or not strided or dtype is not (source_dtype or of.dtype) or to.readonly:
        return None
    key = target_leaves, source_leaves, dtype.itemsize, upload
    routes = _routes.get(mine.heap.device) or _routes.setdefault(mine.heap.device, {})
    try:
        route = routes[key]
    except KeyError:
        route = remember(routes, key, prepared_route(mine.heap, target, source))
    if route is None or not (
        _inside(to, into, dtype.itemsize, *route[1:3]) and _inside(of, out_of, dtype.itemsize, *route[3:])
    ):
        return None
    start, there, here = route.start, into * dtype.itemsize, out_of * dtype.itemsize

    def give(stream: Any, on_device: int, on_host: int) -> None:
        if upload:
            start(stream, on_device + there, on_host + here)
        else:
            start(stream, on_host + there, on_device + here)

    return _Ends(device, host, upload, give)


def _inside(storage: DeviceStorage | HostStorage, start: int, itemsize: int, low: int, high: int) -> bool:
    """Tell whether all elements are in a storage."""
    return start + low >= 0 and (start + high + 1) * itemsize <= storage.size * storage.dtype.itemsize
