"""Memory and its owners: storages, the heap of each device, allocators, and reports on memory in use.

Names that few programs use are imported at first use; the stub beside this file lists all names.
"""

from accel.abc.stream import Event, Stream, current_stream
from accel.memory.allocator_scopes import allocating, allocator_of, trim
from accel.memory.allocators import Allocator, Limit, Statistics, Trims
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.byte_copies import copy_elements
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.owner import KeepAlive
from accel.memory.pool import Pool
from accel.memory.storage import Ownership, Storage
from accel.support.lazy import LazyNames

__all__ = [
    "Allocator",
    "AnyStorage",
    "DeviceStorage",
    "DeviceTrack",
    "Event",
    "Graph",
    "Heap",
    "HeapUsage",
    "HostStorage",
    "KeepAlive",
    "Limit",
    "OwnerUsage",
    "Ownership",
    "PinnedPool",
    "PinnedUsage",
    "Pool",
    "Snapshot",
    "Statistics",
    "Storage",
    "Stream",
    "Track",
    "Trims",
    "allocate",
    "allocating",
    "allocator_of",
    "assert_no_leak",
    "capture",
    "copy_elements",
    "current_stream",
    "heap_of",
    "new_stream",
    "pinned",
    "snapshot",
    "track",
    "trim",
]

_LAZY = {
    "DeviceTrack": "accel.memory.reports",
    "Graph": "accel.memory.graphs",
    "HeapUsage": "accel.memory.reports",
    "OwnerUsage": "accel.memory.reports",
    "PinnedPool": "accel.memory.pinned_memory",
    "PinnedUsage": "accel.memory.reports",
    "Snapshot": "accel.memory.reports",
    "Track": "accel.memory.reports",
    "assert_no_leak": "accel.memory.reports",
    "capture": "accel.memory.graphs",
    "new_stream": "accel.memory.streams",
    "pinned": "accel.memory.pinned_memory",
    "snapshot": "accel.memory.reports",
    "track": "accel.memory.reports",
}

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
