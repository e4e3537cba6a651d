"""Types of columns, as Arrow's format strings say them."""

from typing import NamedTuple

from accel.dtypes import DType, as_dtype
from accel.errors import DTypeError
from accel.interchange.arrow.abi import ArrowSchema
from accel.interchange.arrow.callbacks import callbacks
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.nodes import capsule_of, children_of

__all__ = ["LISTS", "OFFSETS", "STRINGS", "STRUCT", "Field", "dtype_of", "field_of", "format_of", "schema_capsule"]

_FORMATS = {
    "bool": "b",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}
_DTYPES = {code: name for name, code in _FORMATS.items()}

OFFSETS = {"u": as_dtype("int32"), "U": as_dtype("int64"), "+l": as_dtype("int32"), "+L": as_dtype("int64")}
"""The dtype of the offsets in each format that has some."""

STRINGS, LISTS, STRUCT = ("u", "U"), ("+l", "+L"), "+s"
# In Arrow every column of a program may have nulls, so pieces with and without any have one type.
_NULLABLE = 2


class Field(NamedTuple):
    """The type of a column.

    Attributes
    ----------
    format : str
        Arrow's format string.
    name : str
        Its name in the struct that it is a field of.
    children : tuple of Field
        Of a list: its elements. Of a struct: its fields.
    """

    format: str
    name: str = ""
    children: "tuple[Field, ...]" = ()


def dtype_of(code: str, path: str) -> DType:
    """Return the dtype of a format of numbers or booleans.

    Raises
    ------
    DTypeError
        If it is another format.
    """
    name = _DTYPES.get(code)
    if name is None:
        raise DTypeError(
            f"{path} has Arrow's format {code!r}, which has no counterpart here; cast it to numbers, booleans, utf8, "
            f"lists or structs of these first, as in pyarrow's column.cast(pyarrow.int64())"
        )
    return as_dtype(name)


def format_of(dtype: DType) -> str:
    """Return the format of a dtype.

    Raises
    ------
    DTypeError
        If Arrow has none.
    """
    code = _FORMATS.get(dtype.name)
    if code is None:
        raise DTypeError(f"Arrow has no type for {dtype.name}; these can be exchanged: {', '.join(_FORMATS)}")
    return code


def field_of(column: Column, name: str = "") -> Field:
    """Return the type of a column."""
    match column:
        case Values():
            return Field(format_of(column.values.dtype), name)
        case Strings():
            return Field("u" if column.offsets.dtype.itemsize == 4 else "U", name)
        case Lists():
            code = "+l" if column.offsets.dtype.itemsize == 4 else "+L"
            return Field(code, name, (field_of(column.child, "item"),))
        case Struct():
            return Field(STRUCT, name, tuple(field_of(child, each) for each, child in column.fields))


def schema_capsule(field: Field) -> object:
    """Return a capsule on a type, for ``__arrow_c_schema__``."""
    references: list[object] = []
    return capsule_of(_schema(field, references), references, b"arrow_schema", callbacks().destroy_schema)


def _schema(field: Field, references: list[object]) -> ArrowSchema:
    children = [_schema(child, references) for child in field.children]
    pointers = children_of(children, references)
    schema = ArrowSchema(field.format.encode(), field.name.encode(), None, _NULLABLE, len(children), pointers)
    schema.release, schema.private_data = callbacks().release_schema, id(references)
    references.append(schema)
    return schema
