"""Products of small matrices, as operations of elements: a call of a library takes longer than to compute them."""

from collections.abc import Sequence
from typing import Any

from accel.tracing.symbols import Symbol

__all__ = ["is_small", "small_product"]

_MOST_RESULTS = 64
_MOST_TERMS = 8
"""Elements of a small product, and products that are added to one."""


def is_small(operands: Sequence[Any], shape: tuple[int, ...]) -> bool:
    """Tell whether two operands, of which one is a matrix, have a small product of a shape."""
    if len(operands) != 2 or not all(isinstance(x, Symbol) and x.ndim in (1, 2) for x in operands):
        return False
    one, other = operands
    size = 1
    for extent in shape:
        size *= extent
    has_matrix = one.ndim + other.ndim > 2
    return has_matrix and one.dtype == other.dtype and size <= _MOST_RESULTS and 0 < one.shape[-1] <= _MOST_TERMS


def small_product(trace: Any, one: Symbol, other: Symbol) -> Symbol:
    """Return the product of a vector or matrix and another one, of which one is a matrix."""
    total: Any = None
    for place in range(one.shape[-1]):
        left = one[..., place]
        term = trace.namespace.multiply(left[..., None] if other.ndim > 1 else left, other[place])
        total = trace.namespace.add(term, 0 if total is None else total)  # a sum of zeros is 0.0, not -0.0
    return total  # type: ignore[no-any-return]
