"""Operands of calls of the library: views of memory, and keys; calls with equal keys have the same results."""

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from accel.fusion.nodes import Input, Node, Result, Update, Viewed
from accel.tracing.symbols import Symbol

__all__ = ["call_key", "view_of_memory"]

_WRITTEN = frozenset({bool, int, float, complex, str, type(None), type(...)})


def call_key(function: Callable[..., Any], arguments: Any) -> Hashable:
    """Return the key of a call; numbers are equal if they are written alike, as 0.0 and -0.0 are not."""
    return function, _key(arguments)


def _key(value: Any) -> Hashable:
    kind = type(value)
    if isinstance(value, Node):
        return value.serial
    if kind is Viewed:
        return value.node.serial, value.views, value.shape, value.dtype
    parts = value if kind in (tuple, list) else value.items() if kind is dict else None
    if kind is slice:
        parts = value.start, value.stop, value.step
    if parts is not None:
        return kind, tuple([_key(each) for each in parts])
    if kind in _WRITTEN:
        return kind, repr(value)
    return value if isinstance(value, np.dtype | type) else object()  # equal to no other key


def view_of_memory(symbol: Symbol) -> Viewed | None:
    """Return a view of memory that exists when a call reads it, or that is little larger; None for any other array."""
    root, views = symbol, []
    while root.parent is not None:
        root, view = root.parent
        views.append(view)
    base, node = root.base, root.base.node
    is_stored = isinstance(node, Input | Result | Update) or base.source is not None or 2 * symbol.size >= node.size
    if not views or root.map is not None or not is_stored:
        return None
    return Viewed(node, tuple(views[::-1]), symbol.shape, symbol.dtype)
