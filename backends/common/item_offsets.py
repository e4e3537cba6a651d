"""`ItemOffsets`: where the items of one end of a copy lie, and that they are inside of its span; `OffsetLister` lists them."""

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
"""How many items are listed at a time: so many that NumPy's calls do not count, and so few that caches hold them."""

_NUMBERS = np.arange(CHUNK)


class ItemOffsets(NamedTuple):
    """Items by their distances in bytes from where an operand starts in its span.

    Attributes
    ----------
    start : int
        Byte of the span at which the operand starts.
    first : int
        Distance of the first item of the loops.
    extents, strides : tuple of int
        The loops, the slowest first.
    itemsize : int
        Bytes of an item.
    swizzle : Swizzling, optional
        What becomes of a distance.
    table : numpy.ndarray of int64, optional
        The distances in items, instead of loops.
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
        """Whether the loops say all."""
        return self.swizzle is None and self.table is None

    @property
    def loops(self) -> list[tuple[int, int]]:
        """The loops that go anywhere: extents and strides."""
        return [loop for loop in zip(self.extents, self.strides, strict=True) if loop[0] > 1]

    @property
    def unit(self) -> int:
        """The largest part of an item of which every place is a multiple, in bytes."""
        steps = [self.first, *[stride for _, stride in self.loops]] if self.table is None else []
        unit = math.gcd(self.itemsize, self.start, *steps)
        if self.swizzle is None:
            return unit
        mask, shift, offset = self.swizzle
        changed = mask >> shift if shift >= 0 else mask << -shift
        unit = math.gcd(unit, offset, changed & -changed)
        return unit & -unit

    def raw_offsets(self, low: int, high: int) -> OffsetArray:
        """Return the distances of the items from one number to another, before the swizzle; no more than `CHUNK`."""
        return OffsetLister(self, high - low).raw_offsets(low, high)

    def byte_range(self, bound: int | None = None) -> tuple[int, int]:
        """Return the bytes of the span from which and up to which items lie: all whose distance is below a bound.

        Without a swizzle or a bound, these are the closest there are.
        """
        low, high = self._reach()
        if bound is not None:
            high = min(high, bound - 1)
        if self.swizzle is not None:
            mask, shift, offset = self.swizzle
            free = (1 << (mask | (mask >> shift if shift >= 0 else mask << -shift)).bit_length()) - 1
            low, high = (low + offset) & ~free, ((high + offset) | free) // self.unit * self.unit
        return self.start + low, self.start + high + self.itemsize

    def _reach(self) -> tuple[int, int]:
        if self.table is not None:
            return int(self.table.min()) * self.itemsize, int(self.table.max()) * self.itemsize
        steps = [(extent - 1) * stride for extent, stride in zip(self.extents, self.strides, strict=True)]
        return self.first + sum(min(step, 0) for step in steps), self.first + sum(max(step, 0) for step in steps)

    def span_offsets(self, bound: int | None = None) -> Iterator[OffsetArray]:
        """Yield the bytes of the span at which items lie, some at a time: of all whose distance is below a bound."""
        for low, high in chunks(0, self.size):
            lister = OffsetLister(self, high - low)
            distances = lister.raw_offsets(low, high)
            yield lister.span_offsets(distances if bound is None else distances[distances < bound])

    def refuse_outside(self, nbytes: int, bound: int | None = None) -> None:
        """Raise `BoundsError` if an item is not inside of so many bytes; those at a bound or above do not count."""
        if not self.size:
            return
        low, high = self.byte_range(bound)
        if (low < 0 or high > nbytes) and not (self.swizzle is None and bound is None):
            found = [(int(each.min()), int(each.max())) for each in self.span_offsets(bound) if each.size]
            low = min((low for low, _ in found), default=0)
            high = max((high + self.itemsize for _, high in found), default=0)
        if low < 0 or high > nbytes:
            raise BoundsError(
                f"bytes {low} to {high} of a span are asked for, which has {nbytes}; give the operand a span with all "
                f"of its elements, or fewer elements"
            )


class OffsetLister:
    """Lists where items are, some at a time, in memory that it has from the beginning.

    What it returns is valid until it is asked again.

    Parameters
    ----------
    offsets : ItemOffsets
        Of all items.
    count : int
        How many are listed at a time, at most; no more than `CHUNK`.
    """

    __slots__ = ("_found", "_offsets", "_spare", "_steps")

    def __init__(self, offsets: ItemOffsets, count: int) -> None:
        self._offsets = offsets
        self._found, self._steps, self._spare = np.empty((3, count), np.int64)

    def raw_offsets(self, low: int, high: int) -> OffsetArray:
        """Return the distances of the items from one number to another, before the swizzle."""
        offsets, size = self._offsets, high - low
        found, steps, spare = self._found[:size], self._steps[:size], self._spare[:size]
        if offsets.table is not None:
            return np.multiply(offsets.table[low:high], offsets.itemsize, out=found)
        loops = offsets.loops or [(1, 0)]
        extent, stride = loops.pop()
        np.add(_NUMBERS[:size], low, out=steps)
        np.multiply(steps, stride, out=found)
        found += offsets.first
        while loops:
            # All steps of a loop are counted; one of the next loop undoes as many as this one has.
            undone = extent * stride
            steps //= extent
            extent, stride = loops.pop()
            found += np.multiply(steps, stride - undone, out=spare)
        return found

    def span_offsets(self, distances: OffsetArray) -> OffsetArray:
        """Change distances, as they were returned, into the bytes of the span at which those items lie."""
        swizzle = self._offsets.swizzle
        if swizzle is not None:
            distances += swizzle.offset
            taken = np.bitwise_and(distances, swizzle.mask, out=self._spare[: distances.size])
            if swizzle.shift >= 0:
                taken >>= swizzle.shift
            else:
                taken <<= -swizzle.shift
            distances ^= taken
        distances += self._offsets.start
        return distances


def chunks(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of a range of items begin and end, that are small enough to be listed."""
    return ((begin, min(begin + CHUNK, high)) for begin in range(low, high, CHUNK))


def offsets_of(operand: Operand) -> ItemOffsets:
    """Return where all elements of an operand are."""
    return _offsets(operand, 0, operand.extents, operand.strides, operand.dtype.itemsize)


def target_offsets(target: Operand, plan: Plan, itemsize: int) -> ItemOffsets:
    """Return where a plan writes."""
    return _offsets(target, plan.target_start, plan.extents, plan.target_strides, itemsize)


def source_offsets(source: Operand, plan: Plan, itemsize: int) -> ItemOffsets:
    """Return where a plan reads."""
    return _offsets(source, plan.source_start, plan.extents, plan.source_strides, itemsize)


def _offsets(
    operand: Operand, first: int, extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> ItemOffsets:
    return ItemOffsets(operand.start, first, extents, strides, itemsize, operand.swizzle, operand.table)
