"""What names stand for: assignments to names, and names after branches and loops."""

import ast
from collections.abc import Mapping
from typing import Any, NamedTuple

from accel.ir import Const
from accel.kernels.frontend.context import Activation, Unusable
from accel.kernels.frontend.promotion import as_value
from accel.kernels.frontend.values import Entity, Struct, Tuple, Value, Vector, is_number

__all__ = ["Group", "after_branches", "after_loop", "assign_name", "bound", "entity_of"]


class Group(NamedTuple):
    """A tuple, vector or structure whose numbers are variables.

    Attributes
    ----------
    like : type
        `Tuple`, `Vector`, or the class of a structure.
    parts : tuple
        For each item the name of a variable, a group, or an entity.
    """

    like: Any
    parts: tuple[Any, ...]


def assign_name(act: Activation, node: ast.AST, name: str, entity: Entity) -> None:
    """Let a name stand for an entity from now on."""
    previous = act.names.get(name)
    if name in act.once and not is_variable(entity):
        act.names[name] = entity
    else:
        act.names[name] = bound(act, node, name, entity, previous if isinstance(previous, Group) else None)


def is_variable(x: Entity) -> bool:
    """Tell whether an entity has numbers that are computed when the kernel runs."""
    if isinstance(x, Tuple | Vector | Struct):
        return any(map(is_variable, x.items))
    return isinstance(x, Value) and not isinstance(x.expr, Const)


def bound(act: Activation, node: ast.AST, name: str, entity: Entity, previous: Group | None = None) -> Any:
    """Assign an entity to variables named after ``name``, and return what stands for it.

    The parts of a tuple are variables of their own, whose names no name of Python can be.
    """
    if is_number(entity):
        with act.at(node):
            act.unit.assign(act.variable(name), as_value(entity))
        return act.variable(name)
    if not isinstance(entity, Tuple | Vector | Struct):
        return entity
    like = entity.cls if isinstance(entity, Struct) else type(entity)
    if previous is not None and (previous.like is not like or len(previous.parts) != len(entity.items)):
        raise act.error(node, f"{name} already stands for another kind of tuple; use another name")
    # All values are computed before the first is assigned: they may depend on one another.
    items = [Value(act.unit.keep(x).expr, x.weak) if isinstance(x, Value) else x for x in entity.items]
    return Group(like, tuple([bound(act, node, f"{name}.{k}", item) for k, item in enumerate(items)]))


def entity_of(act: Activation, part: Any) -> Entity:
    """Return the entity that a name, a group or an entity stands for."""
    if isinstance(part, str):
        return act.unit.local(part)
    if not isinstance(part, Group):
        return part
    items = tuple([entity_of(act, each) for each in part.parts])
    return part.like(items) if part.like in (Tuple, Vector) else Struct(part.like, items)


def after_branches(one: Mapping[str, Any], ends: bool, other: Mapping[str, Any], other_ends: bool) -> dict[str, Any]:
    """Return the entities of names after two branches; branches that leave by a jump or a return do not count."""
    if ends or other_ends:
        return dict(other if ends else one)
    names = {}
    for name in {**one, **other}:
        if name in one and name in other:
            same = one[name] is other[name] or one[name] == other[name]
            names[name] = one[name] if same else Unusable("stands for different things on the paths that lead here")
    return names


def after_loop(act: Activation, node: ast.AST, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what names stand for after a loop, which may have had no iteration."""
    for name, entity in before.items():
        loop_value = act.names.get(name)
        if loop_value is not entity and loop_value != entity and not isinstance(entity, Unusable):
            raise act.error(
                node, f"{name} stands for something else in the next iteration; use another name in the loop"
            )
    return dict(before)
