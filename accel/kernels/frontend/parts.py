"""Parts of buffers with one axis: slices, which are clipped, and sub-views, which debug mode checks."""

import ast
from dataclasses import replace
from functools import reduce

from accel.ir import INDEX, Check, Compare, Expr, Guard, Logic, Select
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import Buffer, Memory, text_of

__all__ = ["checked_part", "sliced"]

_ZERO = indexing.number(0)


def checked_part(act: Activation, node: ast.AST, parent: Buffer, offset: Expr, size: Expr | None) -> Buffer:
    """Return a part of a buffer with one axis; debug mode checks that it lies in the buffer."""
    whole = parent.extents[0]
    start = act.unit.temporary(offset)
    count = indexing.minus(whole, start) if size is None else act.unit.temporary(size)
    if act.unit.debug:
        act.unit.block.append(Check(_guard_of_part(act, node, parent, start, count)))
        start = act.unit.temporary(indexing.between(start, _ZERO, whole))
        count = act.unit.temporary(indexing.between(count, _ZERO, indexing.minus(whole, start)))
    return _part(act, parent, start, count)


def _guard_of_part(act: Activation, node: ast.AST, parent: Buffer, start: Expr, count: Expr) -> Guard:
    """Return the guard of a part; if it fails, its offset and its index say where the part begins, and its size.

    `accel.kernels.failures` reads them: the index is 0 if the part is inside, else the size, if that is not negative
    beyond the extent.
    """
    whole = parent.extents[0]
    past = indexing.plus(whole, indexing.number(1))
    inside = reduce(
        lambda x, y: Logic("and", x, y),
        [
            indexing.within(start, past),
            Compare("ge", count, _ZERO),
            Compare("le", count, indexing.minus(whole, start)),
        ],
    )
    size = Select(Compare("ge", count, _ZERO), indexing.plus(count, past), count, INDEX)
    site = act.site(node, "subview" if parent.offset == _ZERO else "nested subview", parent.memory)
    return Guard(site, (Select(inside, _ZERO, size, INDEX),), (past,), start)


def sliced(act: Activation, node: ast.AST, parent: Memory, start: Expr | None, stop: Expr | None) -> Buffer:
    """Return the part between two bounds, clipped as in Python."""
    if not isinstance(parent, Buffer) or parent.rank != 1:
        raise act.error(node, f"a slice is taken of memory with one axis; {text_of(parent)} has {parent.rank}")
    whole = parent.extents[0]
    first = act.unit.temporary(_ZERO if start is None else indexing.clipped(start, whole))
    last = whole if stop is None else indexing.clipped(stop, whole)
    size = indexing.most(indexing.minus(last, first), _ZERO) if start is not None else last
    return _part(act, parent, first, act.unit.temporary(size))


def _part(act: Activation, parent: Buffer, start: Expr, size: Expr) -> Buffer:
    step = indexing.times(start, parent.strides[0])
    offset = act.unit.temporary(indexing.plus(parent.offset, step))
    return replace(parent, kind="BufferView", offset=offset, extents=(size,))
