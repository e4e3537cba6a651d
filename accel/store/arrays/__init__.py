"""Arrays of stores: elements with null masks, lists, strings and structs (Legate's), and Arrow."""

from accel.store.arrays.creation import (
    create_array,
    create_list_array,
    create_string_array,
    create_struct_array,
    from_strings,
)
from accel.store.arrays.from_arrow import from_arrow
from accel.store.arrays.list_array import ListLogicalArray
from accel.store.arrays.list_physical_array import ListPhysicalArray
from accel.store.arrays.logical_array import LogicalArray
from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.string_array import StringLogicalArray
from accel.store.arrays.string_physical_array import StringPhysicalArray
from accel.store.arrays.struct_array import StructLogicalArray
from accel.store.arrays.struct_physical_array import StructPhysicalArray
from accel.store.arrays.tiles import LogicalArrayPartition
from accel.store.arrays.types import ListType, StringType, StructType

__all__ = [
    "ListLogicalArray",
    "ListPhysicalArray",
    "ListType",
    "LogicalArray",
    "LogicalArrayPartition",
    "PhysicalArray",
    "StringLogicalArray",
    "StringPhysicalArray",
    "StringType",
    "StructLogicalArray",
    "StructPhysicalArray",
    "StructType",
    "create_array",
    "create_list_array",
    "create_string_array",
    "create_struct_array",
    "from_arrow",
    "from_strings",
]
