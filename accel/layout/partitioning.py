"""The part of a layout that one tile or one thread has, and the layout of all threads' elements."""

from typing import Any

from accel.errors import LayoutError
from accel.layout.algebra import composition
from accel.layout.int_tuple import IntTuple, modes
from accel.layout.inverse import right_inverse
from accel.layout.layout import Layout, as_layout, joined, modes_of
from accel.layout.tilers import Tiler, as_tiler
from accel.layout.tiling import divided, raked_product

__all__ = ["local_partition", "local_tile", "make_layout_tv"]


def local_tile(layout: Any, tile_shape: Any, coord: Any) -> tuple[Layout, int]:
    """The tile at a coordinate, followed by the free modes of the rest, and the offset of the tile.

    Parameters
    ----------
    layout : Layout
        The layout to cut into tiles.
    tile_shape : tuple
        By mode: an extent, a layout, or None to leave the mode unchanged.
    coord : tuple
        The tile along each mode of the rest; `accel.layout._` for all tiles.

    Examples
    --------
    >>> from accel.layout import Layout, local_tile, _
    >>> local_tile(Layout((8, 12)), (4, 3), (1, 2))
    (Layout((4, 3), (1, 8)), 52)
    """
    parts = divided(as_layout(layout), _as_shape_tiler(tile_shape))
    rest, offset = parts.second[coord]
    return joined([*modes_of(parts.first), *modes_of(rest)]), offset


def _as_shape_tiler(shape: Any) -> Tiler:
    tiler = as_tiler(shape)
    if isinstance(tiler, Layout) and not hasattr(shape, "stride"):
        return tuple([Layout(part) for part in modes(tiler.shape)])
    return tiler


def local_partition(layout: Any, threads_layout: Any, index: int) -> tuple[Layout, int]:
    """The elements of one thread: one element of each tile, at the position of the thread in the tile, and the offset.

    Parameters
    ----------
    layout : Layout
        The layout to partition among threads.
    threads_layout : Layout
        Maps the coordinates of a tile to thread numbers.
    index : int
        The number of the thread.

    Raises
    ------
    LayoutError
        If no coordinate has this thread.

    Examples
    --------
    >>> from accel.layout import Layout, local_partition
    >>> local_partition(Layout((4, 8)), Layout((2, 4), (4, 1)), 5)
    (Layout((2, 2), (2, 16)), 5)
    """
    threads = as_layout(threads_layout)
    coordinate = _coordinate_of(threads, index)
    tiler = _as_shape_tiler(tuple([part.size for part in modes_of(threads)]))
    parts = divided(as_layout(layout), tiler)
    return parts.second, parts.first(*coordinate)


def _coordinate_of(threads: Layout, index: int) -> tuple[int, ...]:
    """Return the coordinate of a thread, one integer for each mode."""
    inverse = right_inverse(threads)
    if not 0 <= index < inverse.size:
        raise LayoutError(
            f"{threads} has no thread {index}; it numbers the threads from 0 to {inverse.size - 1}, each once"
        )
    place, coordinate = inverse(index), []
    for part in modes_of(threads):
        place, digit = divmod(place, part.size)
        coordinate.append(digit)
    return tuple(coordinate)


def make_layout_tv(threads_layout: Any, values_layout: Any) -> tuple[IntTuple, Layout[tuple[Any, Any]]]:
    """The shape of a tile, and the layout (thread, value) -> index in the tile, a bijection.

    Parameters
    ----------
    threads_layout : Layout
        Maps coordinates to thread numbers.
    values_layout : Layout
        Maps the coordinates of one thread's adjacent elements to value numbers.

    Raises
    ------
    LayoutError
        If some index would occur twice, or not at all.

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
                f"{numbers} does not number {numbers.size} {what} from 0 to {numbers.size - 1}, each once, so the "
                f"indices of the tile would not occur once each; use a compact layout"
            )
    tile = raked_product(threads, values)
    inverse = right_inverse(tile)
    shape = tuple([part.size for part in modes_of(tile)])
    return shape, composition(inverse, Layout((threads.size, values.size)))
