"""`BoxIndex`: the boxes that may overlap another, among many boxes of one root."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from operator import itemgetter
from statistics import median_low
from typing import Generic, TypeVar

from accel.store.boxes import Box

__all__ = ["BoxIndex"]

_Item = TypeVar("_Item")
_low = itemgetter(0)


class BoxIndex(Generic[_Item]):
    """Items with boxes, sorted along the axis in which most of the boxes differ.

    Parameters
    ----------
    boxes : sequence of Box
        Boxes like those that will be added: they choose the axis.
    """

    def __init__(self, boxes: Sequence[Box]) -> None:
        axes = range(len(boxes[0]))
        self._axis = max(axes, key=lambda axis: len({box[axis][0] for box in boxes}), default=-1)
        # Items longer than usual would make each search long.
        self._usual = median_low([high - low for low, high in (box[self._axis] for box in boxes)]) if axes else -1
        self._sorted: list[tuple[int, _Item]] = []
        self._long: list[_Item] = []

    def add(self, box: Box, item: _Item) -> None:
        """Add an item with a box."""
        low, high = box[self._axis] if box else (0, 0)
        if high - low > self._usual:
            self._long.append(item)
        else:
            insort(self._sorted, (low, item), key=_low)

    def near(self, box: Box) -> Iterator[_Item]:
        """Yield all items whose boxes overlap a box, and perhaps others."""
        yield from self._long
        if self._sorted:
            low, high = box[self._axis]
            first = bisect_left(self._sorted, low - self._usual, key=_low)
            past = bisect_left(self._sorted, high, lo=first, key=_low)
            for _, item in self._sorted[first:past]:
                yield item
