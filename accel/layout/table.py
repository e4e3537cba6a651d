"""The offsets of a layout as a NumPy array."""

from typing import TYPE_CHECKING, Any

from accel.errors import LayoutError
from accel.layout.composition import coalesced
from accel.layout.layout import as_layout
from accel.layout.swizzle import ComposedLayout

if TYPE_CHECKING:
    import numpy as np

__all__ = ["offsets"]


_MOST = 1 << 27
"""The most offsets in one array, which takes 1 GiB."""


def offsets(layout: Any) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """The offsets of all coordinates in colexicographic order: an int64 array of ``layout.size`` elements.

    Parameters
    ----------
    layout : Layout
        The layout.

    Raises
    ------
    LayoutError
        If an offset needs more than 64 bits, or there are more than 2**27 offsets (1 GiB).

    Examples
    --------
    >>> from accel.layout import Layout, offsets
    >>> offsets(Layout((2, 3), (3, 1)))
    array([0, 3, 1, 4, 2, 5])
    """
    if isinstance(layout, ComposedLayout):
        return _swizzled(layout)
    import numpy as np

    plain = as_layout(layout)
    _refuse_wide(plain, plain.cosize)
    if plain.size > _MOST:
        raise LayoutError(
            f"{plain} has {plain.size} offsets, and a table at most {_MOST}; write offsets of its parts, as "
            f"layout[_, i] gives them, or call it for single coordinates"
        )
    table = np.zeros(1, np.int64)
    for extent, stride in coalesced(plain.leaves):
        steps = np.arange(extent, dtype=np.int64)
        steps *= stride
        table = np.add.outer(steps, table).reshape(-1)
    return table


def _swizzled(composed: ComposedLayout) -> "np.ndarray[Any, np.dtype[np.int64]]":
    swizzle, layout, offset = composed.swizzle, composed.layout, composed.offset
    swizzled = 1 << swizzle.base + abs(swizzle.shift) + swizzle.bits if swizzle.bits else 0
    _refuse_wide(composed, max(abs(offset) + layout.cosize, swizzled))
    return swizzle(offsets(layout) + offset)  # type: ignore[no-any-return]


def _refuse_wide(layout: object, span: int) -> None:
    """Raise `LayoutError` where int64 would overflow silently."""
    if span > 1 << 63:
        raise LayoutError(f"{layout} spans {span} elements, whose offsets do not fit into 64 bits")
