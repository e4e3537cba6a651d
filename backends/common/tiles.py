"""How a copy is cut into tiles for the `kernels`, as integers; where NumPy is as good, it is not."""

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
"""Bytes of the items that vectors can turn."""

_ONE = Leaf(1, 0, 0)

_Integers = np.ndarray[Any, np.dtype[np.int64]]


class Tiling(NamedTuple):
    """Arguments of a kernel.

    Attributes
    ----------
    kernel : int
        The bytes of the items to be turned, or 0 for blocks.
    grid, matrix : numpy.ndarray of int64
        As the kernel wants them.
    size : int
        How many tiles there are.
    target_start, source_start : int
        How far the first tile begins from the first item, in bytes.
    """

    kernel: int
    grid: _Integers
    matrix: _Integers
    size: int
    target_start: int = 0
    source_start: int = 0


@lru_cache(1024)
def tiling(plan: Plan, skew: int) -> Tiling | None:
    """Return how a plan in order is cut into tiles; None where NumPy is as good.

    ``skew`` is how many bytes the first one written is past the begin of a line.
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
    """Tell whether vectors can turn a matrix, and it has at least one block of them."""
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
    """Return the loop over tiles of so many steps."""
    return Leaf(-(-leaf.extent // steps), leaf.target_stride * steps, leaf.source_stride * steps)


def _integers(values: Any) -> _Integers:
    return np.array(values, np.int64)
