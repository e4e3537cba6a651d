# Written by ci/stubs. Do not edit.
from accel.store.accessors import Accessor as Accessor
from accel.store.accessors import ReduceAccessor as ReduceAccessor
from accel.store.arrays import ListLogicalArray as ListLogicalArray
from accel.store.arrays import ListPhysicalArray as ListPhysicalArray
from accel.store.arrays import LogicalArray as LogicalArray
from accel.store.arrays import LogicalArrayPartition as LogicalArrayPartition
from accel.store.arrays import PhysicalArray as PhysicalArray
from accel.store.arrays import StringLogicalArray as StringLogicalArray
from accel.store.arrays import StringPhysicalArray as StringPhysicalArray
from accel.store.arrays import StructLogicalArray as StructLogicalArray
from accel.store.arrays import StructPhysicalArray as StructPhysicalArray
from accel.store.arrays import create_array as create_array
from accel.store.arrays import create_list_array as create_list_array
from accel.store.arrays import create_string_array as create_string_array
from accel.store.arrays import create_struct_array as create_struct_array
from accel.store.arrays import from_arrow as from_arrow
from accel.store.arrays import from_strings as from_strings
from accel.store.creation import create_store as create_store
from accel.store.creation import from_array as from_array
from accel.store.creation import from_zarr as from_zarr
from accel.store.domains import Domain as Domain
from accel.store.domains import PointInRectIterator as PointInRectIterator
from accel.store.external import ExternalAllocation as ExternalAllocation
from accel.store.local_buffer import InlineAllocation as InlineAllocation
from accel.store.local_buffer import TaskLocalBuffer as TaskLocalBuffer
from accel.store.local_buffer import create_buffer as create_buffer
from accel.store.logical_store import LogicalStore as LogicalStore
from accel.store.logical_store import LogicalStorePartition as LogicalStorePartition
from accel.store.physical_store import PhysicalStore as PhysicalStore
from accel.store.reductions import ADD as ADD
from accel.store.reductions import AND as AND
from accel.store.reductions import MAX as MAX
from accel.store.reductions import MIN as MIN
from accel.store.reductions import MUL as MUL
from accel.store.reductions import OR as OR
from accel.store.reductions import XOR as XOR
from accel.store.reductions import ReductionOp as ReductionOp
from accel.store.regions import Access as Access
from accel.store.scalars import Scalar as Scalar
from accel.store.scalars import null as null
from accel.store.scoped_allocator import ScopedAllocator as ScopedAllocator
from accel.store.scratch import DEFAULT_ALIGNMENT as DEFAULT_ALIGNMENT
from accel.store.shapes import Shape as Shape
from accel.store.slices import OPEN as OPEN
from accel.store.slices import Slice as Slice
from accel.store.store_targets import StoreTarget as StoreTarget
from accel.store.task import TaskScope as TaskScope
from accel.store.task import task_scope as task_scope
from accel.store.tiles import Tiled as Tiled

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
