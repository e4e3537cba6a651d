"""How long loops become. Longer ones gain nothing, and take longer to compile."""

from accel.fusion.index_maps import IndexMap
from accel.fusion.nodes import Shape

__all__ = ["FEW_ROWS", "MOST_ACCESSES", "MOST_OPERATIONS", "MOST_STORES", "SHORT_ROW", "has_gaps"]

MOST_OPERATIONS = 2000
MOST_ACCESSES = 128
"""GPUs take 32,764 bytes of arguments, of which an access of three axes has 56; some take 4,096."""

MOST_STORES = 32

SHORT_ROW = 16
"""Elements of a row in which vectors at its end cost much."""


FEW_ROWS = 16
"""Along so few rows, elements are not stored in the loop that reduces the rows: threads share rows."""


def has_gaps(index_map: IndexMap, shape: Shape) -> bool:
    """Tell whether neighbours along the last axis of a shape are stored apart; such a loop is better short."""
    return bool(shape) and shape[-1] > 1 and index_map[-1].steps != ((len(shape) - 1, 1),)
