"""Blocks: totals along an axis that is not the last one, for neighbours, which vectors compute together."""

from collections.abc import Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.fusion.loops import ONE, ZERO, Nest, Steps, Total, combined_quickly, parallel, serial
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
    Loop,
    Select,
    Stmt,
    Store,
    of_type,
)

__all__ = ["BLOCK", "Block", "in_blocks", "over_blocks"]

BLOCK = 512
"""Elements side by side, in a block."""

_AT_ONCE = 4
"""Rows that are combined at once, if an element has few statements."""

_SHORT = 4

_CASCADE = 128
"""Rows of which a block has a sum of its own."""


def in_blocks(nest: Nest) -> Steps:
    """Return a loop over blocks of the last axis, which is kept; totals are in local arrays."""
    block = Block.of(nest)
    sums = [_Totals(f"sum{number}", each, _stored(each, nest)) for number, each in enumerate(nest.totals)]
    parts = [each._replace(name=f"part{number}") for number, each in enumerate(sums)]
    *outer, last = nest.axes(reduced=True)
    row = Local("row", INDEX)
    element = *nest.body, *chain(*[each.taken(block, each.total.value) for each in parts])
    end_of_rows = _least(_plus(row, _CASCADE), nest.extents[last])
    of_rows = _rows(nest.indices[last], row, end_of_rows, block, element)
    joined = [one.joined(block, other) for one, other in zip(sums, parts, strict=True)]
    body = block.loop(*[each.cleared(block) for each in parts]), *of_rows, block.loop(*chain(*joined))
    nested: Stmt = For(row, ZERO, nest.extents[last], Const(_CASCADE, INDEX), body)
    for axis in reversed(outer):
        nested = serial(nest, axis, (nested,))
    errors = [each.errors for each in sums if each.is_sum_of_floats]
    begin = block.loop(*[each.cleared(block) for each in (*sums, *errors)])
    end = block.loop(*[each.total.store(each.result(block)) for each in sums])
    arrays = [Array(each.name, each.dtype, BLOCK, "local") for each in (*sums, *parts, *errors)]
    loop = over_blocks(nest, nest.axes(reduced=False)[:-1], block, (begin, nested, end))
    return Steps((loop,), arrays=tuple(arrays))


def _rows(index: Local, first: Local, end: Expr, block: "Block", element: Sequence[Stmt]) -> list[Stmt]:
    """Return the loops over rows of a block; where that is short, four rows at a time, which load totals once."""
    if len(element) > _SHORT:
        return [For(index, first, end, ONE, (block.loop(*element),))]
    several, rest = Local("several", INDEX), Local("rest", INDEX)
    rows = [statement for number in range(_AT_ONCE) for statement in (Assign(index, _plus(several, number)), *element)]
    whole = Binary("sub", end, Binary("mod", Binary("sub", end, first, INDEX), Const(_AT_ONCE, INDEX), INDEX), INDEX)
    return [
        Assign(rest, whole),
        For(several, first, rest, Const(_AT_ONCE, INDEX), (block.loop(*rows),)),
        For(index, rest, end, ONE, (block.loop(*element),)),
    ]


def over_blocks(nest: Nest, axes: Sequence[int], block: "Block", body: Sequence[Stmt]) -> Loop:
    """Return the parallel loop over some axes, and over the blocks of the last one."""
    loop = parallel(nest, axes, body)
    return loop._replace(
        indices=(*loop.indices, block.first),
        starts=(*loop.starts, ZERO),
        stops=(*loop.stops, nest.extents[-1]),
        steps=(*loop.steps, Const(BLOCK, INDEX)),
    )


class Block(NamedTuple):
    """Neighbours along the last axis, from a first one up to an end."""

    variable: Local
    first: Local
    end: Expr

    @classmethod
    def of(cls, nest: Nest) -> "Block":
        """Return a block of a nest."""
        first = Local("first", INDEX)
        return cls(nest.indices[-1], first, _least(_plus(first, BLOCK), nest.extents[-1]))

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

    def element(self, block: Block) -> Expr:
        """Return the total at an index."""
        return Load(self.name, block.place, self.dtype)

    def cleared(self, block: Block) -> Store:
        """Return the statement that begins a total."""
        return Store(self.name, block.place, _cast(self.total.neutral, self.dtype))

    def taken(self, block: Block, value: Expr) -> list[Stmt]:
        """Return the statements that combine a total with a value."""
        before, op, dtype = Local(f"{self.name}_before", self.dtype), self.total.op, self.dtype
        if dtype == self.total.dtype:
            combined = combined_quickly(op, before, value, dtype)
        elif op == "max":
            combined = Select(value, Const(1, dtype), before, dtype)
        else:
            combined = Select(value, before, Const(0, dtype), dtype)
        return [Assign(before, self.element(block)), Store(self.name, block.place, combined)]

    @property
    def is_sum_of_floats(self) -> bool:
        """Whether rounding errors are added up beside the totals."""
        return self.total.op == "add" and self.dtype.kind == "f"

    @property
    def errors(self) -> "_Totals":
        """The array with the rounding errors."""
        return self._replace(name=f"{self.name}_error")

    def joined(self, block: Block, parts: "_Totals") -> list[Stmt]:
        """Return the statements that combine totals with those of a part."""
        if not self.is_sum_of_floats:
            part = Local(f"{self.name}_part", self.total.dtype)
            return [Assign(part, _cast(parts.element(block), self.total.dtype)), *self.taken(block, part)]
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
            Store(self.name, block.place, total),
            *self.errors.taken(block, error),
        ]

    def result(self, block: Block) -> Expr:
        """Return the total; infinite sums have errors that are NaN."""
        total = self.element(block)
        if not self.is_sum_of_floats:
            return _cast(total, self.total.dtype)
        error = self.errors.element(block)
        return Select(Compare("eq", error, error), Binary("add", total, error, self.dtype), total, self.dtype)


def _stored(total: Total, nest: Nest) -> DType:
    """Return the dtype of totals in memory: vectors combine truth values that are as wide as what they compare."""
    if total.dtype != TRUTH:
        return total.dtype
    widths = [x.value.dtype.itemsize for x in nest.body if isinstance(x, Assign) and isinstance(x.value, Load)]
    return np.dtype(f"uint{min(8 * max(widths, default=1), 64)}")


def _cast(value: Expr, dtype: DType) -> Expr:
    return value if of_type(value) == dtype else Cast(value, dtype)


def _plus(x: Expr, number: int) -> Expr:
    return Binary("add", x, Const(number, INDEX), INDEX)


def _least(x: Expr, y: Expr) -> Binary:
    return Binary("min", x, y, INDEX)
