"""Copies that loops describe: by NumPy where they are small or it is as good, else by the kernels."""

from functools import lru_cache, partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from accel.abc import Operand, Plan
from accel.dtypes import DType

from . import thresholds
from .compiled import charged, kernel
from .ordered import halves, in_order
from .places import source_places, target_places
from .strided import Bytes, cast, item_type, shared
from .tiles import LINE, Tiling, tiling
from .workers import WORKERS

__all__ = ["Columns", "columns", "copy_loops"]


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
    """Bytes, from which of them a plan counts, and the address of that one."""

    data: Bytes
    start: int
    address: int


def copy_loops(
    target: Operand,
    into: Bytes,
    source: Operand,
    out_of: Bytes,
    plan: Plan,
    loops: Columns,
    dtypes: tuple[DType, DType],
) -> None:
    """Copy items between ends without swizzle and table; those of the source are all read first if the plan says so.

    Raises
    ------
    BoundsError
        If an item is not inside of the bytes; nothing is written.
    """
    extents, steps, origins, _, nbytes = loops
    try:
        to = np.ndarray(extents, dtypes[0], into, target.start + plan.target_start, steps)
        of = np.ndarray(extents, dtypes[1], out_of, source.start + plan.source_start, origins)
    except ValueError:
        target_places(target, plan, dtypes[0].itemsize).refuse_outside(into.nbytes)
        source_places(source, plan, dtypes[1].itemsize).refuse_outside(out_of.nbytes)
        raise
    moved = plan.kind == "memcpy" and plan.buffered  # NumPy does it as memmove does, if it is let
    if nbytes < thresholds.SMALL or moved or dtypes[0] != dtypes[1]:
        cast(to, of.copy() if plan.buffered and not moved else of)
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
    """Copy so many bytes as fast as possible; the plan is in order, and inside of both ends."""
    tiles = tiling(plan, (target.address + plan.target_start) % LINE)
    calling = Lock()
    WORKERS.callers.add(calling)
    try:
        with calling:
            if tiles is None:
                _by_numpy(plan, target, source)
            elif WORKERS.closed or not _by_kernel(tiles, plan, target, source, nbytes):
                with charged(tiles.kernel):
                    _by_numpy(plan, target, source)
    finally:
        WORKERS.callers.discard(calling)


def _by_kernel(tiles: Tiling, plan: Plan, target: _End, source: _End, nbytes: int) -> bool:
    """Tell whether there was a kernel, which then has copied."""
    function = kernel(tiles.kernel, nbytes)
    if function is None:
        return False
    into = target.address + plan.target_start + tiles.target_start
    out_of = source.address + plan.source_start + tiles.source_start
    work = partial(function, into, out_of, tiles.grid, tiles.matrix)
    WORKERS.share(work, tiles.size, nbytes, (target, source))
    return True


def _by_numpy(plan: Plan, target: _End, source: _End) -> None:
    extents, steps, origins, *_ = columns(plan)
    item = item_type(plan.itemsize)
    into = np.ndarray(extents, item, target.data, target.start + plan.target_start, steps)
    shared(np.copyto, into, np.ndarray(extents, item, source.data, source.start + plan.source_start, origins))
