"""The methods of memory in a kernel: parts, extents, and several elements at once."""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from accel.ir import Const, Expr
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import (
    Buffer,
    Memory,
    checked_part,
    indices_of,
    read,
    write,
)
from accel.kernels.frontend.operands import constant_object, described, index_of
from accel.kernels.frontend.tensors import METHODS
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value, Vector

__all__ = ["METHODS_OF_MEMORY", "extent", "subview"]

_NONE, _ZERO, _ONE = Constant(None), Constant(0), Constant(1)


def subview(act: Activation, node: ast.AST, source: Entity, offset: Entity = _ZERO, size: Entity = _NONE) -> Buffer:
    """Return a part of a buffer, without clipping."""
    if not isinstance(source, Buffer) or source.rank != 1:
        raise act.error(node, f"a BufferView is a part of memory with one axis; found {described(source)}")
    start = index_of(act, node, offset, "an offset")
    count = None if size == _NONE else index_of(act, node, size, "a size")
    return checked_part(act, node, source, start, count)


def extent(x: Expr) -> Value | Constant:
    """Return an extent as a number, which is known in tensors and arrays."""
    return Constant(x.value) if isinstance(x, Const) else Value(x, weak=True)


def size(_act: Activation, _node: ast.AST, memory: Memory) -> Value | Constant:
    """Return the number of elements."""
    return extent(reduce(indexing.times, memory.shape))


def _dim(act: Activation, node: ast.AST, memory: Memory, axis: Entity) -> Value | Constant:
    number = constant_object(act, node, axis, "an axis")
    if type(number) is not int or not -memory.rank <= number < memory.rank:
        raise act.error(node, f"{memory.memory} has {memory.rank} axes; found axis {number!r}")
    return extent(memory.shape[number])


def _load(act: Activation, node: ast.AST, memory: Memory, *index: Entity, width: Entity = _ONE) -> Entity:
    count = constant_object(act, node, width, "the width")
    rows = _run(act, node, memory, index, count)
    values = [read(act, node, memory, row) for row in rows]
    return values[0] if count == 1 else Vector(tuple(values))  # type: ignore[arg-type]


def _store(act: Activation, node: ast.AST, memory: Memory, *arguments: Entity) -> None:
    if len(arguments) != memory.rank + 1:
        raise act.error(node, f"store takes {memory.rank} indices and a value; found {ast.unparse(node)}")
    *index, value = [*arguments[:-1], act.unit.evaluated(arguments[-1])]
    if not isinstance(value, Vector | Tuple):
        write(act, node, memory, indices_of(act, node, memory, Tuple(tuple(index))), value)
        return
    for row, item in zip(_run(act, node, memory, index, len(value.items)), value.items, strict=True):
        write(act, node, memory, row, item)


def _run(act: Activation, node: ast.AST, memory: Memory, index: Sequence[Entity], count: Any) -> list[list[Expr]]:
    """Return the indices of consecutive elements along the last axis."""
    if type(count) is not int or count < 1 or (memory.lanes > 1 and count > 1):
        raise act.error(node, f"a width is a positive integer, and the elements are single numbers; found {count!r}")
    first = indices_of(act, node, memory, Tuple(tuple(index)))
    return [[*first[:-1], indexing.plus(first[-1], indexing.number(step))] for step in range(count)]


METHODS_OF_MEMORY: Mapping[str, Callable[..., Entity]] = {
    "subview": subview,
    "dim": _dim,
    "load": _load,
    "store": _store,
    "num_elements": size,
    **METHODS,
}


"""The methods, by name; called with the memory first."""
