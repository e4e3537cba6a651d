"""Exchange of columns with Arrow libraries, through Arrow's C data interface and its C device interface."""

from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.export import array_capsules, device_array_capsules
from accel.interchange.arrow.fields import Field, schema_capsule
from accel.interchange.arrow.importer import receive_column, receive_columns

__all__ = [
    "Column",
    "Field",
    "Lists",
    "Strings",
    "Struct",
    "Values",
    "array_capsules",
    "device_array_capsules",
    "receive_column",
    "receive_columns",
    "schema_capsule",
]
