"""Attributes and items of entities in a kernel."""

import ast
from enum import Enum
from typing import Any

import numpy as np

from accel.ir import Place
from accel.kernels.frontend.calls import FUNCTIONS
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import Buffer, Tensor
from accel.kernels.frontend.methods import METHODS_OF_MEMORY, extent
from accel.kernels.frontend.objects import entity_of_object
from accel.kernels.frontend.operands import constant_object, described
from accel.kernels.frontend.values import Constant, Entity, Module, Struct, Tuple, Value, Vector, is_number
from accel.kernels.language import Place3

__all__ = ["attribute", "item"]

_LANES = {"x": 0, "y": 1, "z": 2, "w": 3}


def attribute(act: Activation, node: ast.Attribute, of: Entity) -> Entity:
    """Return an attribute of an entity."""
    name = node.attr
    if isinstance(of, Buffer | Tensor):
        return _of_memory(act, node, of)
    if isinstance(of, Vector) and name in _LANES:
        return item(act, node, of, Constant(_LANES[name]))
    if isinstance(of, Struct):
        return _field(act, node, of)
    if is_number(of) and not (isinstance(of, Constant) and isinstance(of.value, Enum)):
        if name in ("real", "imag"):
            return FUNCTIONS[getattr(np, name)](act, node, of)
        raise act.error(node, f"a number has no attribute {name} in a kernel")
    if isinstance(of, Constant) and isinstance(of.value, Place3):
        return _place(act, node, of.value)
    if isinstance(of, Module | Constant):
        return _of_object(act, node, of.value)
    raise act.error(node, f"{described(of)} has no attribute {name} in a kernel")


def _of_object(act: Activation, node: ast.Attribute, owner: Any) -> Entity:
    try:
        value = getattr(owner, node.attr)
    except Exception as error:
        raise act.error(node, f"{ast.unparse(node)}: {error}") from None
    with act.at(node):
        return entity_of_object(value)


def _field(act: Activation, node: ast.Attribute, of: Struct) -> Entity:
    fields: tuple[str, ...] = of.cls._fields  # type: ignore[attr-defined]
    if node.attr in fields:
        return of.items[fields.index(node.attr)]
    raise act.error(node, f"{of.cls.__name__} has no field {node.attr}; it has {', '.join(fields)}")


def _place(act: Activation, node: ast.Attribute, place: Place3) -> Value:
    if node.attr not in ("x", "y", "z"):
        raise act.error(node, f"{place!r} has x, y and z; found {node.attr}")
    act.unit.explicit = True
    return Value(Place(place.what, "xyz".index(node.attr)), weak=True)  # type: ignore[arg-type]


def _of_memory(act: Activation, node: ast.Attribute, memory: Buffer | Tensor) -> Entity:
    name = node.attr
    if name == "shape":
        return Tuple(tuple(map(extent, memory.shape)))
    if name == "size":
        return METHODS_OF_MEMORY["num_elements"](act, node, memory)
    if name in ("rank", "ndim"):
        return Constant(memory.rank)
    if name == "dtype":
        return Constant(memory.dtype)
    if name == "layout" and isinstance(memory, Tensor):
        return Constant(memory.geometry.layout)
    if name == "T" and memory.rank == 2 and isinstance(memory, Tensor):
        return METHODS_OF_MEMORY["transpose"](act, node, memory)
    raise act.error(node, f"{memory.memory} has no attribute {name} in a kernel; it has dtype, ndim, shape and size")


def item(act: Activation, node: ast.AST, of: Tuple | Vector | Struct, index: Entity) -> Entity:
    """Return an item of a tuple, a vector or a structure."""
    number = constant_object(act, node, index, "the index of a tuple or vector (stack_allocation makes an array)")
    try:
        return of.items[number]
    except (IndexError, TypeError) as error:
        raise act.error(node, f"{ast.unparse(node)}: {error}; there are {len(of.items)} items") from None
