"""Operations on whole layouts: coalesce, composition, complement, and compact layouts in a given order."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import count, groupby
from math import prod
from typing import Any

from accel.errors import LayoutError
from accel.layout.composition import coalesced
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
"""How many results the cache of each operation holds."""


def of_leaves(leaves: Sequence[Leaf]) -> Layout:
    """Return the flat layout of some leaves: of rank 1 and not nested for one leaf, and 1:0 for none."""
    if not leaves:
        return Layout.unchecked(1, 0)
    shape, stride = leaves[0] if len(leaves) == 1 else zip(*leaves, strict=True)
    return Layout.unchecked(shape, stride, tuple(leaves))


def size(layout: Any) -> int:
    """|L| = the product of the extents: the number of coordinates.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    return as_layout(layout).size


def cosize(layout: Any) -> int:
    """The number of elements that the offsets span: 1 + the sum of |(s_k - 1) d_k|; 0 if the size is 0.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    return as_layout(layout).cosize


def rank(layout: Any) -> int:
    """The number of modes at the top level.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    return as_layout(layout).rank


def depth(layout: Any) -> int:
    """The nesting depth of the shape; 0 for an integer.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    return as_layout(layout).depth


def mode(layout: Any, k: int) -> Layout:
    """Return mode ``k`` of the top level.

    Parameters
    ----------
    layout : Layout
        The layout.
    k : int
        Which mode; a negative one counts from the end.
    """
    return as_layout(layout).mode(k)


def flatten(layout: Any) -> Layout:
    """The same layout without nesting: ((a,b),c):((x,y),z) becomes (a,b,c):(x,y,z).

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    nested = as_layout(layout)
    return nested if nested.depth == 0 else Layout.unchecked(flat(nested.shape), flat(nested.stride))


def coalesce(layout: Any, profile: Any = None) -> Layout:
    """The flat layout with the fewest leaves and the same table: L'(i) = L(i) for all i.

    Parameters
    ----------
    layout : Layout
        The layout to coalesce.
    profile : nested tuple, optional
        Coalesce each mode by its part of the profile, where an integer stands for the whole mode. Modes beyond the
        profile are unchanged.

    Examples
    --------
    >>> from accel.layout import Layout, coalesce
    >>> print(coalesce(Layout((2, (1, 6)), (1, (6, 2)))))
    12:1
    """
    original = as_layout(layout)
    if isinstance(profile, tuple | list):
        refuse_vast(profile)
    return _coalesced_by(original, profile)


def _coalesced_by(layout: Layout, profile: Any) -> Layout:
    if profile is None or isinstance(profile, int):
        return of_leaves(coalesced(layout.leaves))
    if len(profile) > layout.rank or isinstance(layout.shape, int):
        raise LayoutError(f"the profile {profile} has more parts than {layout} has modes")
    parts = modes_of(layout)
    return joined([*map(_coalesced_by, parts, profile), *parts[len(profile) :]])


def filter_zeros(layout: Any) -> Layout:
    """The same values with each leaf of stride 0 replaced by 1:0; the nesting and extents of 0 are kept.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    original = as_layout(layout)
    extents = iter([extent if stride or not extent else 1 for extent, stride in original.leaves])
    return Layout.unchecked(rebuilt(extents, original.shape), original.stride)


def filter(layout: Any) -> Layout:
    """The same values, coalesced, without leaves of stride 0 or extent 1.

    Parameters
    ----------
    layout : Layout
        The layout.
    """
    return coalesce(filter_zeros(layout))


def equivalent(a: Any, b: Any) -> bool:
    """A(i) = B(i) for all i, and |A| = |B|.

    Parameters
    ----------
    a : Layout
        The first layout.
    b : Layout
        The second layout.
    """
    return coalesced(as_layout(a).leaves) == coalesced(as_layout(b).leaves)


def composition(a: Any, b: Any) -> Layout:
    """R(c) = A(B(c)) for all coordinates c of B; each mode of R has the size of the same mode of B.

    Parameters
    ----------
    a : Layout
        The outer function. Beyond its size, its last leaf continues.
    b : Layout, int, shape, or tuple by mode
        The inner function. A tuple by mode composes each mode of ``a`` with its part; None leaves a mode unchanged, as
        are modes beyond the tuple.

    Raises
    ------
    LayoutError
        If no layout has these values; the message names the first such coordinate and an alternative that works.

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
        A. Leaves of stride 0 are ignored.
    size : int or shape, optional
        The least product |A| |R|; by default the cosize of A.

    Raises
    ------
    LayoutError
        If A has no complement: a stride is negative, or no multiple of the span of the leaves with smaller strides.

    Examples
    --------
    >>> from accel.layout import Layout, complement
    >>> print(complement(Layout(4, 2), 24))
    (2,3):(1,8)
    """
    a = as_layout(layout)
    if type(size) is not int:
        size = a.cosize if size is None else product(as_int_tuple(size, "a size"))
    return _complement(a, size)


def complement_of(layout: Layout, size: int) -> Layout:
    """Return the complement of a layout in at least ``size`` elements."""
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
        else f"no multiple of {spanned}, the span of the leaves with smaller strides; use a stride that is"
    )
    return LayoutError(
        f"{layout} has no complement in {size} elements: the stride of its leaf {extent}:{stride} is {problem}"
    )


def crd2idx(coord: Any, layout_or_shape: Any) -> int:
    """L(c) = the sum of c_k d_k, for a layout, or for the column-major layout of a shape.

    Bounds are not checked: beyond the size, an integer coordinate continues along the last leaf. ``layout(coord)``
    checks bounds.

    Parameters
    ----------
    coord : int or tuple
        The coordinate: an integer, or nested as the shape.
    layout_or_shape : Layout or shape
        The layout, or the shape of a column-major one.
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
    """The coordinate, nested as the shape, of an integer index (colexicographic).

    Parameters
    ----------
    index : int
        The index.
    shape : int or tuple
        The shape, which may be nested.
    """
    return natural(_integer(index), as_int_tuple(shape, "a shape"))


