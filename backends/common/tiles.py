"""`Tiling`: how a copy is cut into tiles for the `kernels`, as integers; none where NumPy is as fast."""

import math
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from accel.abc import Leaf, Plan

from . import thresholds
from .blocks import CHUNK, LINE, TURNED, Block, block_of

__all__ = ["COLUMNS", "DEPTH", "LOOPS", "ROOM", "ROWS", "Tiling", "tiling"]

TILE = 1 << 14
"""Bytes of a tile: half of the smallest first cache, as its source is there too."""

LARGE_TILE = 1 << 16
"""Bytes of a tile that reads more than its own part, for the second cache: that part is packed twice, so tiles are few.

Tiles of few rows or columns read little more than their own part.
"""

ROOM = 5 << 15
"""Bytes of the buffer for the largest tile, and for the bytes beyond its end that complete cache lines."""

WIDE = 256
"""Bytes of a tile along the source's fastest loop if it is large: memory delivers neighbouring lines faster."""

LOOPS = 72
"""How many loops over tiles there can be at most: NumPy's arrays have 64 dimensions, and a tile has three."""

TALL = 2 * LINE
"""Bytes of a tile along the target's fastest loop, at least."""

BAND = 1 << 11
"""Bytes of a tile of bands along the target's rows, of which it reads one line more."""

BAND_WIDTHS = 256, 1024
BAND_COLUMNS = 128
"""Bytes of such a tile along the source's rows, at least and at most, and its columns if these are between."""

BAND_RUN = 15 * LINE
"""Bytes of the target's rows from which they are written one by one: the ends of shorter ones take too long."""

DEPTH, ROWS, COLUMNS = range(3)
"""The axes of a tile."""

_ONE = Leaf(1, 0, 0)

_Integers = np.ndarray[Any, np.dtype[np.int64]]


class Tiling(NamedTuple):
    """Arguments of a kernel.

    Attributes
    ----------
    kernel : Block
        The block that the kernel moves at a time.
    integers : numpy.ndarray of int64
        What the kernel reads, as `tile_fields` describes it.
    address : int
        Where they are.
    size : int
        Number of tiles.
    target_start, source_start : int
        Offset in bytes of the first tile from the first item.
    """

    kernel: Block
    integers: _Integers
    address: int
    size: int
    target_start: int = 0
    source_start: int = 0


