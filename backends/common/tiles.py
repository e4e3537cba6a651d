"""`Tiling`: how a copy is cut into tiles for the `kernels`, as integers; none where NumPy is as fast."""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.abc import Leaf, Plan

from . import thresholds

__all__ = ["BLOCK", "CHUNK", "LINE", "PITCH", "TURNED", "WIDE", "Tiling", "tiling"]

CHUNK = 16
"""Bytes of the vectors that every machine has."""

LANES = 2
"""How many of them are worked on as one: as many as a register has on most machines."""

BLOCK = LANES * CHUNK
"""Bytes of a row of the target that are turned at a time."""

LINE = 64
"""Bytes of a cache line."""

PITCH = 256
"""Bytes of a tile along the target's fastest loop."""

WIDE = 64
"""Items of a tile along the source's fastest loop; a tile takes half of the smallest first cache."""

TURNED = (1, 2, 4, 8, 16)
"""Sizes in bytes of the items that the vector instructions can transpose."""

_ONE = Leaf(1, 0, 0)

_Integers = np.ndarray[Any, np.dtype[np.int64]]


class Tiling(NamedTuple):
    """Arguments of a kernel.

    Attributes
    ----------
    kernel : int
        Bytes of an item for a transposing kernel, or 0 for the kernel `blocks`.
    grid, matrix : numpy.ndarray of int64
        The kernel's arguments, as `kernels` describes them.
    size : int
        Number of tiles.
    target_start, source_start : int
        Offset in bytes of the first tile from the first item.
    """

    kernel: int
    grid: _Integers
    matrix: _Integers
    size: int
    target_start: int = 0
    source_start: int = 0


@lru_cache(1024)
def tiling(plan: Plan, skew: int) -> Tiling | None:
    """Return the tiling of a plan whose loops are `in_order`; None where NumPy is as fast.

    ``skew`` is the offset of the first byte that is written from the start of its cache line.
    """
    run, leaves = plan.itemsize, list(plan.leaves)
    if leaves and leaves[-1][1:] == (run, run):
        run *= leaves.pop().extent
    if not leaves or run >= thresholds.LONG_RUN:
        return None
    rows = leaves.pop()
    nearest = min(leaves, key=_nearness, default=_ONE)
    alone = run in TURNED and run == plan.itemsize and rows.extent >= thresholds.LONG_LOOP
    if alone and nearest.extent < thresholds.FEW_COLUMNS:
        return None
    if _nearness(rows) <= _nearness(nearest):
        if alone:
            return None
        nearest = leaves[-1] if leaves else _ONE
    if leaves:
        leaves.remove(nearest)
    if _turns(run, rows, nearest):
        return _transposed(run, leaves, rows, nearest, skew, plan.nbytes >= thresholds.STREAMED)
    return _blocks(run, leaves, rows, nearest)


def _nearness(leaf: Leaf) -> float:
    return abs(leaf.source_stride) if leaf.source_stride else math.inf


def _turns(itemsize: int, rows: Leaf, columns: Leaf) -> bool:
    """Return whether the vector kernels can transpose a matrix: item size, strides, and at least one block."""
    return (
        itemsize in TURNED
        and rows.target_stride == columns.source_stride == itemsize
        and rows.extent * itemsize >= BLOCK
        and columns.extent * itemsize >= CHUNK
    )


def _transposed(run: int, outer: list[Leaf], rows: Leaf, columns: Leaf, skew: int, streaming: bool) -> Tiling:
    aligned = skew % run == 0 and all(leaf.target_stride % LINE == 0 for leaf in (*outer, columns))
    short = skew // run if aligned else 0
    down = _tiled(rows._replace(extent=rows.extent + short), PITCH // run)
    matrix = [rows.extent, columns.extent, rows.source_stride, columns.target_stride, short, streaming]
    grid = [*outer, down, _tiled(columns, WIDE)]
    return Tiling(run, _integers(grid), _integers(matrix), _count(grid), -short * run, -short * rows.source_stride)


def _blocks(run: int, outer: list[Leaf], rows: Leaf, columns: Leaf) -> Tiling:
    wide = min(columns.extent, WIDE)
    tall = WIDE * WIDE // wide
    grid = [*outer, _tiled(rows, tall), _tiled(columns, wide)]
    return Tiling(0, _integers(grid), _integers([run, *rows, tall, *columns, wide]), _count(grid))


def _count(grid: list[Leaf]) -> int:
    """Return how many tiles a grid has."""
    return math.prod([leaf.extent for leaf in grid])


def _tiled(leaf: Leaf, steps: int) -> Leaf:
    """Return the loop over tiles, each of ``steps`` steps of a loop."""
    return Leaf(-(-leaf.extent // steps), leaf.target_stride * steps, leaf.source_stride * steps)


def _integers(values: Any) -> _Integers:
    return np.array(values, np.int64)
