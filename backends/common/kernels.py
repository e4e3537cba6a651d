"""The copy kernels that numba compiles, when `compiled` decides that it pays.

A kernel copies the tiles ``low`` to ``high`` of a grid. ``target`` and ``source`` are addresses.

- Each row of ``grid`` is a loop over tiles: its extent, and its strides in bytes in the target and in the source. The
  last three loops are along the axes of a tile: depth, rows and columns.
- Each row of ``axes`` is one of these axes: its extent in items, how many of them a tile has, how many more it reads,
  the fewest that can be read; the strides in bytes in the target, in the source, and in the buffer for the tile.
- ``how`` holds the bytes of an item, the axis along which the tiles are cut, and where.

A tile is packed into a buffer, and from there copied to the target in contiguous runs: one for each column if tiles are
cut along the rows, else a single one. A run is cut where cache lines begin if ``how`` says 64: then stores bypass the
caches, and a tile reads more than its own part to complete its last lines. If no axis is cut (-1), there is no buffer.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from .blocks import LINE, Block
from .tiles import COLUMNS, DEPTH, ROOM, ROWS
from .vectors import drain, move, move_block, move_line, prefetch, scratch, stream_line

__all__ = ["copying"]

_EXTENT, _STEPS, _EXTRA, _LEAST, _TARGET, _SOURCE, _SPACING = range(7)

_ALIASED = 1 << 15
"""Rows of the source at multiples of so many bytes share few sets of a cache: a whole tile does not fit there."""

_NEAR = 8
"""How many rows ahead such rows are fetched."""

# Numba's decorators have no types.
_part: Any = njit(nogil=True)


@_part
def _corner(grid: Any, tile: int) -> Any:
    """Return the offsets in bytes of a tile's first byte, in the target and in the source."""
    into = out_of = 0
    for loop in range(len(grid) - 1, -1, -1):
        rest = tile // grid[loop, 0]
        step = tile - rest * grid[loop, 0]
        into += step * grid[loop, 1]
        out_of += step * grid[loop, 2]
        tile = rest
    return into, out_of


@_part
def _firsts(grid: Any, axes: Any, tile: int) -> Any:
    """Return the first step of a tile along each axis."""
    across = tile // grid[-1, 0]
    down = across // grid[-2, 0]
    return (
        down % grid[-3, 0] * axes[DEPTH, _STEPS],
        across % grid[-2, 0] * axes[ROWS, _STEPS],
        tile % grid[-1, 0] * axes[COLUMNS, _STEPS],
    )


@_part
def _part_of(axis: Any, first: int) -> Any:
    """Return where a tile begins to read along an axis, and how many steps: earlier where too few would be left."""
    begin = max(min(first, axis[_EXTENT] - axis[_LEAST]), 0)
    return begin, min(first + axis[_STEPS] + axis[_EXTRA], axis[_EXTENT]) - begin


@_part
def _fetch(source: int, pitch: int, rows: int) -> None:
    for _ in range(rows):
        prefetch(source)
        source += pitch


@_part
def _unpack(target: int, tile: int, nbytes: int, line: int, pace: int, next_line: Any, lines: Any) -> Any:
    """Copy a run to the target; with each line, some lines are fetched that the next tile will read."""
    place, x, y, z = next_line
    width, pitch, rows, layer_pitch, layers = lines
    nbytes = max(nbytes, 0)
    head = min(-target & (line - 1), nbytes)
    if head:
        move(target, tile, head)
        target, tile, nbytes = target + head, tile + head, nbytes - head
    while nbytes >= LINE:
        if line > 1:
            stream_line(target, tile)
        else:
            move_line(target, tile)
        target, tile, nbytes = target + LINE, tile + LINE, nbytes - LINE
        for _ in range(pace):
            if z < layers:
                prefetch(place + x)
                x += LINE
                if x >= width:
                    x, y, place = 0, y + 1, place + pitch
                    if y == rows:
                        y, z, place = 0, z + 1, place + layer_pitch
    if nbytes:
        move(target, tile, nbytes)
    return place, x, y, z


