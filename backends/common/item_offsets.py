"""`ItemOffsets`: the byte offsets of the items at one end of a copy, and the check that they lie inside of its span."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from accel.abc import OffsetTable, Operand, Plan, Swizzling
from accel.errors import BoundsError

__all__ = [
    "CHUNK",
    "ItemOffsets",
    "OffsetArray",
    "OffsetLister",
    "chunks",
    "offsets_of",
    "source_offsets",
    "target_offsets",
]

OffsetArray = np.ndarray[Any, np.dtype[np.int64]]

CHUNK = 1 << 13
"""How many items are listed at a time: enough to hide the cost of NumPy's calls, and few enough to stay in cache."""

_NUMBERS = np.arange(CHUNK)


class ItemOffsets(NamedTuple):
    """The offsets of all items at one end of a copy.

    A raw offset is in bytes from the operand's start, before the swizzle; a span offset is in bytes from the start of
    the span, after the swizzle.

    Attributes
    ----------
    start : int
        Byte of the span at which the operand starts.
    first : int
        Raw offset of the first item of the loops.
    extents, strides : tuple of int
        The loops, the slowest first; strides in bytes.
    itemsize : int
        Bytes of an item.
    swizzle : Swizzling, optional
        The change of raw offsets, if any.
    table : numpy.ndarray of int64, optional
        The raw offsets in items; it replaces the loops.
    """

    start: int
    first: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    swizzle: Swizzling | None = None
    table: OffsetTable | None = None

    @property
    def size(self) -> int:
        """Number of items."""
        return math.prod(self.extents) if self.table is None else self.table.size

    @property
    def strided(self) -> bool:
        """Whether there is no swizzle and no table."""
        return self.swizzle is None and self.table is None

    @property
    def loops(self) -> list[tuple[int, int]]:
        """Extent and stride of each loop with more than one step."""
        return [loop for loop in zip(self.extents, self.strides, strict=True) if loop[0] > 1]

    @property
    def unit(self) -> int:
        """The largest number of bytes that divides the size of an item and every offset."""
        steps = [self.first, *[stride for _, stride in self.loops]] if self.table is None else []
        unit = math.gcd(self.itemsize, self.start, *steps)
        if self.swizzle is None:
            return unit
        mask, shift, offset = self.swizzle
        changed = mask >> shift if shift >= 0 else mask << -shift
        unit = math.gcd(unit, offset, changed & -changed)
        return unit & -unit

    def raw_offsets(self, low: int, high: int) -> OffsetArray:
        """Return the raw offsets of the items ``low`` to ``high``, at most `CHUNK` of them."""
        return OffsetLister(self, high - low).raw_offsets(low, high)

    def byte_range(self, bound: int | None = None) -> tuple[int, int]:
        """Return begin and end, as span offsets, of a range that holds all items with raw offsets below a bound.

        Without a swizzle or a bound it is the smallest such range.
        """
        low, high = self._extremes()
        if bound is not None:
            high = min(high, bound - 1)
        if self.swizzle is not None:
            mask, shift, offset = self.swizzle
            free = (1 << (mask | (mask >> shift if shift >= 0 else mask << -shift)).bit_length()) - 1
            low, high = (low + offset) & ~free, ((high + offset) | free) // self.unit * self.unit
        return self.start + low, self.start + high + self.itemsize

    def _extremes(self) -> tuple[int, int]:
        """Return the least and the greatest raw offset."""
        if self.table is not None:
            return int(self.table.min()) * self.itemsize, int(self.table.max()) * self.itemsize
        low = high = self.first
        for extent, stride in zip(self.extents, self.strides, strict=True):
            if stride < 0:
                low += (extent - 1) * stride
            else:
                high += (extent - 1) * stride
        return low, high

    def span_offsets(self, bound: int | None = None) -> Iterator[OffsetArray]:
        """Yield the span offsets of the items with raw offsets below a bound, in chunks."""
        for low, high in chunks(0, self.size):
            lister = OffsetLister(self, high - low)
            raw = lister.raw_offsets(low, high)
            yield lister.span_offsets(raw if bound is None else raw[raw < bound])

    def refuse_outside(self, nbytes: int, bound: int | None = None) -> None:
        """Raise `BoundsError` if an item lies outside of a span of ``nbytes``; only raw offsets below a bound count."""
        if not self.size:
            return
        low, high = self.byte_range(bound)
        if (low < 0 or high > nbytes) and not (self.swizzle is None and bound is None):
            ranges = [(int(chunk.min()), int(chunk.max())) for chunk in self.span_offsets(bound) if chunk.size]
            low = min((low for low, _ in ranges), default=0)
            high = max((high + self.itemsize for _, high in ranges), default=0)
        if low < 0 or high > nbytes:
            raise BoundsError(
                f"bytes {low} to {high} were asked for of a span of {nbytes} bytes; give the operand a span with all "
                f"of its elements, or fewer elements"
            )


