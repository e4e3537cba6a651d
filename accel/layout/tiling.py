"""Divides and products: a layout cut into tiles, and a layout repeated.

Each comes in several arrangements of the same modes: logical keeps tile and rest of a mode together, zipped puts all
tiles before all rests, tiled unpacks the rests, flat unpacks both, blocked and raked go by mode.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from accel.errors import LayoutError
from accel.layout.algebra import CACHED, complement, complement_of, composition, make_ordered_layout
from accel.layout.int_tuple import IntTuple, as_int_tuple, modes, product
from accel.layout.inverse import right_inverse
from accel.layout.layout import Layout, as_layout, joined, modes_of
from accel.layout.notation import written
from accel.layout.tilers import Tiler, as_tiler, by_mode, refuse_long

__all__ = [
    "blocked_product",
    "flat_divide",
    "flat_product",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_layout_tv",
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
    """The tiles and the rests of a divide, or the repeated and the repetitions of a product."""

    first: Layout
    second: Layout

    def zipped(self) -> Layout:
        return joined(self)

    def tiled(self) -> Layout:
        return joined([self.first, *modes_of(self.second)])

    def flat(self) -> Layout:
        return joined([*modes_of(self.first), *modes_of(self.second)])


def logical_divide(layout: Any, tiler: Any) -> Layout:
    """A o (B, complement(B, |A|)): mode 0 goes through a tile, mode 1 through the tiles. By mode for a tuple.

    Tiles that do not divide a mode go past its end; `overhang` tells by how much.

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


# Only what is asked for is remembered: to look up its parts takes nearly as long as to make them.
_logical_divide = lru_cache(CACHED)(_divide)


def zipped_divide(layout: Any, tiler: Any) -> Layout:
    """`logical_divide` with all tiles in mode 0, and all rests and the modes left alone in mode 1.

    Examples
    --------
    >>> from accel.layout import Layout, zipped_divide
    >>> print(zipped_divide(Layout((4, 8)), (Layout(2), Layout(4))))
    ((2,4),(2,2)):((1,4),(2,16))
    """
    return _zipped_divide(as_layout(layout), as_tiler(tiler))


@lru_cache(CACHED)
def _zipped_divide(layout: Layout, tiler: Tiler) -> Layout:
    return _divided(layout, tiler).zipped()


def tiled_divide(layout: Any, tiler: Any) -> Layout:
    """`zipped_divide` with the modes of the rest side by side: ((T0, T1 ...), R0, R1 ...)."""
    return _divided(as_layout(layout), as_tiler(tiler)).tiled()


def flat_divide(layout: Any, tiler: Any) -> Layout:
    """`zipped_divide` with all modes side by side: (T0, T1 ..., R0, R1 ...)."""
    return _divided(as_layout(layout), as_tiler(tiler)).flat()


def _divided(layout: Layout, tiler: Tiler) -> _Parts:
    return _unzipped(_logical_divide(layout, tiler), tiler)


def _unzipped(whole: Layout, tiler: Tiler) -> _Parts:
    """Sort the modes of a logical divide or product; a mode left alone is all rest."""
    if isinstance(tiler, Layout):
        return _Parts(whole.mode(0), whole.mode(1))
    found = modes_of(whole)
    pairs = [
        _Parts(_NOTHING, part) if tile is None else _unzipped(part, tile)
        for part, tile in zip(found, tiler, strict=False)
    ]
    rests = [*(pair.second for pair in pairs), *found[len(pairs) :]]
    return _Parts(joined([pair.first for pair in pairs]), joined(rests))


def overhang(layout: Any, tiler: Any) -> tuple[int, ...]:
    """How many elements the tiles of a divide go past the end: one number, or one for each mode of a tuple.

    Examples
    --------
    >>> from accel.layout import Layout, overhang
    >>> overhang(Layout((10, 6)), (Layout(4), Layout(3)))
    (2, 0)
    """
    found, tiles = as_layout(layout), as_tiler(tiler)
    if isinstance(tiles, Layout):
        return (tiles.size * complement(tiles, found.size).size - found.size,)
    refuse_long(found, tiles)
    pairs = zip(modes_of(found), tiles, strict=False)
    return tuple([0 if tile is None else sum(overhang(part, tile)) for part, tile in pairs])


