"""Arrays of stores: elements with null masks, lists, strings and structs (Legate's), and Arrow."""

from accel.store.arrays.creation import (
    create_array,
    create_list_array,
    create_string_array,
    create_struct_array,
    from_strings,
)
from accel.store.arrays.from_arrow import from_arrow
from accel.store.arrays.logical_array import (
    ListLogicalArray,
    LogicalArray,
    LogicalArrayPartition,
    StringLogicalArray,
    StructLogicalArray,
)
from accel.store.arrays.physical_array import (
    ListPhysicalArray,
    PhysicalArray,
    StringPhysicalArray,
    StructPhysicalArray,
)
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
