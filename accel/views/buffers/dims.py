"""`prod_dims`: the product of some extents of a shape."""

from math import prod
from typing import Protocol, SupportsIndex

from accel.errors import BoundsError
from accel.views.index_checks import as_whole

__all__ = ["Shaped", "prod_dims"]


class Shaped(Protocol):
    """A buffer, a view, or an array of any library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        ...


def prod_dims(x: Shaped, start: SupportsIndex, end: SupportsIndex) -> int:
    """Return the product of the extents of axes ``start`` to ``end - 1``; 1 for no axes.

    Parameters
    ----------
    x : Shaped
        Anything with ``rank`` and ``dim``.
    start : int
        The first axis.
    end : int
        The axis after the last.

    Returns
    -------
    int
        The product.

    Raises
    ------
    BoundsError
        Unless ``0 <= start <= end <= rank``.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.views import prod_dims
    >>> prod_dims(np.zeros((2, 3, 4)), 1, 3)
    12
    """
    first, last, rank = as_whole(start, "an axis"), as_whole(end, "an axis"), len(x.shape)
    if not 0 <= first <= last <= rank:
        raise BoundsError(f"axes {first} to {last} of {rank} are asked for; they must be 0 <= start <= end <= {rank}")
    return prod(x.shape[first:last])
