"""Kinds of arrays, and the types that NumPy has no dtype for: lists, strings and structs."""

from typing import NamedTuple

from accel.dtypes import DType
from accel.support.enums import PlainEnum

__all__ = ["ArrayType", "Kind", "ListType", "StringType", "StructType"]


class Kind(PlainEnum):
    """A kind of array."""

    PRIMITIVE = "primitive"
    LIST = "list"
    STRING = "string"
    STRUCT = "struct"


class StringType(NamedTuple):
    """Text in UTF-8."""

    def __repr__(self) -> str:
        return "string"


class ListType(NamedTuple):
    """Lists of any lengths.

    Attributes
    ----------
    element : numpy.dtype or StringType or ListType or StructType
        The type of their elements.
    """

    element: "ArrayType"

    def __repr__(self) -> str:
        return f"list[{self.element}]"


class StructType(NamedTuple):
    """Elements with named fields.

    Attributes
    ----------
    fields : tuple of (str, type)
        Name and type of each field.
    """

    fields: "tuple[tuple[str, ArrayType], ...]"

    def __repr__(self) -> str:
        return "struct{" + ", ".join(f"{name}: {each}" for name, each in self.fields) + "}"


ArrayType = DType | StringType | ListType | StructType
"""The type of an array."""
