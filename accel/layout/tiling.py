"""Divides and products: a layout cut into tiles, and a layout repeated.

The variants arrange the same modes differently. `logical` keeps the tile and the rest of each mode together; `zipped`
has all tiles in mode 0 and all rests in mode 1; `tiled` is zipped with the modes of the rests side by side; `flat` has
all modes side by side; `blocked` and `raked` pair the modes of a product.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from accel.errors import LayoutError
from accel.layout.algebra import CACHED, complement, complement_of, make_ordered_layout
from accel.layout.int_tuple import as_int_tuple, modes, product
from accel.layout.layout import Layout, as_layout, joined, modes_of
from accel.layout.notation import written
from accel.layout.tilers import Tiler, as_tiler, by_mode, refuse_long

__all__ = [
    "blocked_product",
    "divided",
    "flat_divide",
    "flat_product",
    "logical_divide",
    "logical_product",
    "overhang",
    "raked_product",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]

_NOTHING = Layout(1, 0)


class _Parts(NamedTuple):
    """The tiles and the rests of a divide, or the repeated layout and the repetitions of a product."""

    first: Layout
    second: Layout

    def zipped(self) -> Layout:
        return joined(self)

    def tiled(self) -> Layout:
        return joined([self.first, *modes_of(self.second)])

    def flat(self) -> Layout:
        return joined([*modes_of(self.first), *modes_of(self.second)])


def logical_divide(layout: Any, tiler: Any) -> Layout:
    """A o (B, complement(B, |A|)): mode 0 is within a tile, mode 1 steps from tile to tile. By mode for a tuple.

    Tiles that do not divide a mode reach past its end; `overhang` returns how far.

    Parameters
    ----------
    layout : Layout
        The layout A.
    tiler : Layout or tuple
        A layout B, or a tuple of tilers and None, one for each mode.

    Examples
    --------
    >>> from accel.layout import Layout, logical_divide
    >>> print(logical_divide(Layout((4, 8)), (Layout(2), Layout(4))))
    ((2,2),(4,2)):((1,2),(4,16))
    """
    return _logical_divide(as_layout(layout), as_tiler(tiler))


def _divide(layout: Layout, tiler: Tiler) -> Layout:
    if isinstance(tiler, Layout):
        try:
            rest = complement_of(tiler, layout.size)
        except LayoutError as error:
            raise LayoutError(f"{layout} cannot be divided by {tiler}: {error}") from error
        return layout @ joined([tiler, rest])
    return joined(by_mode(_divide, layout, tiler))


# Only the result is cached: looking up its parts takes nearly as long as computing them.
_logical_divide = lru_cache(CACHED)(_divide)


def zipped_divide(layout: Any, tiler: Any) -> Layout[tuple[Any, Any]]:
    """`logical_divide` with all tiles in mode 0, and all rests and unchanged modes in mode 1.

    Parameters
    ----------
    layout : Layout
        The layout A.
    tiler : Layout or tuple
        A layout B, or a tuple of tilers and None, one for each mode.

    Examples
    --------
    >>> from accel.layout import Layout, zipped_divide
    >>> print(zipped_divide(Layout((4, 8)), (Layout(2), Layout(4))))
    ((2,4),(2,2)):((1,4),(2,16))
    """
    return _zipped_divide(as_layout(layout), as_tiler(tiler))


@lru_cache(CACHED)
def _zipped_divide(layout: Layout, tiler: Tiler) -> Layout:
    return divided(layout, tiler).zipped()


def tiled_divide(layout: Any, tiler: Any) -> Layout:
    """`zipped_divide` with the modes of the rest side by side: ((T0, T1 ...), R0, R1 ...).

    Parameters
    ----------
    layout : Layout
        The layout A.
    tiler : Layout or tuple
        A layout B, or a tuple of tilers and None, one for each mode.
    """
    return divided(as_layout(layout), as_tiler(tiler)).tiled()


def flat_divide(layout: Any, tiler: Any) -> Layout:
    """`zipped_divide` with all modes side by side: (T0, T1 ..., R0, R1 ...).

    Parameters
    ----------
    layout : Layout
        The layout A.
    tiler : Layout or tuple
        A layout B, or a tuple of tilers and None, one for each mode.
    """
    return divided(as_layout(layout), as_tiler(tiler)).flat()


def divided(layout: Layout, tiler: Tiler) -> _Parts:
    """Return the tiles and the rests of a divide."""
    return _unzipped(_logical_divide(layout, tiler), tiler)


def _unzipped(whole: Layout, tiler: Tiler) -> _Parts:
    """Separate the modes of a logical divide or product; an unchanged mode belongs to the rests."""
    if isinstance(tiler, Layout):
        return _Parts(whole.mode(0), whole.mode(1))
    parts = modes_of(whole)
    pairs = [
        _Parts(_NOTHING, part) if tile is None else _unzipped(part, tile)
        for part, tile in zip(parts, tiler, strict=False)
    ]
    rests = [*(pair.second for pair in pairs), *parts[len(pairs) :]]
    return _Parts(joined([pair.first for pair in pairs]), joined(rests))


def overhang(layout: Any, tiler: Any) -> tuple[int, ...]:
    """How many elements the tiles of a divide reach past the end: one number, or one for each mode of a tuple.

    Parameters
    ----------
    layout : Layout
        The layout A.
    tiler : Layout or tuple
        A layout B, or a tuple of tilers and None, one for each mode.

    Examples
    --------
    >>> from accel.layout import Layout, overhang
    >>> overhang(Layout((10, 6)), (Layout(4), Layout(3)))
    (2, 0)
    """
    whole, tiles = as_layout(layout), as_tiler(tiler)
    if isinstance(tiles, Layout):
        return (tiles.size * complement(tiles, whole.size).size - whole.size,)
    refuse_long(whole, tiles)
    pairs = zip(modes_of(whole), tiles, strict=False)
    return tuple([0 if tile is None else sum(overhang(part, tile)) for part, tile in pairs])


def logical_product(layout: Any, other: Any) -> Layout:
    """(A, complement(A, |A| cosize(B)) o B): A, repeated in the gaps of A as B arranges it. By mode for a tuple.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.

    Examples
    --------
    >>> from accel.layout import Layout, logical_product
    >>> print(logical_product(Layout((2, 2), (4, 1)), Layout(6)))
    ((2,2),(2,3)):((4,1),(2,8))
    """
    return _logical_product(as_layout(layout), as_tiler(other))


def _multiply(layout: Layout, other: Tiler) -> Layout:
    if isinstance(other, Layout):
        try:
            rest = complement_of(layout, layout.size * other.cosize)
            return joined([layout, rest @ other])
        except LayoutError as error:
            raise LayoutError(f"{layout} cannot be repeated by {other}: {error}") from error
    return joined(by_mode(_multiply, layout, other))


_logical_product = lru_cache(CACHED)(_multiply)


def zipped_product(layout: Any, other: Any) -> Layout[tuple[Any, Any]]:
    """`logical_product` with the repeated layout in mode 0, and the repetitions in mode 1.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.
    """
    return _multiplied(as_layout(layout), as_tiler(other)).zipped()


def tiled_product(layout: Any, other: Any) -> Layout:
    """`zipped_product` with the modes of the repetitions side by side.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.
    """
    return _multiplied(as_layout(layout), as_tiler(other)).tiled()


def flat_product(layout: Any, other: Any) -> Layout:
    """`zipped_product` with all modes side by side.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.
    """
    return _multiplied(as_layout(layout), as_tiler(other)).flat()


def _multiplied(layout: Layout, other: Tiler) -> _Parts:
    return _unzipped(_logical_product(layout, other), other)


def blocked_product(layout: Any, other: Any) -> Layout:
    """`logical_product` with paired modes: ((A0, R0), (A1, R1) ...), so that the blocks of A stay together.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.

    Examples
    --------
    >>> from accel.layout import Layout, blocked_product
    >>> print(blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((2,3),(5,4)):((5,10),(1,30))
    """
    return _by_pairs(layout, other, first=0)


def raked_product(layout: Any, other: Any) -> Layout:
    """`logical_product` with paired modes: ((R0, A0), (R1, A1) ...), so that the elements of A are interleaved.

    Parameters
    ----------
    layout : Layout
        The layout A.
    other : Layout
        The layout B, which says how A is repeated.
    """
    return _by_pairs(layout, other, first=1)


def _by_pairs(layout: Any, other: Any, *, first: int) -> Layout:
    one, many = _padded(as_layout(layout), as_layout(other))
    parts = _multiplied(joined(one), joined(many))
    pairs = zip(modes_of(parts.first), modes_of(parts.second), strict=True)
    return joined([joined(pair if first == 0 else pair[::-1]) for pair in pairs])


def _padded(one: Layout, other: Layout) -> tuple[list[Layout], list[Layout]]:
    rank = max(one.rank, other.rank)
    first, second = ([*modes_of(layout), *[_NOTHING] * (rank - layout.rank)] for layout in (one, other))
    return first, second


def tile_to_shape(layout: Any, shape: Any, order: Any = None) -> Layout:
    """The blocked product that repeats a layout until it fills a shape.

    Parameters
    ----------
    layout : Layout
        The block.
    shape : tuple of int
        The shape to fill; each mode is a multiple of the block's size there.
    order : tuple of int, optional
        The order of the modes in which the blocks follow one another; by default mode 0 first.

    Raises
    ------
    LayoutError
        If the shape does not hold a whole number of blocks.

    Examples
    --------
    >>> from accel.layout import Layout, tile_to_shape
    >>> print(tile_to_shape(Layout((2, 4), (4, 1)), (8, 12)))
    ((2,4),(4,3)):((4,8),(1,32))
    """
    block = as_layout(layout)
    extents = [product(part) for part in modes(as_int_tuple(shape, "a shape"))]
    if len(extents) < block.rank:
        raise LayoutError(f"the shape {written(tuple(extents))} has fewer modes than the block {block}")
    sizes = [part.size for part in _padded(block, Layout((1,) * len(extents)))[0]]
    for k, (whole, part) in enumerate(zip(extents, sizes, strict=True)):
        if not part or whole % part:
            raise LayoutError(
                f"mode {k} of the shape {written(tuple(extents))} is no multiple of {part}, the size of the block "
                f"{block} there; {part * max(round(whole / max(part, 1)), 1)} is one"
            )
    times = tuple([whole // part for whole, part in zip(extents, sizes, strict=True)])
    return blocked_product(block, make_ordered_layout(times, order))
