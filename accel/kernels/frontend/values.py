"""What names and expressions of a kernel stand for while it is lowered."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from accel.dtypes import DType
from accel.ir import Expr, of_type

__all__ = [
    "Constant",
    "Entity",
    "Grid",
    "Module",
    "Range",
    "Struct",
    "Tuple",
    "Value",
    "Vector",
    "is_number",
    "mapped",
]


class Value(NamedTuple):
    """A number that is computed when the kernel runs.

    Attributes
    ----------
    expr : Expr
        Its expression.
    weak : bool
        Whether it stands for a Python number, which takes the type of the other operand.
    """

    expr: Expr
    weak: bool = False

    @property
    def dtype(self) -> DType:
        """Its type."""
        return of_type(self.expr)


class Constant(NamedTuple):
    """A Python object that is known while the kernel is compiled."""

    value: Any


class Module(NamedTuple):
    """A module or a class, whose attributes are fetched while the kernel is compiled."""

    value: Any


class Tuple(NamedTuple):
    """A tuple; its length is known."""

    items: tuple[Any, ...]


class Vector(NamedTuple):
    """A few numbers of one type, with arithmetic on all of them at once."""

    items: tuple[Value, ...]


class Struct(NamedTuple):
    """A named tuple."""

    cls: type
    items: tuple[Any, ...]


class Range(NamedTuple):
    """The integers of a ``range``."""

    start: Value
    stop: Value
    step: Value


class Grid(NamedTuple):
    """The coordinates of a grid, the last axis fastest."""

    extents: tuple[Value, ...]


Entity: TypeAlias = Any
"""Any of these, or one of the kinds of memory."""


def is_number(x: Entity) -> bool:
    """Tell whether an entity is one number."""
    if isinstance(x, Constant):
        return isinstance(x.value, bool | int | float | complex)
    return isinstance(x, Value)


def mapped(function: Callable[[Value], Value], x: Entity) -> Entity:
    """Return an entity with a function applied to each of its numbers that are computed when the kernel runs."""
    if isinstance(x, Value):
        return function(x)
    if isinstance(x, Tuple | Vector):
        return type(x)(tuple([mapped(function, item) for item in x.items]))
    return Struct(x.cls, tuple([mapped(function, item) for item in x.items])) if isinstance(x, Struct) else x
