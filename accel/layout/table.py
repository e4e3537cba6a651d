"""The whole table of a layout as a NumPy array."""

from typing import TYPE_CHECKING, Any

from accel.errors import LayoutError
from accel.layout.composing import coalesced
from accel.layout.layout import as_layout
from accel.layout.swizzle import ComposedLayout

if TYPE_CHECKING:
    import numpy as np

__all__ = ["offsets"]


def offsets(layout: Any) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """The offset of every coordinate, colexicographically, as an int64 array of ``layout.size`` elements.

    Raises
    ------
    LayoutError
        If an offset needs more than 64 bits.

    Examples
    --------
    >>> from accel.layout import Layout, offsets
    >>> offsets(Layout((2, 3), (3, 1)))
    array([0, 3, 1, 4, 2, 5])
    """
    if isinstance(layout, ComposedLayout):
        return layout.swizzle(offsets(layout.layout) + layout.offset)  # type: ignore[no-any-return]
    import numpy as np

    found = as_layout(layout)
    if found.cosize >= 1 << 63:
        raise LayoutError(f"{found} spans {found.cosize} elements, whose offsets do not fit into 64 bits")
    if not found.size:
        return np.zeros(0, np.int64)
    table = np.zeros(1, np.int64)
    for extent, stride in coalesced(found.leaves):
        table = np.add.outer(np.arange(extent, dtype=np.int64) * stride, table).reshape(-1)
    return table
