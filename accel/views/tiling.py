"""Parts of a geometry: tiles, splits, the elements of one thread, and vectors."""

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from accel.errors import BoundsError, LayoutError
from accel.layout import Layout, Swizzle, coalesce
from accel.layout.layout import joined, modes_of
from accel.views.geometry import CACHED, Geometry, Shifted, blocks_of, clamped, geometry_of
from accel.views.index_checks import as_axis, as_count, as_sizes, as_whole, refuse_partial_tile, tile_position
from accel.views.slicing import subrange

__all__ = ["coordinates_of_tiles", "distributed", "split", "split_part", "tile_sizes", "tiled", "vectorized"]

_TAILS = ("mask", "shrink", "pad", "raise")


def tile_sizes(geometry: Geometry, sizes: Any) -> tuple[int, ...]:
    """Return the extent of a tile along each mode."""
    return tuple(
        [as_count(size, "the extent of a tile") for size in as_sizes(sizes, geometry.rank, "the size of a tile")]
    )


def coordinates_of_tiles(geometry: Geometry, sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the coordinates of all tiles in colexicographic order."""
    counts = [-(-extent // size) for extent, size in zip(geometry.extents, sizes, strict=True)]
    return [tuple(reversed(where)) for where in product(*map(range, reversed(counts)))]


class _Grid(NamedTuple):
    """The complete tiles of a geometry: their number and stride along each axis, and the geometry of each."""

    counts: tuple[int, ...]
    steps: tuple[int, ...]
    tile: Geometry


@lru_cache(CACHED)
def _grid(geometry: Geometry, sizes: tuple[int, ...], tail: str) -> _Grid | None:
    """Return the complete tiles of a geometry; None if they differ in more than the offset, or there are none."""
    extents = tile_sizes(geometry, sizes)
    rests = [blocks_of(mode, size)[1] for mode, size in zip(geometry.modes, extents, strict=True)]
    counts = tuple([extent // size for extent, size in zip(geometry.extents, extents, strict=True)])
    steps = tuple([rest.stride for rest in rests])
    if geometry.valid is not None or not all(counts) or any(isinstance(step, tuple) for step in steps):
        return None
    return _Grid(counts, steps, _tiled(geometry, sizes, (0,) * len(counts), tail)[0])


def tiled(geometry: Geometry, sizes: tuple[int, ...], coords: tuple[int, ...], tail: str) -> Shifted:
    """Return one tile, as `_tiled`; complete tiles take a fast path, because they differ only in the offset."""
    grid = _grid(geometry, sizes, tail)
    if grid is not None and len(coords) == len(grid.counts):
        offset = 0
        for c, count, step in zip(coords, grid.counts, grid.steps):  # noqa: B905 - strict= costs a tenth of a call
            if type(c) is not int or not 0 <= c < count:
                break
            offset += c * step
        else:
            return grid.tile, offset
    return _tiled(geometry, sizes, coords, tail)


@lru_cache(CACHED)
def _tiled(geometry: Geometry, sizes: tuple[int, ...], coords: tuple[int, ...], tail: str) -> Shifted:
    """Return one tile.

    Raises
    ------
    BoundsError
        If there is no such tile, or with ``tail="raise"`` a part of it is past the end.
    LayoutError
        If a nested mode cannot be divided into such tiles, or be shortened for ``tail="shrink"``.
    ValueError
        If ``tail`` is unknown.
    """
    if tail not in _TAILS:
        raise ValueError(f"the tail of a tile is one of {', '.join(_TAILS)}; found {tail!r}")
    sizes, coords = tile_sizes(geometry, sizes), as_sizes(coords, geometry.rank, "the coordinates of a tile")
    blocks, offset, valid = [], 0, []
    for axis, (mode, size, coordinate) in enumerate(zip(geometry.modes, sizes, coords, strict=True)):
        block, rest = blocks_of(mode, size)
        c = tile_position(coordinate, mode.size, size, axis)
        blocks.append(block)
        offset += rest(c)
        valid.append(clamped(geometry.inside[axis] - c * size, size))
    masked = geometry.valid is not None or any(
        mode.size % size for mode, size in zip(geometry.modes, sizes, strict=True)
    )
    return _with_tail(geometry, blocks, tuple(valid) if masked else None, tail), offset


def _with_tail(geometry: Geometry, blocks: list[Layout], valid: tuple[int, ...] | None, tail: str) -> Geometry:
    if valid is None or tail in ("mask", "pad"):
        padded = geometry.padded or tail == "pad"
        return geometry.with_layout(joined(blocks), valid, padded and valid is not None)
    if tail == "shrink":
        blocks = [_shrunk(block, extent) for block, extent in zip(blocks, valid, strict=True)]
    else:
        refuse_partial_tile(tuple([block.size for block in blocks]), valid)
    return geometry.with_layout(joined(blocks))


def _shrunk(block: Layout, extent: int) -> Layout:
    if block.size == extent:
        return block
    if not isinstance(block.shape, int):
        raise LayoutError(f'the nested mode {block} cannot be cut to {extent} coordinates; write tail="mask"')
    return Layout.unchecked(extent, block.stride)


def split(geometry: Geometry, count: Any, axis: Any) -> list[Shifted]:
    """Return equal parts along an axis.

    Raises
    ------
    LayoutError
        If ``count`` does not divide the extent.
    """
    parts, where = as_count(count, "the count of parts"), as_axis(axis, geometry.rank)
    extent = geometry.shape[where]
    if extent % parts:
        raise LayoutError(
            f"an extent of {extent} on axis {where} cannot be split into {parts} equal parts; write "
            f"t.split_part({parts}, index, axis={where}), whose last parts may be shorter"
        )
    length = extent // parts
    return [subrange(geometry, where, k * length, length) for k in range(parts)]


def split_part(geometry: Geometry, count: Any, index: Any, axis: Any, alignment: Any) -> Shifted:
    """Return one of several parts along an axis; all but the last ones have equal length, a multiple of an alignment.

    Raises
    ------
    BoundsError
        If there is no such part.
    """
    parts, where = as_count(count, "the count of parts"), as_axis(axis, geometry.rank)
    multiple, number = as_count(alignment, "an alignment"), as_whole(index, "the index of a part")
    if not -parts <= number < parts:
        raise BoundsError(f"part {number} is out of range: there are {parts}, so it must be in [{-parts}, {parts})")
    number %= parts
    extent = geometry.shape[where]
    length = -(-extent // (parts * multiple)) * multiple
    start = min(number * length, extent)
    return subrange(geometry, where, start, min(length, extent - start))


@lru_cache(CACHED)
def vectorized(geometry: Geometry, shape: tuple[Any, ...]) -> Shifted:
    """Return the geometry whose elements are blocks of this shape.

    Raises
    ------
    LayoutError
        If the blocks do not divide the extents.
    """
    counts = [
        as_count(count, "the extent of a vector") for count in as_sizes(shape, geometry.rank, "the shape of vectors")
    ]
    for axis, (extent, inside, count) in enumerate(zip(geometry.extents, geometry.inside, counts, strict=True)):
        if extent % count or inside % count:
            raise LayoutError(
                f"vectors of {count} do not divide the extent {inside if extent % count == 0 else extent} of axis "
                f"{axis}; take a part that they divide, as a slice or a tile"
            )
    pairs = [blocks_of(mode, count) for mode, count in zip(geometry.modes, counts, strict=True)]
    valid = None
    if geometry.valid is not None:
        valid = tuple([extent // count for extent, count in zip(geometry.valid, counts, strict=True)])
    element = _nested_element(geometry.element, [block for block, _ in pairs])
    return geometry_of(joined([rest for _, rest in pairs]), element, valid, geometry.padded, geometry.swizzled), 0


def _nested_element(element: Layout, blocks: list[Layout]) -> Layout:
    """Return the layout of elements that are blocks of smaller elements, combined mode by mode."""
    if element.size == 1:
        return joined(blocks)
    inner = modes_of(element)
    if len(inner) != len(blocks):
        return joined([*blocks, *inner])
    return joined([coalesce(joined(pair)) for pair in zip(inner, blocks, strict=True)])


@lru_cache(CACHED)
def distributed(
    geometry: Geometry, threads: Layout, thread: Any, axis: Any, swizzle: Swizzle | None, submode_axis: Any
) -> Shifted:
    """Return the elements of one thread: every ``count``-th coordinate of each mode, starting at the thread's own.

    Raises
    ------
    BoundsError
        If there is no such thread.
    LayoutError
        If the layout of threads does not fit.
    """
    number = as_whole(thread, "the number of a thread")
    if not 0 <= number < threads.cosize:
        raise BoundsError(f"thread {number} is out of range: {threads} has the threads [0, {threads.cosize})")
    places = [_coordinate(grid, number) for grid in _grids(geometry, threads, axis, submode_axis)]
    modes, offset, valid = [], 0, []
    for mode, inside, (count, first) in zip(geometry.modes, geometry.inside, places, strict=True):
        block, rest = blocks_of(mode, count)
        modes.append(rest)
        offset += block(first)
        valid.append(max(0, -((first - inside) // count)))
    masked = geometry.valid is not None or any(
        mode.size % count for mode, (count, _) in zip(geometry.modes, places, strict=True)
    )
    if swizzle is not None:
        offset = _swizzled(offset, geometry.element.size, swizzle, masked)
    return geometry.with_layout(joined(modes), tuple(valid) if masked else None, geometry.padded), offset


def _swizzled(offset: int, size: int, swizzle: Swizzle, masked: bool) -> int:
    if masked:
        raise LayoutError(
            "a swizzle needs an even division, and this one is masked; distribute a part that the threads divide"
        )
    return int(swizzle(offset // size)) * size


def _grids(geometry: Geometry, threads: Layout, axis: Any, submode_axis: Any) -> list[Layout]:
    """Return the layout of the threads along each mode of a tensor."""
    grids = modes_of(threads)
    if axis is None:
        if submode_axis is not None:
            raise ValueError(
                "a submode_axis is one of the mode that axis names; write axis too, as in "
                "t.distribute(threads_layout, thread_id, axis=0, submode_axis=k)"
            )
        return _of_rank(grids, geometry.rank, threads)
    number = as_axis(axis, len(grids))
    grid = grids[number]
    if submode_axis is not None:
        grid = modes_of(grid)[as_axis(submode_axis, grid.rank)]
    elif not isinstance(grid.shape, int) and grid.rank == geometry.rank:
        return modes_of(grid)  # as in Mojo: the submodes of this mode divide the modes of the tensor
    alone = as_axis(axis, geometry.rank)
    return [grid if k == alone else Layout.unchecked(1, 0) for k in range(geometry.rank)]


def _of_rank(grids: list[Layout], rank: int, threads: Layout) -> list[Layout]:
    if len(grids) != rank:
        raise LayoutError(
            f"the threads {threads} have {len(grids)} modes, and the tensor has {rank}: give one for each"
        )
    return grids


def _coordinate(grid: Layout, number: int) -> tuple[int, int]:
    """Return the number of threads along a mode, and the coordinate of one of them."""
    place, count = 0, 1
    for extent, stride in grid.leaves:
        if extent != 1:
            if stride < 1 or not extent:
                raise LayoutError(f"{grid} numbers no threads; give extents and strides of at least 1")
            place += number // stride % extent * count
        count *= extent
    return count, place