def _integer(value: Any) -> int:
    index = as_int_tuple(value, "an index")
    if not isinstance(index, int):
        raise TypeError(f"an index is an integer; found {value!r}")
    return index


def crd2crd(coord: Any, from_shape: Any, to_shape: Any) -> IntTuple:
    """The coordinate in one shape that has the same integer index as a coordinate in another shape.

    Parameters
    ----------
    coord : int or tuple
        The coordinate.
    from_shape : int or tuple
        The shape that it is of.
    to_shape : int or tuple
        The shape of the result.
    """
    origin = as_int_tuple(from_shape, "a shape")
    return natural(crd2idx_of_shape(fitted(coord, origin), origin), as_int_tuple(to_shape, "a shape"))


def slice_layout(layout: Any, coord: Any) -> tuple[Layout, int]:
    """The layout of the modes that are free (``_``) in a coordinate, and the offset of the fixed ones.

    Parameters
    ----------
    layout : Layout
        The layout.
    coord : int or tuple
        The coordinate; ``_`` or None is a free mode.

    Examples
    --------
    >>> from accel.layout import Layout, slice_layout, _
    >>> slice_layout(Layout((4, (2, 3))), (1, (_, 2)))
    (Layout((2,), (4,)), 17)
    """
    return as_layout(layout)[coord]


def dice(layout: Any, coord: Any) -> Layout:
    """The layout of the modes that are fixed in a coordinate: the other modes of `slice_layout`.

    Parameters
    ----------
    layout : Layout
        The layout.
    coord : int or tuple
        The coordinate; ``_`` or None is a free mode.
    """
    original = as_layout(layout)
    return Layout.unchecked(*diced(coord, original.shape, original.stride))


col_major = Layout.col_major
row_major = Layout.row_major


def make_ordered_layout(shape: Any, order: Any = None) -> Layout:
    """d_k = the product of the extents whose order is less than that of s_k; extents of 1 get stride 0.

    Parameters
    ----------
    shape : int or nested tuple of int
        Extents.
    order : int or nested tuple of int, optional
        A number for each leaf; the smallest number is the fastest leaf. An integer for a nested mode numbers its leaves
        together, from left to right. Leaves with equal numbers share a stride. By default column-major.

    Examples
    --------
    >>> from accel.layout import make_ordered_layout
    >>> print(make_ordered_layout((4, 8, 2), (2, 0, 1)))
    (4,8,2):(16,1,8)
    """
    nested = as_int_tuple(shape, "a shape")
    keys = _keys(nested, 0 if order is None else as_int_tuple(order, "an order"))
    extents, strides, spanned = flat(nested), [0] * len(keys), 1
    for _, equal in groupby(sorted(range(len(keys)), key=keys.__getitem__), keys.__getitem__):
        places = [place for place in equal if extents[place] != 1]
        for place in places:
            strides[place] = spanned
        spanned *= prod([extents[place] for place in places])
    return Layout(nested, rebuilt(iter(strides), nested))


ordered = make_ordered_layout


def _keys(shape: IntTuple, order: IntTuple) -> list[tuple[int, int]]:
    """Return for each leaf its number in the order, and its position in the mode that shares this number."""
    if isinstance(order, int):
        return [(order, place) for _, place in zip(flat(shape), count(), strict=False)]
    parts = modes(shape)
    if len(parts) != len(order):
        raise LayoutError(f"the order {written(order)} needs one part for each mode of the shape {written(shape)}")
    return [key for part, place in zip(parts, order, strict=True) for key in _keys(part, place)]
