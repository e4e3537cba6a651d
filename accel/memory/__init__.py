"""Bytes and who owns them: blocks, storages, heaps, and what a backend must do."""

from accel.memory.backend import Backend, Limits, ReportsRaces, SupportsArrays, SupportsStreams
from accel.memory.block import Block, Span
from accel.memory.copying import AnyStorage, allocate, copy_elements
from accel.memory.device_storage import DeviceStorage
from accel.memory.external import ExternalAllocation
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.interchange import Interchange
from accel.memory.operand import Leaf, Operand, Plan
from accel.memory.owner import Pin
from accel.memory.snapshot import HeapUsage, Snapshot, snapshot
from accel.memory.storage import Ownership, Storage
from accel.memory.stream import Event, Stream, current_stream
from accel.memory.streams import new_stream
from accel.memory.transfer import Transfer, submit_copy

__all__ = [
    "AnyStorage",
    "Backend",
    "Block",
    "DeviceStorage",
    "Event",
    "ExternalAllocation",
    "Heap",
    "HeapUsage",
    "HostStorage",
    "Interchange",
    "Leaf",
    "Limits",
    "Operand",
    "Ownership",
    "Pin",
    "Plan",
    "ReportsRaces",
    "Snapshot",
    "Span",
    "Storage",
    "Stream",
    "SupportsArrays",
    "SupportsStreams",
    "Transfer",
    "allocate",
    "copy_elements",
    "current_stream",
    "heap_of",
    "new_stream",
    "snapshot",
    "submit_copy",
]
