"""Bounds of integers that hold for all elements, whatever they are."""

from typing import Any

import numpy as np

from accel.fusion.nodes import Constant, Node, Operation, Position, Reshape, View

__all__ = ["greatest"]


_DEEPEST = 8
"""Nodes of which one is computed from the next that are looked at."""


def greatest(node: Node, depth: int = _DEEPEST) -> int:
    """Return a number that no element of a node of integers or truth values exceeds."""
    limit = 1 if node.dtype.kind == "b" else int(np.iinfo(node.dtype).max)
    if isinstance(node, Constant):
        return int(node.value)
    if isinstance(node, Position):
        return max(node.size - 1, 0)
    if isinstance(node, View | Reshape):
        return greatest(node.source, depth - 1) if depth else limit
    return min(limit, _of_operation(node, depth - 1)) if isinstance(node, Operation) and depth else limit


def _of_operation(node: Operation, depth: int) -> Any:
    operands = [each for each in node.operands if each.dtype.kind in "biu"]
    bounds = [greatest(each, depth) for each in operands]
    last = bounds[-1] if operands and isinstance(operands[-1], Constant) else -1
    if node.kind == "binary" and node.name == "min":
        return min(bounds)
    if node.kind == "binary" and node.name in ("and", "mod") and last >= (node.name == "mod"):
        return last - (node.name == "mod")
    if node.kind == "select" or (node.kind == "binary" and node.name == "max"):
        return max(bounds[-2:])
    # A cast that wraps makes other numbers of those that do not fit.
    fits = node.kind == "cast" and len(operands) == 1 and np.can_cast(operands[0].dtype, node.dtype)
    return bounds[0] if fits else np.inf
