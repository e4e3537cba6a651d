"""The copy kernels that numba compiles, when `compiled` decides that it pays.

A kernel copies the tiles ``low`` to ``high`` of a grid. Each row of ``grid`` is a loop: its extent, and its strides in
bytes in the target and in the source. The last two loops run over the tiles of one matrix: the second last down its
rows (the target's fastest axis), the last along its columns (the source's fastest axis). ``target`` and ``source`` are
addresses.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from .tiles import BLOCK, CHUNK, LINE, PITCH, WIDE
from .vectors import drain, move, move_line, prefetch, scratch, stream_line, turn, width

__all__ = ["blocks", "transposing"]

_TILE = PITCH * WIDE

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
def _carry(target: int, source: int, nbytes: int) -> None:
    while nbytes >= LINE:
        move_line(target, source)
        target, source, nbytes = target + LINE, source + LINE, nbytes - LINE
    move(target, source, nbytes)


@_part
def _stream(target: int, source: int, nbytes: int) -> None:
    head = min(-target & (LINE - 1), nbytes)
    move(target, source, head)
    target, source, nbytes = target + head, source + head, nbytes - head
    while nbytes >= LINE:
        stream_line(target, source)
        target, source, nbytes = target + LINE, source + LINE, nbytes - LINE
    move(target, source, nbytes)


@_part
def _pack(item: Any, tile: int, source: int, pitch: int, rows: int, columns: int, ahead: int) -> None:
    """Transpose a part of the source into a tile. Blocks at the edges overlap, and write the same bytes twice."""
    nbytes = width(item)
    block, chunk = BLOCK // nbytes, CHUNK // nbytes
    for each in range(0, rows, block):
        row = min(each, rows - block)
        for along in range(0, columns, chunk):
            column = min(along, columns - chunk)
            place = source + row * pitch + column * nbytes
            if along * nbytes % LINE == 0:
                for below in range(block):
                    prefetch(place + ahead + below * pitch)
            turn(item, tile + column * PITCH + row * nbytes, PITCH, place, pitch)


@_part
def _unpack(target: int, pitch: int, tile: int, columns: int, nbytes: int, streaming: bool) -> None:
    for column in range(columns):
        if streaming:
            _stream(target + column * pitch, tile + column * PITCH, nbytes)
        else:
            _carry(target + column * pitch, tile + column * PITCH, nbytes)


def transposing(item: Any) -> Callable[..., None]:
    """Return the kernel that transposes items of the size of a NumPy type.

    Each tile is transposed by vector instructions into a compact buffer, and from there copied row by row to the
    target. ``matrix`` holds: rows and columns of the source, the source's stride from row to row, the target's stride
    from column to column, how many rows the first tile lacks, and whether stores bypass the caches.
    """

    def transpose(target: int, source: int, grid: Any, matrix: Any, low: int, high: int) -> None:
        rows, columns, source_pitch, target_pitch, short, streaming = matrix
        nbytes = width(item)
        tall = PITCH // nbytes
        tile = scratch(_TILE)
        into, out_of = _corner(grid, low)
        for index in range(low, high):
            next_into, next_out_of = _corner(grid, index + 1)
            top = index // grid[-1, 0] % grid[-2, 0] * tall - short
            left = index % grid[-1, 0] * WIDE
            # At the far edges a tile that would be smaller than a block starts earlier.
            row, column = min(max(top, 0), rows - BLOCK // nbytes), min(left, columns - CHUNK // nbytes)
            height, breadth = min(top + tall, rows) - row, min(left + WIDE, columns) - column
            place = source + out_of + (row - top) * source_pitch + (column - left) * nbytes
            _pack(item, tile, place, source_pitch, height, breadth, next_out_of - out_of)
            place = target + into + (row - top) * nbytes + (column - left) * target_pitch
            _unpack(place, target_pitch, tile, breadth, height * nbytes, streaming != 0)
            into, out_of = next_into, next_out_of
        drain()

    return transpose


def blocks(target: int, source: int, grid: Any, matrix: Any, low: int, high: int) -> None:
    """Copy contiguous runs of bytes; a run may be a single item.

    ``matrix`` holds the bytes of a run, and then, for rows and for columns: the extent, the strides in bytes in the
    target and in the source, and the extent of a tile.
    """
    nbytes, rows, row_into, row_out_of, tall, columns, column_into, column_out_of, wide = matrix
    for index in range(low, high):
        into, out_of = _corner(grid, index)
        height = min(tall, rows - index // grid[-1, 0] % grid[-2, 0] * tall)
        breadth = min(wide, columns - index % grid[-1, 0] * wide)
        for column in range(breadth):
            place, origin = target + into + column * column_into, source + out_of + column * column_out_of
            for row in range(height):
                _carry(place + row * row_into, origin + row * row_out_of, nbytes)
