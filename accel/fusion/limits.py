"""How long loops become. Longer ones gain nothing, and take longer to compile."""

from accel.fusion.index_maps import IndexMap
from accel.fusion.nodes import Shape

__all__ = [
    "FEW_ROWS",
    "MANY_NEIGHBOURS",
    "MOST_OPERATIONS",
    "MOST_STORES",
    "SHORT_ROW",
    "accesses_within",
    "has_gaps",
    "most_accesses",
]

MOST_OPERATIONS = 2000
_MOST_ACCESSES = 128

_OWN = 32
"""Bytes of parameters that a backend adds."""

_NUMBER = 16
"""Bytes of the largest number."""

MOST_STORES = 32

MANY_NEIGHBOURS = 8
"""Along the last axis, so many are combined together, by vectors."""

SHORT_ROW = 16
"""Elements of a row in which vectors at its end cost much."""


FEW_ROWS = 16
"""Along so few rows, elements are not stored in the loop that reduces the rows: threads share rows."""


def most_accesses(parameters: int, rank: int) -> int:
    """Return how many accesses and numbers a loop has at most, if kernels have so many bytes of parameters."""
    return min(_MOST_ACCESSES, accesses_within(parameters, rank))


def accesses_within(parameters: int, rank: int) -> int:
    """Return how many accesses and numbers fit in bytes of parameters, beside the extents of a loop.

    An access has an address and its strides.
    """
    return (parameters - _OWN - 8 * rank) // max(_NUMBER, 8 + 8 * rank)


def has_gaps(index_map: IndexMap, shape: Shape) -> bool:
    """Tell whether neighbours along the last axis of a shape are stored apart; such a loop is better short."""
    return bool(shape) and shape[-1] > 1 and index_map[-1].steps != ((len(shape) - 1, 1),)
