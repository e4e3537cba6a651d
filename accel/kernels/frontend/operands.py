"""Operands of calls and operators: as numbers, as Python objects, and number by number for vectors."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from accel.ir import Const, Expr
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.promotion import as_value, kind_of
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector, is_number

__all__ = ["constant_object", "described", "elementwise", "index_of", "number_of", "vector_like"]


def number_of(act: Activation, node: ast.AST, x: Entity, what: str = "a number") -> Value:
    """Return an entity as a number; an error if it is none."""
    if not is_number(x):
        raise act.error(node, f"{what} is needed here; found {described(x)}")
    with act.at(node):
        return as_value(x)


def index_of(act: Activation, node: ast.AST, x: Entity, what: str = "an index") -> Expr:
    """Return an integer as an expression of type `INDEX`; an error if it is none."""
    number = number_of(act, node, x, what)
    if kind_of(number.dtype) not in "iu":
        raise act.error(node, f"{what} is an integer; found a {number.dtype.name}: write i64(x)")
    return indexing.as_index(number.expr)


def described(x: Entity) -> str:
    """Return what an entity is, for messages."""
    if isinstance(x, Constant):
        kind = type(x.value)
        return f"the class {x.value.__name__}" if isinstance(x.value, type) else f"{kind.__name__} {x.value!r:.60}"
    if isinstance(x, Struct):
        return f"a {x.cls.__name__}"
    if isinstance(x, Value):
        return f"a number of dtype {x.dtype.name}"
    if hasattr(x, "memory"):
        return f"the memory {x.memory}, whose elements are {x.memory}[i]"
    return f"a {type(x).__name__.lower()}"


def constant_object(act: Activation, node: ast.AST, x: Entity, what: str) -> Any:
    """Return the Python object of a constant or of a tuple of constants."""
    if isinstance(x, Tuple):
        return tuple([constant_object(act, node, item, what) for item in x.items])
    if isinstance(x, Constant):
        return x.value
    if isinstance(x, Value) and isinstance(x.expr, Const):
        return x.expr.value
    raise act.error(node, f"{what} must be known while the kernel is compiled; found {described(x)}")


def elementwise(act: Activation, node: ast.AST, function: Callable[..., Value], operands: Sequence[Entity]) -> Entity:
    """Apply a function of numbers; to each number of vectors, with single numbers for all."""
    sizes = {len(x.items) for x in operands if isinstance(x, Vector)}
    if not sizes:
        numbers = [number_of(act, node, x) for x in operands]
        with act.at(node):
            return function(*numbers)
    if len(sizes) > 1:
        raise act.error(node, f"vectors of {' and '.join(map(str, sorted(sizes)))} numbers do not fit together")
    rows = [vector_like(act, node, x, *sizes) for x in operands]
    with act.at(node):
        return Vector(tuple([function(*column) for column in zip(*rows, strict=True)]))


def vector_like(act: Activation, node: ast.AST, x: Entity, size: int) -> list[Value]:
    """Return the numbers of a vector, or a number as often as needed."""
    return list(x.items) if isinstance(x, Vector) else [number_of(act, node, x)] * size
