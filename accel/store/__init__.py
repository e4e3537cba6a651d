"""Legate's data API: scratch memory of tasks, by kind of memory."""

from accel.store.local_buffer import Domain, InlineAllocation, TaskLocalBuffer, create_buffer
from accel.store.scoped_allocator import ScopedAllocator
from accel.store.scratch import DEFAULT_ALIGNMENT
from accel.store.store_targets import StoreTarget
from accel.store.task import TaskScope, task_scope

__all__ = [
    "DEFAULT_ALIGNMENT",
    "Domain",
    "InlineAllocation",
    "ScopedAllocator",
    "StoreTarget",
    "TaskLocalBuffer",
    "TaskScope",
    "create_buffer",
    "task_scope",
]
