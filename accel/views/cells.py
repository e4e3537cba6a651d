"""Which cells a geometry has, in the order of whoever copies them."""

from functools import lru_cache
from typing import TYPE_CHECKING

from accel.copies import Elements
from accel.copies.elements import Reach
from accel.copies.elements import reach as reach_of_leaves
from accel.layout import Layout
from accel.layout.coordinates import Leaf
from accel.layout.layout import modes_of
from accel.views.geometry import CACHED, Geometry

if TYPE_CHECKING:
    from accel.views.core import TensorCore

__all__ = ["cells", "compact", "lanes", "reach"]


def cells(tensor: "TensorCore", *, by_rows: bool = False) -> Elements:
    """Return the numbers that have memory: colexicographically, or by rows as NumPy has them; lanes come first."""
    return Elements(tensor._storage, tensor._offset, _leaves(tensor._geometry, by_rows), tensor._dtype)


def reach(found: Geometry) -> Reach:
    """Return how many numbers have memory, and how far from the first one they lie at least and at most."""
    return reach_of_leaves(_leaves(found, by_rows=False))


@lru_cache(CACHED)
def lanes(element: Layout) -> tuple[Leaf, ...]:
    """Return loops over the numbers of an element: by rows, so the last mode is fastest."""
    return tuple([leaf for mode in reversed(modes_of(element)) for leaf in mode.leaves])


@lru_cache(CACHED)
def _leaves(found: Geometry, by_rows: bool) -> tuple[Leaf, ...]:
    """Return loops over the numbers, the fastest first."""
    modes = [_cut_short(mode, inside) for mode, inside in zip(found.modes, found.inside, strict=True)]
    outer = reversed(modes) if by_rows else modes
    return lanes(found.element) + tuple([leaf for mode in outer for leaf in mode.leaves])


def _cut_short(mode: Layout, extent: int) -> Layout:
    if extent == mode.size:
        return mode
    if isinstance(mode.stride, int):
        return Layout.made(extent, mode.stride)
    return mode @ Layout.made(extent, 1)  # which is one, because a block's end is the end of a leaf


@lru_cache(CACHED)
def compact(found: Geometry) -> bool:
    """Tell whether the numbers fill a stretch of memory, each once, in whatever order."""
    leaves, expected = _leaves(found, by_rows=False), 1
    if any(extent == 0 for extent, _ in leaves):
        return True
    for stride, extent in sorted([(abs(stride), extent) for extent, stride in leaves if extent != 1]):
        if stride != expected:
            return False
        expected *= extent
    return True