class _Axis(NamedTuple):
    """One of the three loops within a tile.

    Attributes
    ----------
    leaf : Leaf
        The whole loop.
    steps : int
        Its steps in one tile.
    spacing : int
        Distance of its steps in the tile's buffer, in bytes.
    least : int
        The fewest steps that a kernel can take.
    extra : int
        How many steps more are read, to complete the last cache line.
    shift : int
        How many steps fewer the first tile has, so that the others begin where cache lines of the source begin.
    """

    leaf: Leaf
    steps: int
    spacing: int
    least: int = 1
    extra: int = 0
    shift: int = 0

    @property
    def tiles(self) -> Leaf:
        """The loop over the tiles along this axis."""
        extent, target_stride, source_stride = self.leaf
        return Leaf(-(-(extent + self.shift) // self.steps), target_stride * self.steps, source_stride * self.steps)

    @property
    def integers(self) -> list[int]:
        """The integers that describe the axis to a kernel."""
        extent, target_stride, source_stride = self.leaf
        return [extent, self.steps, self.shift, self.extra, self.least, target_stride, source_stride, self.spacing]


class _Cut(NamedTuple):
    """How matrices are cut into tiles.

    Attributes
    ----------
    outer : list of Leaf
        The loops over matrices that are not within a tile.
    axes : list of _Axis
        Depth, rows and columns of a tile.
    along : int
        The axis along which the tiles are cut; its steps are contiguous in the target. -1 if there is no such axis.
    apart : bool
        Whether the columns of a tile are not contiguous in the target, so that each is a run of its own.
    """

    outer: list[Leaf]
    axes: list[_Axis]
    along: int
    apart: bool = False


class _Matrix(NamedTuple):
    """The loops of a copy: rows step fastest in the target, columns in the source, and all others are ``outer``."""

    nbytes: int
    outer: list[Leaf]
    rows: Leaf
    columns: Leaf
    block: Block

    @property
    def run(self) -> int:
        """Bytes of all rows of a column."""
        return self.rows.extent * self.nbytes

    @property
    def contiguous(self) -> bool:
        """Whether the rows of a column are contiguous in the target."""
        return self.rows.target_stride == self.nbytes

    @property
    def fused(self) -> bool:
        """Whether all columns are contiguous in the target."""
        return self.contiguous and self.columns.target_stride == self.run


_NO_AXIS = _Axis(_ONE, 1, 0)


@lru_cache(1024)
def tiling(plan: Plan, skew: int, source_skew: int) -> Tiling | None:
    """Return the tiling of a plan whose loops are `in_order`; None where NumPy is as fast.

    Parameters
    ----------
    plan : Plan
        The copy.
    skew, source_skew : int
        The offsets of the first bytes that are written and read from the start of their cache lines.
    """
    run, leaves = plan.itemsize, list(plan.leaves)
    if leaves and leaves[-1][1:] == (run, run):
        run *= leaves.pop().extent
    if not leaves or run >= thresholds.LONG_RUN:
        return None
    rows = leaves.pop()
    columns = min(leaves, key=_nearness, default=_ONE)
    alone = run in TURNED and run == plan.itemsize and rows.extent >= thresholds.LONG_LOOP
    if _nearness(rows) <= _nearness(columns):
        if alone:
            return None
        columns = leaves[-1] if leaves else _ONE
    if leaves:
        leaves.remove(columns)
    start, columns = _forwards(columns, run)
    block = block_of(run, rows, columns)
    if alone and block.form == "items" and columns.extent < thresholds.FEW_COLUMNS:
        return None
    line = LINE if plan.nbytes >= thresholds.STREAMED else 1
    matrix = _Matrix(run, leaves, rows, columns, block)
    lines = _lines(matrix, skew + start[0], source_skew + start[1]) if line > 1 else None
    if lines:
        return _tiled(matrix._replace(block=Block("lines", run, 1)), lines, line, start)
    bands = _bands(matrix) if line > 1 else None
    if bands:
        return _tiled(matrix._replace(block=Block("bands", run, 1)), bands, line, start)
    cut = _aligned(_cut(matrix, line, TILE), skew + start[0], line)
    if block.form in ("turn", "join", "items") and any(16 * axis.extra > axis.steps for axis in cut.axes):
        cut = _aligned(_cut(matrix, line, LARGE_TILE), skew + start[0], line)
    return _tiled(matrix, cut, line, start)


def _nearness(leaf: Leaf) -> float:
    return abs(leaf.source_stride) if leaf.source_stride else math.inf


def _forwards(columns: Leaf, nbytes: int) -> tuple[tuple[int, int], Leaf]:
    """Return the offsets of the first item and a loop that goes forwards in the source, if its items are adjacent."""
    extent, target_stride, source_stride = columns
    if source_stride != -nbytes:
        return (0, 0), columns
    return ((extent - 1) * target_stride, (extent - 1) * source_stride), Leaf(extent, -target_stride, nbytes)


def _lines(matrix: _Matrix, skew: int, source_skew: int) -> _Cut | None:
    """Return tiles of whole cache lines of the target, which need no buffer; None if there are other lines."""
    nbytes, outer, rows, columns, block = matrix
    line = LINE // nbytes
    pitches = [matrix.run, columns.target_stride, *[leaf.target_stride for leaf in outer]]
    if block.form != "turn" or columns.extent < line or any(each % LINE for each in (skew, *pitches)):
        return None
    width = min(TILE // TALL, -(-columns.extent // line) * line)
    skewed = any(leaf.source_stride % LINE for leaf in (rows, *outer)) or columns.extent <= width
    shift = 0 if skewed else source_skew % LINE // nbytes
    down = _Axis(rows, TILE // (width * nbytes) // line * line, nbytes, line)
    across = _Axis(columns, width, columns.target_stride, line, shift=shift)
    # In the order of the source: memory delivers neighbouring lines faster, and takes them in any order.
    return _Cut(sorted(outer, key=_nearness, reverse=True), [_NO_AXIS, down, across], -1)


def _bands(matrix: _Matrix) -> _Cut | None:
    """Return tiles of long rows of the target, which begin anywhere; None if other tiles are better."""
    nbytes, outer, rows, columns, block = matrix
    line, size = LINE // nbytes, columns.extent * nbytes
    if block.form != "turn" or not matrix.contiguous or columns.extent < line or matrix.run < LINE:
        return None
    if nbytes > 2 and size < 5 * LINE:
        return None
    least, most = BAND_WIDTHS
    width = min(max(BAND_COLUMNS, least // nbytes), most // nbytes)
    across = _Axis(columns, width, columns.target_stride, line)
    depth, others = _following(outer, matrix.run) if matrix.run < BAND else (None, outer)
    if matrix.run * (depth.extent if depth else 1) < BAND_RUN:
        return None
    if depth:
        down, whole = _Axis(depth, BAND // matrix.run, matrix.run, extra=1), _Axis(rows, rows.extent, nbytes)
    else:
        down, whole = _NO_AXIS, _Axis(rows, BAND // nbytes, nbytes, line, line)
    return _Cut(sorted(others, key=_nearness, reverse=True), [down, whole, across], -1)


def _cut(matrix: _Matrix, line: int, tile: int) -> _Cut:
    """Choose tiles that are contiguous at both ends for as long as possible."""
    nbytes, outer, rows, columns, block = matrix
    whole = _Axis(rows, rows.extent, nbytes, block.rows)
    if matrix.fused and matrix.run * LINE <= tile:
        return _cut_fused(matrix, whole, tile)
    wide = max(WIDE, math.isqrt(tile * nbytes)) if line > 1 else max(LINE, nbytes)
    depth, others = _following(outer, matrix.run)
    if matrix.contiguous and matrix.run < WIDE and depth:
        across = _Axis(columns, _evenly(columns.extent, min(wide // nbytes, tile // matrix.run)), 0, block.columns)
        down = _Axis(depth, _steps(tile // across.steps, matrix.run), matrix.run)
        return _Cut(others, [down, whole, across], DEPTH, apart=True)
    across = _Axis(columns, _evenly(columns.extent, wide // nbytes), 0, block.columns)
    down = _Axis(rows, _steps(max(tile // across.steps, TALL), nbytes), nbytes, block.rows)
    if matrix.contiguous and matrix.run >= LINE:
        return _Cut(outer, [_NO_AXIS, down, across], ROWS, apart=True)
    direct = down._replace(spacing=rows.target_stride), across._replace(spacing=columns.target_stride)
    return _Cut(outer, [_NO_AXIS, *direct], -1)


def _cut_fused(matrix: _Matrix, rows: _Axis, tile: int) -> _Cut:
    """Cut a matrix that is contiguous in the target along its columns, or several small ones along the next loop."""
    columns, size = matrix.columns, matrix.run * matrix.columns.extent
    depth, others = _following(matrix.outer, size)
    if depth and size <= tile // 2:
        across = _Axis(columns, columns.extent, matrix.run, matrix.block.columns)
        return _Cut(others, [_Axis(depth, _steps(tile, size), size), rows, across], DEPTH)
    across = _Axis(columns, _steps(tile, matrix.run), matrix.run, matrix.block.columns)
    return _Cut(matrix.outer, [_NO_AXIS, rows, across], COLUMNS)


def _aligned(cut: _Cut, skew: int, line: int) -> _Cut:
    """Return tiles that read enough to write whole cache lines only."""
    outer, axes, along, apart = cut
    if along < 0:
        return cut
    unit, columns = axes[along].leaf.target_stride, axes[COLUMNS]
    pitches = [columns.leaf.target_stride] * apart + [leaf.target_stride for leaf in outer]
    if line > 1 and any(each % line for each in (skew, axes[along].steps * unit, *pitches)):
        axes[along] = axes[along]._replace(extra=-(-(line - 1) // unit))
    if apart:
        spacing = (axes[along].steps + axes[along].extra) * unit
        axes[COLUMNS] = columns._replace(spacing=-(-spacing // CHUNK) * CHUNK)
    return cut


def _tiled(matrix: _Matrix, cut: _Cut, line: int, start: tuple[int, int]) -> Tiling:
    loops = [*cut.outer, *[axis.tiles for axis in cut.axes]]
    numbers = [*chain(*[axis.integers for axis in cut.axes]), matrix.nbytes, cut.along, line, cut.apart]
    integers = np.array([*numbers, len(loops), *chain(*loops)], np.int64)
    size = math.prod([leaf.extent for leaf in loops])
    target_start, source_start = start
    for (_, target_stride, source_stride), *_, shift in cut.axes:
        target_start, source_start = target_start - shift * target_stride, source_start - shift * source_stride
    return Tiling(matrix.block, integers, integers.__array_interface__["data"][0], size, target_start, source_start)


def _evenly(extent: int, most: int) -> int:
    """Return how many steps to take at a time, at most ``most``, so that a loop is cut into equal parts."""
    return -(-extent // -(-extent // most))


def _following(outer: list[Leaf], size: int) -> tuple[Leaf | None, list[Leaf]]:
    """Return the loop that steps by ``size`` bytes in the target, if there is one, and all others."""
    for leaf in outer:
        if leaf.target_stride == size:
            return leaf, [other for other in outer if other is not leaf]
    return None, outer


def _steps(room: int, unit: int) -> int:
    """Return how many steps of ``unit`` bytes fit, so that they fill whole cache lines if possible."""
    whole = LINE // math.gcd(LINE, unit)
    steps = room // unit
    return max(steps // whole * whole or steps, 1)
