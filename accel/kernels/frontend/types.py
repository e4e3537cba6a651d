"""The types of arguments: what a program depends on. Programs are kept by these, so they are hashable and small."""

from typing import Any, NamedTuple, TypeAlias

from accel.dtypes import DType
from accel.layout import Layout, Swizzle

__all__ = ["ArgumentType", "BufferType", "ScalarType", "StaticType", "StructType", "TensorType", "names_of"]


class ScalarType(NamedTuple):
    """A number.

    Attributes
    ----------
    dtype : numpy.dtype
        Its type.
    weak : bool
        Whether it was a Python number, which takes the type of the other operand, as in NumPy.
    """

    dtype: DType
    weak: bool


class BufferType(NamedTuple):
    """Strided memory: a container, a storage, a buffer or an array. Its extents and strides are arguments.

    Attributes
    ----------
    kind : str
        The name of its class, for messages and for the methods that it has in kernels.
    dtype : numpy.dtype
        Type of the elements.
    rank : int
        Number of axes; at least 1.
    dense : bool
        Whether the elements along the last axis are adjacent.
    """

    kind: str
    dtype: DType
    rank: int
    dense: bool


class TensorType(NamedTuple):
    """A `LayoutTensor`: all its integers are constants of the program, except its first element.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the numbers.
    layout : Layout
        Layout of the elements.
    element : Layout
        Layout of the numbers of an element.
    valid : tuple of int, optional
        The number of coordinates of each mode that have memory, if not all have.
    padded : bool
        Whether reads where there is no memory give the pad value, and writes there do nothing.
    pad : object
        The pad value; None stands for 0.
    swizzle : Swizzle, optional
        Applied to the distance from the address that is passed, which is then that of the swizzle's origin.
    first : int
        The distance of the first element from the address that is passed, before the swizzle; 0 without one.
    """

    dtype: DType
    layout: Layout
    element: Layout
    valid: tuple[int, ...] | None = None
    padded: bool = False
    pad: Any = None
    swizzle: Swizzle | None = None
    first: int = 0


class StructType(NamedTuple):
    """A named tuple; each field is an argument of its own, named ``parameter_field``.

    Attributes
    ----------
    cls : type
        Its class.
    fields : tuple of ArgumentType
        The types of its fields.
    """

    cls: type
    fields: tuple["ArgumentType", ...]


class StaticType(NamedTuple):
    """A value that is a constant of the program and no argument: a layout, a dtype, a str, None, a function.

    Attributes
    ----------
    value : object
        The value; it has a hash.
    """

    value: Any


ArgumentType: TypeAlias = ScalarType | BufferType | TensorType | StructType | StaticType


def names_of(name: str, kind: ArgumentType) -> list[tuple[str, ArgumentType]]:
    """Return the arguments that a parameter becomes, in order: the fields of a structure, nothing for a constant."""
    if isinstance(kind, StaticType):
        return []
    if isinstance(kind, StructType):
        fields = zip(kind.cls._fields, kind.fields, strict=True)  # type: ignore[attr-defined]
        return [each for field, inner in fields for each in names_of(f"{name}_{field}", inner)]
    return [(name, kind)]
