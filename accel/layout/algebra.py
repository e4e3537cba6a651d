"""The operations on whole layouts: coalescing, composition, complement, and layouts made to order."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import count, groupby
from math import prod
from typing import Any

from accel.errors import LayoutError
from accel.layout.composing import coalesced
from accel.layout.coordinates import Leaf, crd2idx_of_shape, fitted, located, natural
from accel.layout.int_tuple import IntTuple, as_int_tuple, column_strides, flat, modes, product, rebuilt, refuse_vast
from accel.layout.layout import Layout, as_layout, joined, modes_of
from accel.layout.notation import written
from accel.layout.slicing import diced
from accel.layout.tilers import Tiler, as_tiler, by_mode_joined

__all__ = [
    "coalesce",
    "col_major",
    "complement",
    "composition",
    "cosize",
    "crd2crd",
    "crd2idx",
    "depth",
    "dice",
    "equivalent",
    "filter",
    "filter_zeros",
    "flatten",
    "idx2crd",
    "make_ordered_layout",
    "mode",
    "ordered",
    "rank",
    "row_major",
    "size",
    "slice_layout",
]

CACHED = 4096
"""How many results each operation remembers."""


def of_leaves(leaves: Sequence[Leaf]) -> Layout:
    """Return a flat layout: an integer's for one leaf, and 1:0 for none."""
    if not leaves:
        return Layout.made(1, 0)
    shape, stride = leaves[0] if len(leaves) == 1 else zip(*leaves, strict=True)
    return Layout.made(shape, stride, tuple(leaves))


def size(layout: Any) -> int:
    """|L| = the product of the extents: how many coordinates there are."""
    return as_layout(layout).size


def cosize(layout: Any) -> int:
    """How many elements are spanned: 1 + the sum of |(s_k - 1) d_k|; 0 where there is no coordinate."""
    return as_layout(layout).cosize


def rank(layout: Any) -> int:
    """How many modes there are at the top."""
    return as_layout(layout).rank


def depth(layout: Any) -> int:
    """How deep the tuples of the shape are nested; 0 for an integer."""
    return as_layout(layout).depth


def mode(layout: Any, k: int) -> Layout:
    """Return mode ``k`` of those at the top."""
    return as_layout(layout).mode(k)


def flatten(layout: Any) -> Layout:
    """The same function of natural coordinates without their tuples: ((a,b),c):((x,y),z) is (a,b,c):(x,y,z)."""
    found = as_layout(layout)
    return found if found.depth == 0 else Layout.made(flat(found.shape), flat(found.stride))


def coalesce(layout: Any, profile: Any = None) -> Layout:
    """The flat layout with the fewest leaves and the same table: L'(i) = L(i) for all i.

    Parameters
    ----------
    layout : Layout
        Any.
    profile : nested tuple, optional
        Coalesce each mode by its part of the profile, where an integer stands for the whole mode; modes past the
        profile stay.

    Examples
    --------
    >>> from accel.layout import Layout, coalesce
    >>> print(coalesce(Layout((2, (1, 6)), (1, (6, 2)))))
    12:1
    """
    found = as_layout(layout)
    if isinstance(profile, tuple | list):
        refuse_vast(profile)
    return _coalesced_by(found, profile)


def _coalesced_by(found: Layout, profile: Any) -> Layout:
    if profile is None or isinstance(profile, int):
        return of_leaves(coalesced(found.leaves))
    if len(profile) > found.rank or isinstance(found.shape, int):
        raise LayoutError(f"the profile {profile} has more parts than {found} has modes")
    parts = modes_of(found)
    return joined([*map(_coalesced_by, parts, profile), *parts[len(profile) :]])


def filter_zeros(layout: Any) -> Layout:
    """The same values with each leaf of stride 0 made 1:0: the profile stays, and so does an extent of 0."""
    found = as_layout(layout)
    extents = iter([extent if stride or not extent else 1 for extent, stride in found.leaves])
    return Layout.made(rebuilt(extents, found.shape), found.stride)


