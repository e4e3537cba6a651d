"""`CopyEnd`: the offsets of the items at one end of a planned copy, computed on the host.

Offsets are in bytes from the operand's start; a raw offset is one before the swizzle.
"""

from typing import Any, NamedTuple

import numpy as np

from accel.abc import Operand, Plan, Span

__all__ = ["ByteRange", "CopyEnd", "bytes_of", "packed"]

_Array = np.ndarray[Any, np.dtype[Any]]


class ByteRange(NamedTuple):
    """The range of offsets that contains all bytes a copy accesses; ``high`` is exclusive."""

    low: int
    high: int

    @property
    def nbytes(self) -> int:
        """Size of the range in bytes."""
        return self.high - self.low


class CopyEnd(NamedTuple):
    """One end of a planned copy.

    Attributes
    ----------
    operand : Operand
        The elements.
    start : int
        Raw offset of the first item of the loops.
    strides : tuple of int
        Stride of each loop in bytes.
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
        """A range that contains all items, within the span; the smallest one unless there is a swizzle."""
        operand = self.operand
        low, high = -operand.start, operand.span.nbytes - operand.start
        if operand.swizzle is not None:
            return ByteRange(low, high)
        first, last = self._extremes()
        first = max(low, first)
        return ByteRange(first, max(first, min(high, last + self.plan.itemsize)))

    def _extremes(self) -> tuple[int, int]:
        """Return the least and the greatest raw offset of an item."""
        table = self.operand.table
        if table is not None:
            size = self.plan.itemsize
            return int(table.min()) * size, int(table.max()) * size
        ends = [(leaf - 1) * stride for leaf, stride in zip(self.plan.extents, self.strides, strict=True)]
        return self.start + sum(end for end in ends if end < 0), self.start + sum(end for end in ends if end > 0)

    def raw_offsets(self) -> _Array:
        """Return the raw offset of each item, in the order of the loops."""
        if self.operand.table is not None:
            return self.operand.table * self.plan.itemsize
        offsets = np.full((), self.start, np.int64)
        for extent, stride in zip(self.plan.extents, self.strides, strict=True):
            offsets = offsets[..., None] + np.arange(extent) * stride
        return offsets.reshape(-1)

    def offsets(self) -> _Array:
        """Return the offset of each item, in the order of the loops."""
        raw = self.raw_offsets()
        return raw if self.operand.swizzle is None else self.operand.swizzle(raw)


def packed(plan: Plan) -> Plan:
    """Return the plan that copies the same items to contiguous memory, in the order of the loops, from offset 0."""
    leaves, step = [], plan.itemsize
    for leaf in reversed(plan.leaves):
        leaves.append(leaf._replace(target_stride=step))
        step *= leaf.extent
    # Contiguous rows keep their vector width; other items are now only aligned to their size.
    widest = plan.vector if plan.kind == "rows" else min(plan.vector, plan.itemsize & -plan.itemsize)
    return plan._replace(leaves=tuple(reversed(leaves)), target_start=0, vector=widest, buffered=False)


def bytes_of(span: Span) -> _Array:
    """Return the bytes of a span of host memory."""
    data: _Array = span.block.native[span.start : span.start + span.nbytes]
    return data
