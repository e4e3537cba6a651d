"""Copies that loops describe: by NumPy where they are small or it is as good, else by the kernels."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.memory import Operand, Plan

from .compiled import charged, kernel
from .ordered import halves, in_order
from .places import source_places, target_places
from .strided import Array, Bytes, cast, item_type, shared
from .tiles import LINE, Tiling, tiling
from .workers import WORKERS

__all__ = ["copy_loops"]

# Below this, all that a kernel needs takes longer than what it saves.
_SMALL = 1 << 15


class _End(NamedTuple):
    """Bytes, and that from which a plan counts."""

    data: Bytes
    start: int

    def items(self, first: int, plan: Plan, strides: tuple[int, ...]) -> Array:
        return np.ndarray(plan.extents, item_type(plan.itemsize), self.data, self.start + first, strides)

    def address(self, first: int) -> int:
        return int(self.data.__array_interface__["data"][0]) + self.start + first


def copy_loops(
    target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan, dtypes: tuple[DType, DType]
) -> None:
    """Copy items between ends without swizzle and table; those of the source are all read first if the plan says so.

    Raises
    ------
    BoundsError
        If an item is not inside of the bytes; nothing is written.
    """
    extents, steps, origins = _columns(plan)
    try:
        to = np.ndarray(extents, dtypes[0], into, target.start + plan.target_start, steps)
        of = np.ndarray(extents, dtypes[1], out_of, source.start + plan.source_start, origins)
    except ValueError:
        target_places(target, plan, dtypes[0].itemsize).refuse_outside(into.nbytes)
        source_places(source, plan, dtypes[1].itemsize).refuse_outside(out_of.nbytes)
        raise
    moved = plan.kind == "memcpy" and plan.buffered  # NumPy does it as memmove does, if it is let
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
    """Copy as fast as may be; the plan is in order, and right."""
    found = tiling(plan, target.address(plan.target_start) % LINE)
    calling = WORKERS.calling()
    try:
        with calling:
            if found is None:
                _by_numpy(plan, target, source)
            elif WORKERS.closed or not _by_kernel(found, plan, target, source):
                with charged(found.kernel):
                    _by_numpy(plan, target, source)
    finally:
        WORKERS.left(calling)


def _by_kernel(found: Tiling, plan: Plan, target: _End, source: _End) -> bool:
    """Tell whether a kernel was there, and copied."""
    function = kernel(found.kernel, plan.nbytes)
    if function is None:
        return False
    ends = target, source
    into = target.address(plan.target_start + found.target_start)
    out_of = source.address(plan.source_start + found.source_start)
    WORKERS.share(partial(function, into, out_of, found.grid, found.matrix), found.size, plan.nbytes, ends)
    return True


def _by_numpy(plan: Plan, target: _End, source: _End) -> None:
    into = target.items(plan.target_start, plan, plan.target_strides)
    shared(np.copyto, into, source.items(plan.source_start, plan, plan.source_strides))