def filter(layout: Any) -> Layout:
    """The same values without leaves of stride 0 and of extent 1, coalesced."""
    return coalesce(filter_zeros(layout))


def equivalent(a: Any, b: Any) -> bool:
    """A(i) = B(i) for all i, and |A| = |B|."""
    return coalesced(as_layout(a).leaves) == coalesced(as_layout(b).leaves)


def composition(a: Any, b: Any) -> Layout:
    """R(c) = A(B(c)) for all c of B, whose modes keep their sizes.

    Parameters
    ----------
    a : Layout
        The outer function; past its size its last leaf goes on.
    b : Layout, int, shape, or tuple by mode
        The inner one. By mode, each mode of ``a`` is composed with its part; None leaves a mode alone, and modes past
        the tuple are kept.

    Raises
    ------
    LayoutError
        If no layout has these values: says at which coordinate, and what would work.

    Examples
    --------
    >>> from accel.layout import Layout, composition
    >>> print(composition(Layout((10, 2), (16, 4)), Layout((3, 4), (1, 5))))
    (3,(2,2)):(16,(80,4))
    """
    if type(a) is Layout and type(b) is Layout:
        return _composition(a, b)
    return _composed(as_layout(a), as_tiler(b))


def _composed(a: Layout, b: Tiler) -> Layout:
    return _composition(a, b) if isinstance(b, Layout) else by_mode_joined(_composed, a, b)


@lru_cache(CACHED)
def _composition(a: Layout, b: Layout) -> Layout:
    return a @ b


def complement(layout: Any, size: Any = None) -> Layout:
    """The smallest strictly increasing R such that A(i) + R(j) covers [0, |A| |R|) exactly once, and |A| |R| >= size.

    Parameters
    ----------
    layout : Layout
        A, of which leaves with stride 0 do not count.
    size : int or shape, optional
        How far to go at least; by default the cosize of A.

    Raises
    ------
    LayoutError
        If there is none: a stride is negative, or no multiple of what the leaves with smaller strides span.

    Examples
    --------
    >>> from accel.layout import Layout, complement
    >>> print(complement(Layout(4, 2), 24))
    (2,3):(1,8)
    """
    found = as_layout(layout)
    if type(size) is not int:
        size = found.cosize if size is None else product(as_int_tuple(size, "a size"))
    return _complement(found, size)


