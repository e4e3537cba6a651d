"""Blocks: totals along an axis that is not the last one, for neighbours, which vectors compute together."""

from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.fusion.loops import ONE, ZERO, Nest, Steps, Total, parallel, serial
from accel.ir import (
    INDEX,
    TRUTH,
    Array,
    Assign,
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    For,
    Load,
    Local,
    Select,
    Stmt,
    Store,
    of_type,
)

__all__ = ["in_blocks"]

_BLOCK = 512
"""Elements side by side, in a block."""

_CASCADE = 128
"""Rows of which a block has a sum of its own."""


def in_blocks(nest: Nest) -> Steps:
    """Return a loop over blocks of the last axis, which is kept; totals are in local arrays."""
    first = Local("first", INDEX)
    block = _Block(nest.indices[-1], first, _least(_plus(first, _BLOCK), nest.extents[-1]))
    sums = [_Totals(f"sum{number}", each, _stored(each, nest)) for number, each in enumerate(nest.totals)]
    parts = [each._replace(name=f"part{number}") for number, each in enumerate(sums)]
    *outer, last = nest.axes(reduced=True)
    row = Local("row", INDEX)
    of_rows = For(
        nest.indices[last],
        row,
        _least(_plus(row, _CASCADE), nest.extents[last]),
        ONE,
        (block.loop(*nest.body, *[each.taken(block, each.total.value) for each in parts]),),
    )
    joined = [one.joined(block, other) for one, other in zip(sums, parts, strict=True)]
    body = block.loop(*[each.cleared(block) for each in parts]), of_rows, block.loop(*chain(*joined))
    nested: Stmt = For(row, ZERO, nest.extents[last], Const(_CASCADE, INDEX), body)
    for axis in reversed(outer):
        nested = serial(nest, axis, (nested,))
    errors = [each.errors for each in sums if each.is_sum_of_floats]
    begin = block.loop(*[each.cleared(block) for each in (*sums, *errors)])
    end = block.loop(*[each.total.store(each.result(block)) for each in sums])
    loop = parallel(nest, nest.axes(reduced=False)[:-1], (begin, nested, end))
    blocks = loop._replace(
        indices=(*loop.indices, first),
        starts=(*loop.starts, ZERO),
        stops=(*loop.stops, nest.extents[-1]),
        steps=(*loop.steps, Const(_BLOCK, INDEX)),
    )
    arrays = [Array(each.name, each.dtype, _BLOCK, "local") for each in (*sums, *parts, *errors)]
    return Steps((blocks,), arrays=tuple(arrays))


class _Block(NamedTuple):
    """Neighbours along the last axis, from a first one up to an end."""

    variable: Local
    first: Local
    end: Expr

    def loop(self, *body: Stmt) -> For:
        """Return the loop over them."""
        return For(self.variable, self.first, self.end, ONE, body, independent=True)

    @property
    def place(self) -> Expr:
        """The index within the block."""
        return Binary("sub", self.variable, self.first, INDEX)


class _Totals(NamedTuple):
    """A local array with the totals of a block, of a dtype."""

    name: str
    total: Total
    dtype: DType

    def element(self, block: _Block) -> Expr:
        """Return the total at an index."""
        return _cast(Load(self.name, block.place, self.dtype), self.total.dtype)

    def cleared(self, block: _Block) -> Store:
        """Return the statement that begins a total."""
        return self._set(block, self.total.neutral)

    def taken(self, block: _Block, value: Expr) -> Store:
        """Return the statement that combines a total with a value."""
        return self._set(block, self.total.combined(self.element(block), value))

    @property
    def is_sum_of_floats(self) -> bool:
        """Whether rounding errors are added up beside the totals."""
        return self.total.op == "add" and self.dtype.kind == "f"

    @property
    def errors(self) -> "_Totals":
        """The array with the rounding errors."""
        return self._replace(name=f"{self.name}_error")

    def joined(self, block: _Block, parts: "_Totals") -> list[Stmt]:
        """Return the statements that combine totals with those of a part."""
        if not self.is_sum_of_floats:
            return [self.taken(block, parts.element(block))]
        before, part, total, rounded = (Local(f"{self.name}_{name}", self.dtype) for name in "bptr")

        def computed(op: Literal["add", "sub"], x: Expr, y: Expr) -> Binary:
            return Binary(op, x, y, self.dtype)

        error = computed(  # exact; Knuth
            "add",
            computed("sub", before, computed("sub", total, rounded)),
            computed("sub", part, rounded),
        )
        return [
            Assign(before, self.element(block)),
            Assign(part, parts.element(block)),
            Assign(total, computed("add", before, part)),
            Assign(rounded, computed("sub", total, before)),
            self._set(block, total),
            self.errors.taken(block, error),
        ]

    def result(self, block: _Block) -> Expr:
        """Return the total; infinite sums have errors that are NaN."""
        total = self.element(block)
        if not self.is_sum_of_floats:
            return total
        error = self.errors.element(block)
        return Select(Compare("eq", error, error), Binary("add", total, error, self.dtype), total, self.dtype)

    def _set(self, block: _Block, value: Expr) -> Store:
        return Store(self.name, block.place, _cast(value, self.dtype))


def _stored(total: Total, nest: Nest) -> DType:
    """Return the dtype of totals in memory: vectors combine truth values that are as wide as what they compare."""
    if total.dtype != TRUTH:
        return total.dtype
    widths = [x.value.dtype.itemsize for x in nest.body if isinstance(x, Assign) and isinstance(x.value, Load)]
    return np.dtype(np.int64 if 8 in widths else np.int32)


def _cast(value: Expr, dtype: DType) -> Expr:
    return value if of_type(value) == dtype else Cast(value, dtype)


def _plus(x: Expr, number: int) -> Expr:
    return Binary("add", x, Const(number, INDEX), INDEX)


def _least(x: Expr, y: Expr) -> Binary:
    return Binary("min", x, y, INDEX)
