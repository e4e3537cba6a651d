"""Bytes and who owns them: blocks, storages, heaps, and what a backend must do.

What few programs use is fetched when first asked for; the stub beside this file lists all.
"""

from importlib import import_module

from accel.memory.allocators import Allocator, Limit, Statistics, Trims
from accel.memory.backend import (
    Backend,
    ComputesWithin,
    Executable,
    FreesInOrder,
    KnowsAddresses,
    Limits,
    ReportsRaces,
    ReportsRoom,
    Room,
    SupportsArrays,
    SupportsPinning,
    SupportsRawKernels,
    SupportsStreamNumbers,
    SupportsStreams,
)
from accel.memory.block import Block, Span
from accel.memory.copying import AnyStorage, allocate, copy_elements
from accel.memory.device_storage import DeviceStorage
from accel.memory.external import ExternalAllocation
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.interchange import Interchange
from accel.memory.operand import Operand, Swizzling, Table
from accel.memory.owner import Pin
from accel.memory.plan import CacheEviction, Fill, Kind, Leaf, Plan
from accel.memory.pool import Pool
from accel.memory.scopes import allocating, allocator_of, trim
from accel.memory.storage import Ownership, Storage
from accel.memory.stream import Event, Stream, current_stream
from accel.memory.streams import new_stream
from accel.memory.transfer import Transfer, submit_copy

__all__ = [
    "DEFAULT_ALIGNMENT",
    "Allocator",
    "AnyStorage",
    "Backend",
    "Block",
    "CacheEviction",
    "ComputesWithin",
    "DeviceStorage",
    "DeviceTrack",
    "Domain",
    "Event",
    "Executable",
    "ExternalAllocation",
    "Fill",
    "FreesInOrder",
    "Heap",
    "HeapUsage",
    "HostStorage",
    "InlineAllocation",
    "Interchange",
    "Kind",
    "KnowsAddresses",
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
    "SupportsStreamNumbers",
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

_LATER = {
    "DEFAULT_ALIGNMENT": "accel.memory.scratch",
    "DeviceTrack": "accel.memory.tracking",
    "Domain": "accel.memory.local_buffer",
    "HeapUsage": "accel.memory.usage",
    "InlineAllocation": "accel.memory.local_buffer",
    "OwnerUsage": "accel.memory.usage",
    "PinnedPool": "accel.memory.pinning",
    "PinnedUsage": "accel.memory.usage",
    "ScopedAllocator": "accel.memory.scoped_allocator",
    "Snapshot": "accel.memory.usage",
    "StoreTarget": "accel.memory.targets",
    "TaskLocalBuffer": "accel.memory.local_buffer",
    "TaskScope": "accel.memory.task",
    "Track": "accel.memory.tracking",
    "assert_no_leak": "accel.memory.leaks",
    "create_buffer": "accel.memory.local_buffer",
    "pinned": "accel.memory.pinning",
    "snapshot": "accel.memory.usage",
    "task_scope": "accel.memory.task",
    "track": "accel.memory.tracking",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'accel.memory' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