def logical_product(layout: Any, other: Any) -> Layout:
    """(A, complement(A, |A| cosize(B)) o B): A, repeated as B says where A leaves room. By mode for a tuple.

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
            room = complement_of(layout, layout.size * other.cosize)
            return joined([layout, room @ other])
        except LayoutError as error:
            raise LayoutError(f"{layout} cannot be repeated as {other} says: {error}") from error
    return joined(by_mode(_multiply, layout, other))


_logical_product = lru_cache(CACHED)(_multiply)


def zipped_product(layout: Any, other: Any) -> Layout:
    """`logical_product` with everything repeated in mode 0, and the repetitions in mode 1."""
    return _multiplied(as_layout(layout), as_tiler(other)).zipped()


def tiled_product(layout: Any, other: Any) -> Layout:
    """`zipped_product` with the modes of the repetitions side by side."""
    return _multiplied(as_layout(layout), as_tiler(other)).tiled()


def flat_product(layout: Any, other: Any) -> Layout:
    """`zipped_product` with all modes side by side."""
    return _multiplied(as_layout(layout), as_tiler(other)).flat()


def _multiplied(layout: Layout, other: Tiler) -> _Parts:
    return _unzipped(_logical_product(layout, other), other)


def blocked_product(layout: Any, other: Any) -> Layout:
    """`logical_product` by mode: ((A0, R0), (A1, R1) ...), so that the blocks of A stay together.

    Examples
    --------
    >>> from accel.layout import Layout, blocked_product
    >>> print(blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((2,3),(5,4)):((5,10),(1,30))
    """
    return _by_pairs(layout, other, first=0)


def raked_product(layout: Any, other: Any) -> Layout:
    """`logical_product` by mode the other way round: ((R0, A0), (R1, A1) ...), so that the elements of A lie apart."""
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
    """The blocked product that repeats a layout until it has a shape.

    Parameters
    ----------
    layout : Layout
        The block.
    shape : tuple of int
        What is to be filled; by mode a multiple of the block's size.
    order : tuple of int, optional
        Along which mode the blocks follow one another first; by default mode 0.

    Raises
    ------
    LayoutError
        If the block does not fit a whole number of times.

    Examples
    --------
    >>> from accel.layout import Layout, tile_to_shape
    >>> print(tile_to_shape(Layout((2, 4), (4, 1)), (8, 12)))
    ((2,4),(4,3)):((4,8),(1,32))
    """
    block = as_layout(layout)
    wanted = [product(part) for part in modes(as_int_tuple(shape, "a shape"))]
    if len(wanted) < block.rank:
        raise LayoutError(f"the shape {written(tuple(wanted))} has fewer modes than the block {block}")
    sizes = [part.size for part in _padded(block, Layout((1,) * len(wanted)))[0]]
    for k, (whole, part) in enumerate(zip(wanted, sizes, strict=True)):
        if not part or whole % part:
            raise LayoutError(
                f"mode {k} of the shape {written(tuple(wanted))} is no multiple of {part}, which the block {block} has "
                f"there; {part * max(round(whole / max(part, 1)), 1)} is"
            )
    times = tuple([whole // part for whole, part in zip(wanted, sizes, strict=True)])
    return blocked_product(block, make_ordered_layout(times, order))


def local_tile(layout: Any, tile_shape: Any, coord: Any) -> tuple[Layout, int]:
    """The tile at a coordinate: its modes, then those of the rest that are free, and the offset.

    Parameters
    ----------
    layout : Layout
        What is cut into tiles.
    tile_shape : tuple
        By mode: an extent, a layout, or None for a mode that is left alone.
    coord : tuple
        Which tile along each mode of the rest; `accel.layout._` where all are wanted.

    Examples
    --------
    >>> from accel.layout import Layout, local_tile, _
    >>> local_tile(Layout((8, 12)), (4, 3), (1, 2))
    (Layout((4, 3), (1, 8)), 52)
    """
    parts = _divided(as_layout(layout), _as_shape_tiler(tile_shape))
    rest, offset = parts.second[coord]
    return joined([*modes_of(parts.first), *modes_of(rest)]), offset


def _as_shape_tiler(shape: Any) -> Tiler:
    tiler = as_tiler(shape)
    if isinstance(tiler, Layout) and not hasattr(shape, "stride"):
        return tuple([Layout(part) for part in modes(tiler.shape)])
    return tiler


def local_partition(layout: Any, threads_layout: Any, index: int) -> tuple[Layout, int]:
    """What one thread of many has: the tiles have a thread for each element, and it has the same place in all.

    Parameters
    ----------
    layout : Layout
        What is shared out.
    threads_layout : Layout
        Which thread stands where, by mode.
    index : int
        Which thread.

    Raises
    ------
    LayoutError
        If no place has this thread.

    Examples
    --------
    >>> from accel.layout import Layout, local_partition
    >>> local_partition(Layout((4, 8)), Layout((2, 4), (4, 1)), 5)
    (Layout((2, 2), (2, 16)), 5)
    """
    threads = as_layout(threads_layout)
    coordinate = _place_of(threads, index)
    tiler = _as_shape_tiler(tuple([part.size for part in modes_of(threads)]))
    parts = _divided(as_layout(layout), tiler)
    return parts.second, parts.first(*coordinate)


def _place_of(threads: Layout, index: int) -> tuple[int, ...]:
    """Return where a thread stands, as one integer for each mode."""
    inverse = right_inverse(threads)
    if not 0 <= index < inverse.size:
        raise LayoutError(
            f"thread {index} has no place in {threads}, which places the threads 0 to {inverse.size - 1} one by one"
        )
    place, found = inverse(index), []
    for part in modes_of(threads):
        place, digit = divmod(place, part.size)
        found.append(digit)
    return tuple(found)


def make_layout_tv(threads_layout: Any, values_layout: Any) -> tuple[IntTuple, Layout]:
    """The shape of a tile, and the layout (thread, value) -> index in the tile; every index is met once.

    Parameters
    ----------
    threads_layout : Layout
        Which thread stands where.
    values_layout : Layout
        Which of its values a thread has where, beside one another.

    Raises
    ------
    LayoutError
        If some index would be met twice, or not at all.

    Examples
    --------
    >>> from accel.layout import Layout, make_layout_tv
    >>> shape, layout = make_layout_tv(Layout((4, 4), (4, 1)), Layout((2, 1)))
    >>> shape, print(layout)
    ((4,4),2):((8,2),1)
    ((8, 4), None)
    """
    threads, values = as_layout(threads_layout), as_layout(values_layout)
    for numbers, what in ((threads, "threads"), (values, "values")):
        if right_inverse(numbers).size != numbers.size:
            raise LayoutError(
                f"{numbers} does not number {numbers.size} {what} from 0 to {numbers.size - 1}, each once, so that not "
                f"every index of the tile is met once; a compact layout does"
            )
    tile = raked_product(threads, values)
    inverse = right_inverse(tile)
    shape = tuple([part.size for part in modes_of(tile)])
    return shape, composition(inverse, Layout((threads.size, values.size)))
