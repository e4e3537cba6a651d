"""Where the items of a planned copy lie, as the host sees it: how far they reach, and at which distance each one is.

Distances are in bytes from an operand's start.
"""

from typing import Any, NamedTuple

import numpy as np

from accel.abc import Operand, Plan, Span

__all__ = ["ByteRange", "CopyEnd", "bytes_of", "packed"]

_Array = np.ndarray[Any, np.dtype[Any]]


class ByteRange(NamedTuple):
    """The distances from the lowest byte that is touched to behind the highest."""

    low: int
    high: int

    @property
    def nbytes(self) -> int:
        """How many bytes there are between them."""
        return self.high - self.low


class CopyEnd(NamedTuple):
    """One end of a planned copy.

    Attributes
    ----------
    operand : Operand
        Its elements.
    start : int
        Distance of the first item of the loops.
    strides : tuple of int
        How far the step of each loop goes.
    plan : Plan
        The copy.
    """

    operand: Operand
    start: int
    strides: tuple[int, ...]
    plan: Plan

    @classmethod
    def target(cls, operand: Operand, plan: Plan) -> "CopyEnd":
        """Return the end that is written."""
        return cls(operand, plan.target_start, plan.target_strides, plan)

    @classmethod
    def source(cls, operand: Operand, plan: Plan) -> "CopyEnd":
        """Return the end that is read."""
        return cls(operand, plan.source_start, plan.source_strides, plan)

    @property
    def byte_range(self) -> ByteRange:
        """How far the items reach, or may reach; never out of the span."""
        operand = self.operand
        low, high = -operand.start, operand.span.nbytes - operand.start
        if operand.swizzle is not None:
            return ByteRange(low, high)
        first, last = self._extremes()
        first = max(low, first)
        return ByteRange(first, max(first, min(high, last + self.plan.itemsize)))

    def _extremes(self) -> tuple[int, int]:
        """Return the least and the greatest distance of an item."""
        table = self.operand.table
        if table is not None:
            size = self.plan.itemsize
            return int(table.min()) * size, int(table.max()) * size
        ends = [(leaf - 1) * stride for leaf, stride in zip(self.plan.extents, self.strides, strict=True)]
        return self.start + sum(end for end in ends if end < 0), self.start + sum(end for end in ends if end > 0)

    def distances(self) -> _Array:
        """Return the distance of each item before the swizzle, in the order of the loops."""
        if self.operand.table is not None:
            return self.operand.table * self.plan.itemsize
        found = np.full((), self.start, np.int64)
        for extent, stride in zip(self.plan.extents, self.strides, strict=True):
            found = found[..., None] + np.arange(extent) * stride
        return found.reshape(-1)

    def places(self) -> _Array:
        """Return the distance of each item, in the order of the loops."""
        distances = self.distances()
        return distances if self.operand.swizzle is None else self.operand.swizzle(distances)


def packed(plan: Plan) -> Plan:
    """Return the plan that copies the same items to lie side by side, in the order of the loops, at a start of 0."""
    leaves, step = [], plan.itemsize
    for leaf in reversed(plan.leaves):
        leaves.append(leaf._replace(target_stride=step))
        step *= leaf.extent
    # Rows are as long as before; whatever else there is, is now aligned as items are.
    widest = plan.vector if plan.kind == "rows" else min(plan.vector, plan.itemsize & -plan.itemsize)
    return plan._replace(leaves=tuple(reversed(leaves)), target_start=0, vector=widest, buffered=False)


def bytes_of(span: Span) -> _Array:
    """Return the bytes of a span of the host."""
    found: _Array = span.block.native[span.start : span.start + span.nbytes]
    return found