class OffsetLister:
    """Computes the offsets of items, chunk by chunk, in buffers that it allocates once.

    An array that it returns is valid until the next call.

    Parameters
    ----------
    items : ItemOffsets
        The offsets of all items.
    count : int
        The most items of a chunk; at most `CHUNK`.
    """

    __slots__ = ("_items", "_raw", "_spare", "_steps")

    def __init__(self, items: ItemOffsets, count: int) -> None:
        self._items = items
        self._raw, self._steps, self._spare = np.empty((3, count), np.int64)

    def raw_offsets(self, low: int, high: int) -> OffsetArray:
        """Return the raw offsets of the items ``low`` to ``high``."""
        items, size = self._items, high - low
        raw, steps, spare = self._raw[:size], self._steps[:size], self._spare[:size]
        if items.table is not None:
            return np.multiply(items.table[low:high], items.itemsize, out=raw)
        loops = items.loops or [(1, 0)]
        extent, stride = loops.pop()
        np.add(_NUMBERS[:size], low, out=steps)
        np.multiply(steps, stride, out=raw)
        raw += items.first
        while loops:
            # The inner counter was not reduced modulo its extent: each outer step subtracts what it counted too much.
            overcounted = extent * stride
            steps //= extent
            extent, stride = loops.pop()
            raw += np.multiply(steps, stride - overcounted, out=spare)
        return raw

    def span_offsets(self, raw: OffsetArray) -> OffsetArray:
        """Turn raw offsets into span offsets, in place."""
        swizzle = self._items.swizzle
        if swizzle is not None:
            raw += swizzle.offset
            bits = np.bitwise_and(raw, swizzle.mask, out=self._spare[: raw.size])
            if swizzle.shift >= 0:
                bits >>= swizzle.shift
            else:
                bits <<= -swizzle.shift
            raw ^= bits
        raw += self._items.start
        return raw


def chunks(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the chunks of a range of items, each of at most `CHUNK` items."""
    return ((begin, min(begin + CHUNK, high)) for begin in range(low, high, CHUNK))


def offsets_of(operand: Operand) -> ItemOffsets:
    """Return the offsets of all elements of an operand."""
    return _offsets(operand, 0, operand.extents, operand.strides, operand.dtype.itemsize)


def target_offsets(target: Operand, plan: Plan, itemsize: int) -> ItemOffsets:
    """Return the offsets of the items that a plan writes."""
    return _offsets(target, plan.target_start, plan.extents, plan.target_strides, itemsize)


def source_offsets(source: Operand, plan: Plan, itemsize: int) -> ItemOffsets:
    """Return the offsets of the items that a plan reads."""
    return _offsets(source, plan.source_start, plan.extents, plan.source_strides, itemsize)


def _offsets(
    operand: Operand, first: int, extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> ItemOffsets:
    return ItemOffsets(operand.start, first, extents, strides, itemsize, operand.swizzle, operand.table)
