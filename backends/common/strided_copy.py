"""Copies between strided operands: NumPy does those that are small or that it does as fast, the kernels the others."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from accel.abc import Operand, Plan
from accel.dtypes import DType

from .compiled import count_numpy_time, kernel
from .item_offsets import source_offsets, target_offsets
from .loop_order import halves, in_order
from .numpy_copy import Array, Bytes, cast, item_type, shared
from .tiles import LINE, Tiling, tiling
from .workers import WORKERS

__all__ = ["copy_strided"]

# Below this, all that a kernel needs takes longer than what it saves.
_SMALL = 1 << 15


class _End(NamedTuple):
    """One end of a copy: bytes, and the byte at which the offsets of a plan begin."""

    data: Bytes
    start: int

    def items(self, first: int, plan: Plan, strides: tuple[int, ...]) -> Array:
        return np.ndarray(plan.extents, item_type(plan.itemsize), self.data, self.start + first, strides)

    def address(self, first: int) -> int:
        return int(self.data.__array_interface__["data"][0]) + self.start + first


def copy_strided(
    target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan, dtypes: tuple[DType, DType]
) -> None:
    """Copy items between operands without swizzle and table.

    If the plan is ``buffered``, the whole source is read before anything is written.

    Raises
    ------
    BoundsError
        If an item lies outside of the bytes; nothing is written.
    """
    extents, target_strides, source_strides = _columns(plan)
    try:
        to = np.ndarray(extents, dtypes[0], into, target.start + plan.target_start, target_strides)
        of = np.ndarray(extents, dtypes[1], out_of, source.start + plan.source_start, source_strides)
    except ValueError:
        target_offsets(target, plan, dtypes[0].itemsize).refuse_outside(into.nbytes)
        source_offsets(source, plan, dtypes[1].itemsize).refuse_outside(out_of.nbytes)
        raise
    moved = plan.kind == "memcpy" and plan.buffered  # NumPy handles the overlap itself, as memmove does
    if plan.nbytes < _SMALL or moved or dtypes[0] != dtypes[1]:
        cast(to, of.copy() if plan.buffered and not moved else of)
    else:
        run = _all_read_first if plan.buffered else _run
        run(in_order(plan), _End(into, target.start), _End(out_of, source.start))


@lru_cache(1024)
def _columns(plan: Plan) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    return plan.extents, plan.target_strides, plan.source_strides


def _all_read_first(plan: Plan, target: _End, source: _End) -> None:
    between = _End(np.empty(plan.nbytes, np.uint8), 0)
    there, back = halves(plan)
    _run(in_order(there), between, source)
    _run(in_order(back), target, between)


def _run(plan: Plan, target: _End, source: _End) -> None:
    """Copy by a kernel, or by NumPy if there is none; the plan's loops are `in_order`, and its bounds are checked."""
    tiles = tiling(plan, target.address(plan.target_start) % LINE)
    copying = WORKERS.copy_lock()
    try:
        with copying:
            if tiles is None:
                _by_numpy(plan, target, source)
            elif WORKERS.closed or not _by_kernel(tiles, plan, target, source):
                with count_numpy_time(tiles.kernel):
                    _by_numpy(plan, target, source)
    finally:
        WORKERS.drop_lock(copying)


def _by_kernel(tiles: Tiling, plan: Plan, target: _End, source: _End) -> bool:
    """Copy by the compiled kernel; return False, with nothing copied, if there is none."""
    function = kernel(tiles.kernel, plan.nbytes)
    if function is None:
        return False
    ends = target, source
    into = target.address(plan.target_start + tiles.target_start)
    out_of = source.address(plan.source_start + tiles.source_start)
    WORKERS.share(partial(function, into, out_of, tiles.grid, tiles.matrix), tiles.size, plan.nbytes, ends)
    return True


def _by_numpy(plan: Plan, target: _End, source: _End) -> None:
    into = target.items(plan.target_start, plan, plan.target_strides)
    shared(np.copyto, into, source.items(plan.source_start, plan, plan.source_strides))
