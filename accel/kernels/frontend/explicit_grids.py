"""Whether a kernel has an explicit grid."""

import ast
from types import ModuleType
from typing import Any

from accel.kernels import language
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.objects import is_hashable

__all__ = ["is_explicit", "object_of"]


def is_explicit(source: FunctionSource) -> bool:
    """Tell whether a kernel uses what only an explicit grid has, in its own body."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name | ast.Attribute) and object_of(source, node) in _EXPLICIT:
            return True
        if isinstance(node, ast.Attribute) and node.attr == "SHARED":
            return True
    return False


def object_of(source: FunctionSource, node: ast.expr) -> Any:
    """Return the object that a dotted name stands for, if it is no local variable; else None."""
    try:
        if isinstance(node, ast.Name):
            local = node.id in source.function.__code__.co_varnames
            value = None if local else source.resolve(node.id)
        elif isinstance(node, ast.Attribute):
            owner = object_of(source, node.value)
            value = getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
        else:
            return None
    except KeyError:
        return None
    return value if is_hashable(value) else None


_EXPLICIT = frozenset(
    {
        language.thread_index,
        language.block_index,
        language.block_size,
        language.grid_size,
        language.barrier,
        language.lane_index,
        language.warp_size,
        language.warp_shuffle,
        language.warp_shuffle_up,
        language.warp_shuffle_down,
        language.warp_shuffle_xor,
        language.warp_any,
        language.warp_all,
        language.warp_ballot,
        language.async_copy,
        language.async_wait,
    }
)
"""What a kernel with an explicit grid uses."""
