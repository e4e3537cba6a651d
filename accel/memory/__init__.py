"""Bytes and who owns them: blocks, storages, heaps, and what a backend must do."""

from accel.memory.backend import Backend, Limits, SupportsArrays
from accel.memory.block import Block, Span
from accel.memory.device_storage import DeviceStorage
from accel.memory.external import ExternalAllocation
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.operand import Leaf, Operand, Plan
from accel.memory.owner import Pin
from accel.memory.snapshot import HeapUsage, Snapshot, snapshot
from accel.memory.storage import Ownership, Storage
from accel.memory.stream import Stream
from accel.memory.transfer import AnyStorage, allocate, copied, copy_elements

__all__ = [
    "AnyStorage",
    "Backend",
    "Block",
    "DeviceStorage",
    "ExternalAllocation",
    "Heap",
    "HeapUsage",
    "HostStorage",
    "Leaf",
    "Limits",
    "Operand",
    "Ownership",
    "Pin",
    "Plan",
    "Snapshot",
    "Span",
    "Storage",
    "Stream",
    "SupportsArrays",
    "allocate",
    "copied",
    "copy_elements",
    "heap_of",
    "snapshot",
]
