"""What is equal for graphs of which one plan computes both: all but where inputs and numbers come from."""

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

from accel.fusion.nodes import Constant, Input, Node, Scalar

__all__ = ["graph_key"]

_DERIVED = frozenset({"_operands", "box", "ends"})
"""Attributes that follow from others, or from the operands."""


def graph_key(nodes: Sequence[Node], roots: Sequence[Node]) -> Hashable:
    """Return what is equal for equal graphs.

    Parameters
    ----------
    nodes : sequence of Node
        All, operands first; without calls of libraries.
    roots : sequence of Node
        Those that are wanted.
    """
    places = {node: place for place, node in enumerate(nodes)}
    parts = [
        (type(node), node.shape, node.dtype, _facts(node), tuple([places[each] for each in node.operands]))
        for node in nodes
    ]
    return tuple(parts), tuple([places[each] for each in roots])


def _facts(node: Node) -> Any:
    """Return what the elements of a node depend on besides its operands."""
    if isinstance(node, Input):
        return node.strides
    if isinstance(node, Constant):
        return repr(node.value)  # 0.0 equals -0.0, and NaN does not equal itself
    if isinstance(node, Scalar):
        return None
    kind: Any = type(node)
    facts = [getattr(node, name) for name in _names(kind)]
    return tuple([each for each in facts if not isinstance(each, Node)])


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """Return the attributes of a class of nodes."""
    classes = kind.__mro__[: kind.__mro__.index(Node)]
    return tuple([name for each in classes for name in vars(each).get("__slots__", ()) if name not in _DERIVED])
