"""Bytes and who owns them: blocks, storages, heaps, and what a backend must do."""

from accel.memory.allocators import Allocator, Limit, Statistics, Trims
from accel.memory.backend import (
    Backend,
    Executable,
    Limits,
    ReportsRaces,
    ReportsRoom,
    Room,
    SupportsArrays,
    SupportsPinning,
    SupportsRawKernels,
    SupportsStreams,
)
from accel.memory.block import Block, Span
from accel.memory.copying import AnyStorage, allocate, copy_elements
from accel.memory.device_storage import DeviceStorage
from accel.memory.external import ExternalAllocation
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.interchange import Interchange
from accel.memory.leaks import assert_no_leak
from accel.memory.local_buffer import Domain, InlineAllocation, TaskLocalBuffer, create_buffer
from accel.memory.operand import Operand, Swizzling, Table
from accel.memory.owner import Pin
from accel.memory.pinning import PinnedPool, pinned
from accel.memory.plan import CacheEviction, Fill, Kind, Leaf, Plan
from accel.memory.pool import Pool
from accel.memory.scoped_allocator import ScopedAllocator
from accel.memory.scopes import allocating, allocator_of, trim
from accel.memory.scratch import DEFAULT_ALIGNMENT
from accel.memory.snapshot import HeapUsage, OwnerUsage, PinnedUsage, Snapshot, snapshot
from accel.memory.storage import Ownership, Storage
from accel.memory.stream import Event, Stream, current_stream
from accel.memory.streams import new_stream
from accel.memory.targets import StoreTarget
from accel.memory.task import TaskScope, task_scope
from accel.memory.tracking import DeviceTrack, Track, track
from accel.memory.transfer import Transfer, submit_copy

__all__ = [
    "DEFAULT_ALIGNMENT",
    "Allocator",
    "AnyStorage",
    "Backend",
    "Block",
    "CacheEviction",
    "DeviceStorage",
    "DeviceTrack",
    "Domain",
    "Event",
    "Executable",
    "ExternalAllocation",
    "Fill",
    "Heap",
    "HeapUsage",
    "HostStorage",
    "InlineAllocation",
    "Interchange",
    "Kind",
    "Leaf",
    "Limit",
    "Limits",
    "Operand",
    "OwnerUsage",
    "Ownership",
    "Pin",
    "PinnedPool",
    "PinnedUsage",
    "Plan",
    "Pool",
    "ReportsRaces",
    "ReportsRoom",
    "Room",
    "ScopedAllocator",
    "Snapshot",
    "Span",
    "Statistics",
    "Storage",
    "StoreTarget",
    "Stream",
    "SupportsArrays",
    "SupportsPinning",
    "SupportsRawKernels",
    "SupportsStreams",
    "Swizzling",
    "Table",
    "TaskLocalBuffer",
    "TaskScope",
    "Track",
    "Transfer",
    "Trims",
    "allocate",
    "allocating",
    "allocator_of",
    "assert_no_leak",
    "copy_elements",
    "create_buffer",
    "current_stream",
    "heap_of",
    "new_stream",
    "pinned",
    "snapshot",
    "submit_copy",
    "task_scope",
    "track",
    "trim",
]
