"""Inverses of layouts, and the largest common part of two layouts."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

from accel.errors import LayoutError
from accel.layout.algebra import CACHED, of_leaves
from accel.layout.composition import coalesced
from accel.layout.coordinates import Leaf
from accel.layout.layout import Layout, as_layout

__all__ = ["left_inverse", "max_common_layout", "max_common_vector", "nullspace", "right_inverse"]


_EMPTY = Layout(0, 0)


class Placed(NamedTuple):
    """A leaf, and ``place``: the integer coordinate of its second element."""

    stride: int
    extent: int
    place: int


def placed(layout: Layout) -> list[Placed]:
    """Return the leaves with an extent above 1 in order of stride; of equal strides, the larger extent first."""
    places = accumulate([extent for extent, _ in layout.leaves], mul, initial=1)
    leaves = [Placed(stride, extent, place) for (extent, stride), place in zip(layout.leaves, places, strict=False)]
    return in_order([leaf for leaf in leaves if leaf.extent > 1])


def in_order(leaves: Iterable[Placed]) -> list[Placed]:
    """Return leaves in order of stride; of equal strides, the larger extent first."""
    return sorted(leaves, key=lambda leaf: (leaf.stride, -leaf.extent))


def _chained(leaves: Iterable[Placed]) -> Layout:
    """Return the layout of the coordinates of contiguous leaves; leaves that do not continue the others are skipped."""
    chain, covered = [], 1
    for leaf in leaves:
        if leaf.stride == covered:
            chain.append((leaf.extent, leaf.place))
            covered *= leaf.extent
    return of_leaves(coalesced(chain))


def right_inverse(layout: Any) -> Layout:
    """The largest R with A(R(i)) = i for all i that consists of whole leaves of A, in the order of their strides.

    Parameters
    ----------
    layout : Layout
        The layout A.

    Examples
    --------
    >>> from accel.layout import Layout, right_inverse
    >>> print(right_inverse(Layout((4, 8), (8, 1))))
    (8,4):(4,1)
    """
    return _right_inverse(as_layout(layout))


@lru_cache(CACHED)
def _right_inverse(layout: Layout) -> Layout:
    return _chained(placed(layout)) if layout.size else _EMPTY


def left_inverse(layout: Any) -> Layout:
    """An R with R(A(i)) = i for all i; R is also defined at offsets that A does not reach.

    Parameters
    ----------
    layout : Layout
        The layout A.

    Raises
    ------
    LayoutError
        If A is not injective, or a stride is no multiple of the next smaller one.

    Examples
    --------
    >>> from accel.layout import Layout, left_inverse
    >>> print(left_inverse(Layout((4, 8), (1, 5))))
    (5,8):(1,4)
    """
    return _left_inverse(as_layout(layout))


@lru_cache(CACHED)
def _left_inverse(layout: Layout) -> Layout:
    if not layout.size:
        raise LayoutError(f"{layout} has no left inverse: it has no elements")
    inverse: list[Leaf] = []
    last = Placed(1, 1, 0)
    for leaf in placed(layout):
        _refuse_overlap(layout, last, leaf)
        inverse.append((leaf.stride // last.stride, last.place))
        last = leaf
    return of_leaves(coalesced([*inverse, (last.extent, last.place)]))


def overlaps(last: Placed, leaf: Placed) -> bool:
    """Tell whether a stride is less than the span of the leaf before it, or no multiple of its stride."""
    return bool(leaf.stride % last.stride) or leaf.stride < last.stride * last.extent


def _refuse_overlap(layout: Layout, last: Placed, leaf: Placed) -> None:
    if overlaps(last, leaf):
        raise LayoutError(
            f"{layout} has no left inverse: the stride of its leaf {leaf.extent}:{leaf.stride} is no positive multiple "
            f"of {last.stride} from {last.stride * last.extent} on, where the leaves with smaller strides end"
        )


def nullspace(layout: Any) -> Layout:
    """The N with A(N(i)) = 0 for all i that consists of the leaves of stride 0.

    Parameters
    ----------
    layout : Layout
        The layout A.

    Examples
    --------
    >>> from accel.layout import Layout, nullspace
    >>> print(nullspace(Layout((2, 3, 4), (1, 0, 2))))
    3:2
    """
    whole = as_layout(layout)
    if not whole.size:
        return _EMPTY
    zeros = [(leaf.extent, leaf.place) for leaf in placed(whole) if not leaf.stride]
    return of_leaves(coalesced(sorted(zeros, key=lambda leaf: leaf[1])))


def max_common_layout(a: Any, b: Any) -> Layout:
    """The largest R with A(R(i)) = B(R(i)) = i for all i: the elements with equal, contiguous offsets.

    Parameters
    ----------
    a : Layout
        The first layout.
    b : Layout
        The second layout.

    Examples
    --------
    >>> from accel.layout import Layout, max_common_layout
    >>> print(max_common_layout(Layout((4, 8), (1, 4)), Layout((4, 8), (1, 16))))
    4:1
    """
    return _max_common_layout(as_layout(a), as_layout(b))


@lru_cache(CACHED)
def _max_common_layout(a: Layout, b: Layout) -> Layout:
    return _chained(in_order(common_leaves(a, b))) if a.size and b.size else _EMPTY


def max_common_vector(a: Any, b: Any) -> int:
    """The size of `max_common_layout`: how many elements one vector copy between the two may move.

    Parameters
    ----------
    a : Layout
        The first layout.
    b : Layout
        The second layout.

    Examples
    --------
    >>> from accel.layout import Layout, max_common_vector
    >>> max_common_vector(Layout((4, 8), (1, 4)), Layout((4, 8), (1, 16)))
    4
    """
    return max_common_layout(a, b).size


def common_leaves(a: Layout, b: Layout) -> Iterator[Placed]:
    """Yield the leaves that two layouts share: at the same integer coordinates, with the same stride."""
    ours, theirs = (list(coalesced(layout.leaves))[::-1] for layout in (a, b))
    place = 1
    while ours and theirs:
        (extent, stride), (other_extent, other_stride) = ours.pop(), theirs.pop()
        shared = min(extent, other_extent)
        if stride == other_stride:
            yield Placed(stride, shared, place)
        if extent % shared or other_extent % shared:  # after this, the leaves are at different coordinates
            return
        if extent > shared:
            ours.append((extent // shared, stride * shared))
        if other_extent > shared:
            theirs.append((other_extent // shared, other_stride * shared))
        place *= shared
