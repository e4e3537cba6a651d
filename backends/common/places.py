"""`Places`: where the items of one end of a copy lie, and that they are inside of its span."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from accel.errors import BoundsError
from accel.memory import Operand, Plan, Swizzling, Table

__all__ = ["Places", "Positions", "chunks", "places_of", "source_places", "target_places"]

Positions = np.ndarray[Any, np.dtype[np.int64]]

_CHUNK = 1 << 14


class Places(NamedTuple):
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
    table: Table | None = None

    @property
    def size(self) -> int:
        """Number of items."""
        return math.prod(self.extents) if self.table is None else self.table.size

    @property
    def plain(self) -> bool:
        """Whether the loops say all."""
        return self.swizzle is None and self.table is None

    def distances(self, low: int, high: int) -> Positions:
        """Return the distances of the items from one number to another, before the swizzle."""
        if self.table is not None:
            return np.asarray(self.table[low:high] * self.itemsize)
        rest = np.arange(low, high)
        found = np.full(high - low, self.first)
        for extent, stride in zip(reversed(self.extents), reversed(self.strides), strict=True):
            rest, step = np.divmod(rest, extent)
            found += step * stride
        return found

    def of(self, distances: Positions) -> Positions:
        """Return the bytes of the span at which items of some distances lie."""
        swizzled = distances if self.swizzle is None else self.swizzle(distances)
        return np.asarray(swizzled + self.start)

    def hull(self, bound: int | None = None) -> tuple[int, int]:
        """Return the bytes of the span from which and up to which items lie: all whose distance is below a bound.

        Without a swizzle or a bound, these are the closest there are.
        """
        low, high = self._reach()
        if bound is not None:
            high = min(high, bound - 1)
        if self.swizzle is not None:
            mask, shift, offset = self.swizzle
            free = (1 << (mask | (mask >> shift if shift >= 0 else mask << -shift)).bit_length()) - 1
            low, high = (low + offset) & ~free, (high + offset) | free
        return self.start + low, self.start + high + self.itemsize

    def _reach(self) -> tuple[int, int]:
        if self.table is not None:
            return int(self.table.min()) * self.itemsize, int(self.table.max()) * self.itemsize
        steps = [(extent - 1) * stride for extent, stride in zip(self.extents, self.strides, strict=True)]
        return self.first + sum(min(step, 0) for step in steps), self.first + sum(max(step, 0) for step in steps)

    def positions(self, bound: int | None = None) -> Iterator[Positions]:
        """Yield the bytes of the span at which items lie, some at a time: of all whose distance is below a bound."""
        for low, high in chunks(0, self.size):
            distances = self.distances(low, high)
            yield self.of(distances if bound is None else distances[distances < bound])

    def refuse_outside(self, nbytes: int, bound: int | None = None) -> None:
        """Raise `BoundsError` if an item is not inside of so many bytes; those at a bound or above do not count."""
        if not self.size:
            return
        low, high = self.hull(bound)
        if (low < 0 or high > nbytes) and not (self.swizzle is None and bound is None):
            found = [(int(each.min()), int(each.max())) for each in self.positions(bound) if each.size]
            low = min((low for low, _ in found), default=0)
            high = max((high + self.itemsize for _, high in found), default=0)
        if low < 0 or high > nbytes:
            raise BoundsError(
                f"bytes {low} to {high} of a span are asked for, which has {nbytes}; give the operand a span with all "
                f"of its elements, or fewer elements"
            )


def chunks(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of a range of items begin and end, that are small enough to be listed."""
    return ((begin, min(begin + _CHUNK, high)) for begin in range(low, high, _CHUNK))


def places_of(operand: Operand) -> Places:
    """Return where all elements of an operand are."""
    return _places(operand, 0, operand.extents, operand.strides, operand.dtype.itemsize)


def target_places(target: Operand, plan: Plan, itemsize: int) -> Places:
    """Return where a plan writes."""
    return _places(target, plan.target_start, plan.extents, plan.target_strides, itemsize)


def source_places(source: Operand, plan: Plan, itemsize: int) -> Places:
    """Return where a plan reads."""
    return _places(source, plan.source_start, plan.extents, plan.source_strides, itemsize)


def _places(operand: Operand, first: int, extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Places:
    return Places(operand.start, first, extents, strides, itemsize, operand.swizzle, operand.table)
