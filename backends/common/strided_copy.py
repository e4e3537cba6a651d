"""Copies between strided operands: NumPy does those that are small or that it does as fast, the kernels the others."""

from functools import lru_cache, partial
from threading import Lock
from time import perf_counter
from typing import NamedTuple

import numpy as np

from accel.abc import Operand, Plan
from accel.dtypes import DType

from . import thresholds
from .blocks import LINE
from .compiled import add_numpy_time, kernel
from .item_offsets import source_offsets, target_offsets
from .loop_order import halves, in_order
from .numpy_copy import Bytes, cast, item_type, shared
from .tiles import Tiling, tiling
from .workers import WORKERS

__all__ = ["Columns", "columns", "copy_strided"]


class Columns(NamedTuple):
    """The loops of a plan, one tuple for each of their numbers, and how much they copy."""

    extents: tuple[int, ...]
    target_strides: tuple[int, ...]
    source_strides: tuple[int, ...]
    size: int
    nbytes: int


@lru_cache(1024)
def columns(plan: Plan) -> Columns:
    """Return the columns of a plan's loops."""
    return Columns(plan.extents, plan.target_strides, plan.source_strides, plan.size, plan.nbytes)


class _End(NamedTuple):
    """One end of a copy: bytes, the byte at which the offsets of a plan begin, and the address of that byte."""

    data: Bytes
    start: int
    address: int


def copy_strided(
    target: Operand,
    into: Bytes,
    source: Operand,
    out_of: Bytes,
    plan: Plan,
    loops: Columns,
    dtypes: tuple[DType, DType],
) -> None:
    """Copy items between operands without swizzle and table.

    If the plan is ``buffered``, the whole source is read before anything is written.

    Raises
    ------
    BoundsError
        If an item lies outside of the bytes; nothing is written.
    """
    extents, target_strides, source_strides, _, nbytes = loops
    try:
        to = np.ndarray(extents, dtypes[0], into, target.start + plan.target_start, target_strides)
        of = np.ndarray(extents, dtypes[1], out_of, source.start + plan.source_start, source_strides)
    except ValueError:
        target_offsets(target, plan, dtypes[0].itemsize).refuse_outside(into.nbytes)
        source_offsets(source, plan, dtypes[1].itemsize).refuse_outside(out_of.nbytes)
        raise
    memmove = plan.kind == "memcpy" and plan.buffered  # NumPy handles the overlap itself, as memmove does
    if nbytes < thresholds.SMALL or memmove or dtypes[0] != dtypes[1]:
        cast(to, of.copy() if plan.buffered and not memmove else of)
        return
    address, origin = into.__array_interface__["data"][0], out_of.__array_interface__["data"][0]
    ends = _End(into, target.start, address + target.start), _End(out_of, source.start, origin + source.start)
    if plan.buffered:
        _all_read_first(plan, *ends)
    else:
        _run(in_order(plan), *ends, nbytes)


def _all_read_first(plan: Plan, target: _End, source: _End) -> None:
    room = np.empty(plan.nbytes, np.uint8)
    between = _End(room, 0, room.__array_interface__["data"][0])
    there, back = halves(plan)
    _run(in_order(there), between, source, plan.nbytes)
    _run(in_order(back), target, between, plan.nbytes)


def _run(plan: Plan, target: _End, source: _End, nbytes: int) -> None:
    """Copy by a kernel, or by NumPy if there is none; the plan's loops are `in_order`, and its bounds are checked."""
    into, out_of = target.address + plan.target_start, source.address + plan.source_start
    tiles = tiling(plan, into % LINE, out_of % LINE)
    copying = Lock()
    WORKERS.callers.add(copying)
    try:
        with copying:
            if tiles is None:
                _by_numpy(plan, target, source)
            elif WORKERS.closed or not _by_kernel(tiles, plan, target, source, nbytes):
                began = perf_counter()
                _by_numpy(plan, target, source)
                add_numpy_time(tiles.kernel, perf_counter() - began)
    finally:
        WORKERS.callers.discard(copying)


def _by_kernel(tiles: Tiling, plan: Plan, target: _End, source: _End, nbytes: int) -> bool:
    """Copy by the compiled kernel; return False, with nothing copied, if there is none."""
    function = kernel(tiles.kernel, nbytes)
    if function is None:
        return False
    into = target.address + plan.target_start + tiles.target_start
    out_of = source.address + plan.source_start + tiles.source_start
    work = partial(function, into, out_of, tiles.address)
    WORKERS.share(work, tiles.size, nbytes, (target, source))
    return True


def _by_numpy(plan: Plan, target: _End, source: _End) -> None:
    extents, target_strides, source_strides, *_ = columns(plan)
    item = item_type(plan.itemsize)
    into = np.ndarray(extents, item, target.data, target.start + plan.target_start, target_strides)
    shared(np.copyto, into, np.ndarray(extents, item, source.data, source.start + plan.source_start, source_strides))
