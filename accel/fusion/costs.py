"""What operations cost: as many times the time of an addition, about, in loops with vectors."""

from math import prod

from accel.fusion.limits import MANY_NEIGHBOURS
from accel.fusion.nodes import Node, Operation, Shape
from accel.fusion.regions import Expansion

__all__ = ["STORED", "cost", "is_cheap_in_order", "is_last"]

STORED = 8
"""Operations, as costly as an addition, that take as long as to store an element and to load it again."""

_COSTS = {"truediv": 4, "mod": 8, "floordiv": 8, "pow": 20, "sqrt": 5}
_COST_OF_CALL = 10
_CHEAP_CALLS = frozenset(
    {"abs", "ceil", "floor", "isfinite", "isinf", "isnan", "round", "sign", "signbit", "square", "trunc"}
)


def cost(node: Node) -> int:
    """Return what the operation of a node costs, without its operands."""
    if not isinstance(node, Operation):
        return 0
    is_long = node.kind == "call" and node.name not in _CHEAP_CALLS
    return _COSTS.get(node.name, _COST_OF_CALL if is_long else 1)


def is_last(axis: int, shape: Shape) -> bool:
    """Tell whether no neighbours, or few, have the same index along an axis."""
    return prod(shape[axis + 1 :]) < MANY_NEIGHBOURS


def is_cheap_in_order(expansion: Expansion, axis: int, shape: Shape) -> bool:
    """Tell whether loops that combine elements along an axis have vectors, or take no longer without them."""
    return not is_last(axis, shape) or sum(cost(node) for node, _ in expansion.computed) <= STORED