@_part
def _lines_ahead(axes: Any, row_pitch: int, nbytes: int) -> Any:
    """Return the loops over the lines of a tile in the source; in one go if its rows are contiguous."""
    columns = min(axes[COLUMNS, _STEPS] + axes[COLUMNS, _EXTRA], axes[COLUMNS, _EXTENT])
    rows = min(axes[ROWS, _STEPS] + axes[ROWS, _EXTRA], axes[ROWS, _EXTENT])
    layers = min(axes[DEPTH, _STEPS] + axes[DEPTH, _EXTRA], axes[DEPTH, _EXTENT])
    if row_pitch % _ALIASED == 0:
        layers = 0
    next_layer = axes[DEPTH, _SOURCE] - rows * row_pitch
    if row_pitch == columns * nbytes:
        return rows * row_pitch, rows * row_pitch, 1, next_layer, layers
    return columns * axes[COLUMNS, _SOURCE], row_pitch, rows, next_layer, layers


def copying(block: Block) -> Callable[..., None]:
    """Return the kernel that moves one kind of block at a time."""
    form, size, count = block
    height, width = block.rows, block.columns
    distance = max(height, _NEAR)

    def copy(target: int, source: int, grid: Any, axes: Any, how: Any, low: int, high: int) -> None:
        nbytes, cut, line, apart = how
        buffer = scratch(ROOM)
        row_pitch, row_spacing = axes[ROWS, _SOURCE], axes[ROWS, _SPACING]
        column_pitch, column_spacing = axes[COLUMNS, _SOURCE], axes[COLUMNS, _SPACING]
        unit, extent, part = axes[cut, _TARGET], axes[cut, _EXTENT], axes[cut, _STEPS]
        pace = 1 + (axes[cut, _EXTRA] > 0)
        lines = _lines_ahead(axes, row_pitch, nbytes)
        into, out_of = _corner(grid, low)
        for index in range(low, high):
            next_into, next_out_of = _corner(grid, index + 1)
            ahead = next_out_of - out_of
            firsts = _firsts(grid, axes, index)
            _, layers = _part_of(axes[DEPTH], firsts[DEPTH])
            row, rows = _part_of(axes[ROWS], firsts[ROWS])
            column, columns = _part_of(axes[COLUMNS], firsts[COLUMNS])
            above, before = firsts[ROWS] - row, firsts[COLUMNS] - column
            origin = source + out_of - above * row_pitch - before * column_pitch
            # Where a tile begins to read earlier, it also writes earlier: in the buffer there is room for that.
            tile = buffer if cut >= 0 else target + into - above * row_spacing - before * column_spacing
            for each in range(layers):
                start, place = origin + each * axes[DEPTH, _SOURCE], tile + each * axes[DEPTH, _SPACING]
                if apart and cut == DEPTH and each == part:
                    rows = min(rows, (LINE + nbytes - 2) // nbytes)  # as much as completes a line
                for down in range(0, rows, height):
                    y = min(down, rows - height)
                    for across in range(0, columns, width):
                        x = min(across, columns - width)
                        corner = start + y * row_pitch + x * column_pitch
                        if lines[-1] == 0 and across * nbytes % LINE < width * nbytes:
                            below = distance if y + distance < rows else distance - rows
                            _fetch(corner + below * row_pitch + (ahead if below < 0 else 0), row_pitch, height)
                        spot = place + y * row_spacing + x * column_spacing
                        move_block(form, size, count, spot, column_spacing, corner, row_pitch, nbytes)
            if cut >= 0:
                place, tile = target + into, tile + above * row_spacing + before * column_spacing
                next_line = (origin + ahead + LINE - 1, 0, 0, 0)
                for _ in range(columns - before if apart else 1):
                    begin = (place + line - 1) & -line if firsts[cut] else place
                    end = min((place + part * unit + line - 1) & -line, place + (extent - firsts[cut]) * unit)
                    next_line = _unpack(begin, tile + (begin - place), end - begin, line, pace, next_line, lines)
                    place, tile = place + axes[COLUMNS, _TARGET], tile + column_spacing
            into, out_of = next_into, next_out_of
        drain()

    return copy