def complement_of(layout: Layout, size: int) -> Layout:
    """Return the complement in so many elements at least."""
    if not layout.size or size < 0:
        what = "it has no elements" if size >= 0 else f"a size is not negative; found {size}"
        raise LayoutError(f"the complement of {layout} in {size} elements: {what}")
    spanned, holes = 1, []
    for stride, extent in sorted([(stride, extent) for extent, stride in layout.leaves if extent > 1 and stride]):
        if stride % spanned or stride < 0:
            raise _inadmissible(layout, size, extent, stride, spanned)
        holes.append((stride // spanned, spanned))
        spanned = stride * extent
    holes.append((-(-size // spanned), spanned))
    return of_leaves(coalesced([hole for hole in holes if hole[0]]))


_complement = lru_cache(CACHED)(complement_of)


def _inadmissible(layout: Layout, size: int, extent: int, stride: int, spanned: int) -> LayoutError:
    problem = (
        "negative"
        if stride < 0
        else f"no multiple of {spanned}, which the leaves with smaller strides span; such a stride works"
    )
    return LayoutError(
        f"{layout} has no complement in {size} elements: the stride of its leaf {extent}:{stride} is {problem}"
    )


def crd2idx(coord: Any, layout_or_shape: Any) -> int:
    """L(c) = the sum of c_k d_k; a shape stands for its column-major layout.

    Ranges are not looked at, as in the algebra: the last leaf of an integer coordinate goes on past the size.
    ``layout(coord)`` looks at them.
    """
    shape, stride = _of_layout_or_shape(layout_or_shape)
    return located(fitted(coord, shape), shape, stride)


def _of_layout_or_shape(value: Any) -> tuple[IntTuple, IntTuple]:
    if hasattr(value, "stride"):
        layout = as_layout(value)
        return layout.shape, layout.stride
    shape = as_int_tuple(value, "a shape")
    return shape, column_strides(shape)


def idx2crd(index: int, shape: Any) -> IntTuple:
    """The natural coordinate, nested as the shape, that an integer stands for."""
    return natural(_integer(index), as_int_tuple(shape, "a shape"))


def _integer(value: Any) -> int:
    found = as_int_tuple(value, "an index")
    if not isinstance(found, int):
        raise TypeError(f"an index is an integer; found {value!r}")
    return found


def crd2crd(coord: Any, from_shape: Any, to_shape: Any) -> IntTuple:
    """The natural coordinate of one shape that stands for the same integer as a coordinate of another."""
    origin = as_int_tuple(from_shape, "a shape")
    return natural(crd2idx_of_shape(fitted(coord, origin), origin), as_int_tuple(to_shape, "a shape"))


def slice_layout(layout: Any, coord: Any) -> tuple[Layout, int]:
    """What stands under the free parts (``_``) of a coordinate, side by side, and the offset of the rest.

    Examples
    --------
    >>> from accel.layout import Layout, slice_layout, _
    >>> slice_layout(Layout((4, (2, 3))), (1, (_, 2)))
    (Layout((2,), (4,)), 17)
    """
    return as_layout(layout)[coord]


def dice(layout: Any, coord: Any) -> Layout:
    """What stands under the parts of a coordinate that are not free: the other half of `slice_layout`."""
    found = as_layout(layout)
    return Layout.made(*diced(coord, found.shape, found.stride))


def col_major(*shape: Any) -> Layout:
    """The compact layout of a shape whose first leaf is fastest."""
    return Layout.col_major(*shape)


def row_major(*shape: Any) -> Layout:
    """The compact layout of a shape whose last leaf is fastest."""
    return Layout.row_major(*shape)


def make_ordered_layout(shape: Any, order: Any = None) -> Layout:
    """d_k = the product of the extents whose order is smaller than that of s_k; extents of 1 get stride 0.

    Parameters
    ----------
    shape : int or nested tuple of int
        Extents.
    order : int or nested tuple of int, optional
        Which leaf is the fastest, which the next ...; an integer for a nested mode orders that mode as a whole. Equal
        orders share a stride. By default column-major.

    Examples
    --------
    >>> from accel.layout import make_ordered_layout
    >>> print(make_ordered_layout((4, 8, 2), (2, 0, 1)))
    (4,8,2):(16,1,8)
    """
    found = as_int_tuple(shape, "a shape")
    keys = _keys(found, 0 if order is None else as_int_tuple(order, "an order"))
    extents, strides, spanned = flat(found), [0] * len(keys), 1
    for _, equal in groupby(sorted(range(len(keys)), key=keys.__getitem__), keys.__getitem__):
        places = [place for place in equal if extents[place] != 1]
        for place in places:
            strides[place] = spanned
        spanned *= prod([extents[place] for place in places])
    return Layout(found, rebuilt(iter(strides), found))


ordered = make_ordered_layout


def _keys(shape: IntTuple, order: IntTuple) -> list[tuple[int, int]]:
    """Return for each leaf its order, and where it stands among those that one integer orders."""
    if isinstance(order, int):
        return [(order, place) for _, place in zip(flat(shape), count(), strict=False)]
    parts = modes(shape)
    if len(parts) != len(order):
        raise LayoutError(f"the order {written(order)} needs one part for each mode of the shape {written(shape)}")
    return [key for part, place in zip(parts, order, strict=True) for key in _keys(part, place)]
