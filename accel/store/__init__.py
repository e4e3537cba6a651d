"""Legate's data model: what data is, apart from where it is.

Logical stores with transforms and partitions, and arrays of them; physical stores, which are their memory in one place;
values, shapes and domains; memory of the user, and scratch memory of tasks. Names that few programs use are imported
at first use; the stub beside this file lists all names.
"""

from accel.store.accessors import Accessor, ReduceAccessor
from accel.store.creation import create_store, from_array, from_zarr
from accel.store.domains import Domain, PointInRectIterator
from accel.store.external import ExternalAllocation
from accel.store.local_buffer import InlineAllocation, TaskLocalBuffer, create_buffer
from accel.store.logical_store import LogicalStore, LogicalStorePartition
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
from accel.store.tiles import Tiled
from accel.support.lazy import LazyNames

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
    "Accessor",
    "Domain",
    "ExternalAllocation",
    "InlineAllocation",
    "ListLogicalArray",
    "ListPhysicalArray",
    "LogicalArray",
    "LogicalArrayPartition",
    "LogicalStore",
    "LogicalStorePartition",
    "PhysicalArray",
    "PhysicalStore",
    "PointInRectIterator",
    "ReduceAccessor",
    "ReductionOp",
    "Scalar",
    "ScopedAllocator",
    "Shape",
    "Slice",
    "StoreTarget",
    "StringLogicalArray",
    "StringPhysicalArray",
    "StructLogicalArray",
    "StructPhysicalArray",
    "TaskLocalBuffer",
    "TaskScope",
    "Tiled",
    "create_array",
    "create_buffer",
    "create_list_array",
    "create_store",
    "create_string_array",
    "create_struct_array",
    "from_array",
    "from_arrow",
    "from_strings",
    "from_zarr",
    "null",
    "task_scope",
]

_ARRAYS = "accel.store.arrays"
_LAZY = {
    "ListLogicalArray": _ARRAYS,
    "ListPhysicalArray": _ARRAYS,
    "LogicalArray": _ARRAYS,
    "LogicalArrayPartition": _ARRAYS,
    "PhysicalArray": _ARRAYS,
    "StringLogicalArray": _ARRAYS,
    "StringPhysicalArray": _ARRAYS,
    "StructLogicalArray": _ARRAYS,
    "StructPhysicalArray": _ARRAYS,
    "create_array": _ARRAYS,
    "create_list_array": _ARRAYS,
    "create_string_array": _ARRAYS,
    "create_struct_array": _ARRAYS,
    "from_arrow": _ARRAYS,
    "from_strings": _ARRAYS,
}

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
