"""Legate's data model: logical stores, their transforms and partitions, physical stores, scratch memory of tasks."""

from accel.store.creation import create_store, from_array
from accel.store.domains import Domain, PointInRectIterator
from accel.store.external import ExternalAllocation
from accel.store.local_buffer import InlineAllocation, TaskLocalBuffer, create_buffer
from accel.store.logical_store import LogicalStore
from accel.store.partition import LogicalStorePartition
from accel.store.physical_store import PhysicalStore
from accel.store.reductions import ADD, AND, MAX, MIN, MUL, OR, XOR, ReductionOp
from accel.store.regions import Access
from accel.store.scalars import Scalar, null
from accel.store.scoped_allocator import ScopedAllocator
from accel.store.scratch import DEFAULT_ALIGNMENT
from accel.store.shapes import Shape
from accel.store.slices import OPEN, Slice
from accel.store.store_targets import StoreTarget
from accel.store.task import TaskScope, task_scope

__all__ = [
    "ADD",
    "AND",
    "DEFAULT_ALIGNMENT",
    "MAX",
    "MIN",
    "MUL",
    "OPEN",
    "OR",
    "XOR",
    "Access",
    "Domain",
    "ExternalAllocation",
    "InlineAllocation",
    "LogicalStore",
    "LogicalStorePartition",
    "PhysicalStore",
    "PointInRectIterator",
    "ReductionOp",
    "Scalar",
    "ScopedAllocator",
    "Shape",
    "Slice",
    "StoreTarget",
    "TaskLocalBuffer",
    "TaskScope",
    "create_buffer",
    "create_store",
    "from_array",
    "null",
    "task_scope",
]
