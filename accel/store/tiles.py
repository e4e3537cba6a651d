"""`Partial` and `Tiled`: values of a root of which a box can be read alone."""

from typing import Any, Protocol, runtime_checkable

import numpy as np

from accel.store.boxes import Box
from accel.store.root import Contents

__all__ = ["Partial", "Tiled"]


@runtime_checkable
class Partial(Contents, Protocol):
    """Values of which a box can be read; the others stay where they are."""

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Return the values of a box of the root, in new memory of the host; any thread may call this."""
        ...


@runtime_checkable
class Tiled(Partial, Protocol):
    """Values that are read tile by tile, such as those of a file; an engine need not gather all of them.

    Attributes
    ----------
    tile_shape : tuple of int
        Number of elements of a tile along each axis. Boxes that begin and end with tiles are read fastest.
    """

    tile_shape: tuple[int, ...]
