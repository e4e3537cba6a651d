"""`Tiling`: disjoint boxes of a root, and what holds the values of each; pure index arithmetic."""

from collections.abc import Iterator
from typing import Generic, Self, TypeVar

import numpy as np

from accel.store.boxes import Box, volume, without

__all__ = ["Tiling", "within"]

_Value = TypeVar("_Value")
_FEW = 8


def within(inner: Box, outer: Box) -> tuple[slice, ...]:
    """Return the index of a box in an array of the elements of another box that contains it."""
    return tuple([slice(low - first, high - first) for (low, high), (first, _) in zip(inner, outer, strict=True)])


class Tiling(Generic[_Value]):
    """Disjoint boxes of a root, each with what holds its values.

    A box that is overwritten in part is cut: its remainder keeps its holder.

    Parameters
    ----------
    ndim : int
        Number of axes of the root.
    """

    __slots__ = ("_boxes", "_high", "_low", "_rows", "_values")

    def __init__(self, ndim: int) -> None:
        # One row for each box that ever was; a removed one is empty there, so it overlaps nothing.
        self._low = np.zeros((_FEW, ndim), np.int64)
        self._high = np.zeros((_FEW, ndim), np.int64)
        self._boxes: list[Box] = []
        self._values: list[_Value | None] = []
        self._rows: dict[Box, int] = {}

    def copy(self) -> Self:
        """Return a tiling of its own with the same boxes."""
        tiling = type(self)(self._low.shape[1])
        for box, row in self._rows.items():
            tiling._add(box, self._values[row])
        return tiling

    def items(self) -> Iterator[tuple[Box, _Value]]:
        """Return each box and what holds it."""
        for box, row in self._rows.items():
            yield box, self._values[row]  # type: ignore[misc]

    def values(self) -> list[_Value]:
        """Return what holds each box."""
        return [self._values[row] for row in self._rows.values()]  # type: ignore[misc]

    def __len__(self) -> int:
        return len(self._rows)

    def find(self, box: Box) -> list[tuple[Box, _Value]]:
        """Return the boxes that overlap a box, and what holds them."""
        row = self._rows.get(box)
        if row is not None:
            return [(box, self._values[row])]  # type: ignore[list-item]
        return [(self._boxes[row], self._values[row]) for row in self._overlapping(box)]  # type: ignore[misc]

    def put(self, box: Box, value: _Value) -> None:
        """Set what holds the values of a box; does nothing for an empty box."""
        if not volume(box):
            return
        row = self._rows.get(box)
        if row is not None:
            self._values[row] = value
            return
        for each in self._overlapping(box):
            cut, owner = self._boxes[each], self._values[each]
            self._remove(each)
            for rest in without(cut, box):
                self._add(rest, owner)
        self._add(box, value)

    def _overlapping(self, box: Box) -> list[int]:
        if not volume(box):
            return []
        used = len(self._boxes)
        bounds = np.array(box, np.int64).reshape(len(box), 2)
        hits = (self._low[:used] < bounds[:, 1]) & (bounds[:, 0] < self._high[:used])
        rows: list[int] = np.flatnonzero(hits.all(axis=1)).tolist()
        return rows if box else [*self._rows.values()]

    def _add(self, box: Box, value: _Value | None) -> None:
        row = len(self._boxes)
        if row == len(self._low):
            self._low, self._high = (np.concatenate([each, np.zeros_like(each)]) for each in (self._low, self._high))
        self._low[row], self._high[row] = [low for low, _ in box], [high for _, high in box]
        self._boxes.append(box)
        self._values.append(value)
        self._rows[box] = row

    def _remove(self, row: int) -> None:
        self._low[row] = self._high[row] = 0
        self._values[row] = None
        del self._rows[self._boxes[row]]
