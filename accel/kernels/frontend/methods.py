"""The methods of memory in a kernel: parts, extents, and several elements at once."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from accel.ir import Const, Expr
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import (
    Buffer,
    Memory,
    Tensor,
    indices_of,
    read,
    refuse_negative,
    write,
)
from accel.kernels.frontend.operands import constant_object, described, index_of
from accel.kernels.frontend.parts import checked_part
from accel.kernels.frontend.tensors import METHODS
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value, Vector
from accel.layout import coalesce
from accel.views.geometry import geometry_of

__all__ = ["METHODS_OF_MEMORY", "extent", "subview"]

_NONE, _ZERO, _ONE = Constant(None), Constant(0), indexing.number(1)


def subview(act: Activation, node: ast.AST, source: Entity, offset: Entity = _ZERO, size: Entity = _NONE) -> Buffer:
    """Return a part of a buffer, without clipping."""
    if not isinstance(source, Buffer) or source.rank != 1:
        raise act.error(node, f"a BufferView is a part of memory with one axis; found {described(source)}")
    start = index_of(act, node, offset, "an offset")
    refuse_negative(act, node, start, "an offset", f"{source.memory}.size")
    count = None if size == _NONE else index_of(act, node, size, "a size")
    if count is not None:
        refuse_negative(act, node, count, "a size")
    return checked_part(act, node, source, start, count)


def extent(x: Expr) -> Value | Constant:
    """Return an extent as a number, which is known in tensors and arrays."""
    return Constant(x.value) if isinstance(x, Const) else Value(x, weak=True)


def size(_act: Activation, _node: ast.AST, memory: Memory) -> Value | Constant:
    """Return the number of elements."""
    return extent(reduce(indexing.times, memory.shape))


def _dim(act: Activation, node: ast.AST, memory: Memory, index: Entity) -> Value | Constant:
    number = constant_object(act, node, index, "an axis")
    if type(number) is not int or not -memory.rank <= number < memory.rank:
        raise act.error(node, f"{memory.memory} has {memory.rank} axes; found axis {number!r}")
    return extent(memory.shape[number])


def _load(act: Activation, node: ast.AST, memory: Memory, *index: Entity, width: Entity = _NONE) -> Entity:
    where, (width,) = _split(act, node, memory, index, {"width": width})
    count = 1 if width == _NONE else constant_object(act, node, width, "the width")
    values = [read(act, node, *lane) for lane in _lanes(act, node, memory, where, count)]
    return values[0] if count == 1 else Vector(tuple(values))  # type: ignore[arg-type]


def _store(
    act: Activation, node: ast.AST, memory: Memory, *index: Entity, values: Entity = _NONE, width: Entity = _NONE
) -> None:
    where, (given,) = _split(act, node, memory, index, {"values": values})
    if given == _NONE:
        raise act.error(node, f"store takes {memory.rank} indices and a value; found {ast.unparse(node)}")
    value = act.unit.evaluated(given)
    items = list(value.items) if isinstance(value, Vector | Tuple) else [value]
    count = len(items) if width == _NONE else constant_object(act, node, width, "the width")
    if len(items) not in (1, count):
        raise act.error(node, f"a width of {count!r} takes as many values, or one for all; found {len(items)}")
    lanes = _lanes(act, node, memory, where, count)
    for lane, item in zip(lanes, items * len(lanes) if len(items) == 1 else items, strict=True):
        write(act, node, *lane, item)


def _split(
    act: Activation, node: ast.AST, memory: Memory, arguments: Sequence[Entity], named: Mapping[str, Entity]
) -> tuple[Tuple, list[Entity]]:
    """Return indices, given one by one or in a tuple, and what follows them or is given by name."""
    together = bool(arguments) and isinstance(arguments[0], Tuple)
    where = arguments[0].items if together else tuple(arguments[: memory.rank])
    others = arguments[1:] if together else arguments[memory.rank :]
    twice = [name for (name, value), _ in zip(named.items(), others, strict=False) if value != _NONE]
    if len(others) > len(named) or twice:
        takes = ", then ".join([f"{memory.rank} indices", *named])
        raise act.error(node, f"{ast.unparse(node.func)} takes {takes}; found {ast.unparse(node)}")  # type: ignore[attr-defined]
    return Tuple(tuple(where)), [*others, *list(named.values())[len(others) :]]


def _lanes(act: Activation, node: ast.AST, memory: Memory, where: Tuple, count: Any) -> list[tuple[Memory, list[Expr]]]:
    """Return neighbours in memory, each with its indices; those where a masked tensor has none are padded."""
    if type(count) is not int or count < 1:
        raise act.error(node, f"a width is a positive integer; found {count!r}")
    if memory.lanes > 1:
        raise act.error(node, f"load and store are for elements of one number; write {memory.memory}[i, j]")
    if count > 1 and not _are_neighbours(memory):
        raise act.error(
            node,
            f"several numbers are loaded and stored where they are neighbours in memory, and along the last axis of "
            f"{memory.memory} they may not be: write a loop over single ones",
        )
    first = indices_of(act, node, memory, where)
    others = memory
    if isinstance(memory, Tensor) and memory.valid is not None:
        geometry = memory.geometry
        others = replace(memory, geometry=geometry_of(geometry.layout, geometry.element, geometry.valid, True, None))
    rows = [[*first[:-1], indexing.plus(first[-1], indexing.number(step))] for step in range(count)]
    return [(others if step else memory, row) for step, row in enumerate(rows)]


def _are_neighbours(memory: Memory) -> bool:
    """Tell whether elements that follow each other along the last axis do so in memory too."""
    if isinstance(memory, Buffer):
        return memory.strides[-1] == _ONE
    last = coalesce(memory.geometry.modes[-1])
    return not memory.swizzle and isinstance(last.shape, int) and 1 in (last.shape, last.stride)


METHODS_OF_MEMORY: Mapping[str, Callable[..., Entity]] = {
    "subview": subview,
    "dim": _dim,
    "load": _load,
    "store": _store,
    "num_elements": size,
    **METHODS,
}


"""The methods, by name; called with the memory first."""
