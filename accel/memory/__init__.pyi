# Written by ci/stubs. Do not edit.
from accel.abc.stream import Event as Event
from accel.abc.stream import Stream as Stream
from accel.abc.stream import current_stream as current_stream
from accel.memory.allocator_scopes import allocating as allocating
from accel.memory.allocator_scopes import allocator_of as allocator_of
from accel.memory.allocator_scopes import trim as trim
from accel.memory.allocators import Allocator as Allocator
from accel.memory.allocators import Limit as Limit
from accel.memory.allocators import Statistics as Statistics
from accel.memory.allocators import Trims as Trims
from accel.memory.any_storage import AnyStorage as AnyStorage
from accel.memory.any_storage import allocate as allocate
from accel.memory.byte_copies import copy_elements as copy_elements
from accel.memory.device_storage import DeviceStorage as DeviceStorage
from accel.memory.graphs import Graph as Graph
from accel.memory.graphs import capture as capture
from accel.memory.heap import Heap as Heap
from accel.memory.heap import heap_of as heap_of
from accel.memory.host_storage import HostStorage as HostStorage
from accel.memory.owner import KeepAlive as KeepAlive
from accel.memory.pinned_memory import PinnedPool as PinnedPool
from accel.memory.pinned_memory import pinned as pinned
from accel.memory.pool import Pool as Pool
from accel.memory.reports import DeviceTrack as DeviceTrack
from accel.memory.reports import HeapUsage as HeapUsage
from accel.memory.reports import OwnerUsage as OwnerUsage
from accel.memory.reports import PinnedUsage as PinnedUsage
from accel.memory.reports import Snapshot as Snapshot
from accel.memory.reports import Track as Track
from accel.memory.reports import assert_no_leak as assert_no_leak
from accel.memory.reports import snapshot as snapshot
from accel.memory.reports import track as track
from accel.memory.storage import Ownership as Ownership
from accel.memory.storage import Storage as Storage
from accel.memory.streams import new_stream as new_stream

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
