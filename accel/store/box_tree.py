"""`BoxTree`: objects by box; finds the boxes that overlap another one without a search through all."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from accel.store.boxes import Box

__all__ = ["BoxTree", "Entry"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_FEW = 16


class Entry(NamedTuple, Generic[_Key, _Value]):
    """An object of a `BoxTree`: its box, the key that removal needs, and a value."""

    box: Box
    key: _Key
    value: _Value


_entry: Any = partial(tuple.__new__, Entry)  # half the time of `Entry(...)`


class BoxTree(Generic[_Key, _Value]):
    """Entries by box: a tree in which each node cuts its region into halves along one axis.

    A node has the entries that its cut would divide; those on one side of it are in its children. Regions are halved,
    so the depth is at most the number of bits of the extents, in any order of insertion.

    Attributes
    ----------
    region : Box
        A box that contains all boxes of the tree.
    """

    __slots__ = ("_axis", "_cut", "_entries", "_high", "_limit", "_low", "region")
    _low: "BoxTree[_Key, _Value] | None"
    _high: "BoxTree[_Key, _Value] | None"

    def __init__(self, region: Box) -> None:
        self.region: Box = region
        self._entries: list[Entry[_Key, _Value]] = []
        self._limit = _FEW
        self._axis = self._cut = 0
        self._low = self._high = None

    def add(self, box: Box, key: _Key, value: _Value) -> None:
        """Add an entry."""
        node = self if self._low is None else self._path(box)[-1]
        node._entries.append(_entry((box, key, value)))
        if node._low is None and len(node._entries) > node._limit:
            node._divide()

    def remove(self, box: Box, key: _Key) -> bool:
        """Remove one entry with this box and key; tell whether there was one."""
        if self._low is None and len(self._entries) == 1 and self._entries[0][1] is key:
            del self._entries[0]  # the usual case
            return True
        path = [self] if self._low is None else self._path(box)
        entries = path[-1]._entries
        for at, entry in enumerate(entries):
            if entry.key is key and entry.box == box:
                del entries[at]
                break
        else:
            return False
        for node in path[-2::-1]:  # a node with children has a child that is not empty
            node._join()
        return True

    def overlapping(self, box: Box) -> Iterator[Entry[_Key, _Value]]:
        """Return the entries whose box has an element in common with a box; the tree must not change meanwhile."""
        nodes = [self]
        while nodes:
            node = nodes.pop()
            for entry in node._entries:
                # `overlap` written out: a call for each entry takes longer than all else here.
                for (low, high), (first, past) in zip(entry.box, box):  # noqa: B905 - as there
                    if low >= past or first >= high or low >= high or first >= past:
                        break
                else:
                    yield entry
            if node._low is not None and node._high is not None:
                first, past = box[node._axis]
                if first < node._cut:
                    nodes.append(node._low)
                if past > node._cut:
                    nodes.append(node._high)

    def __bool__(self) -> bool:
        return bool(self._entries) or self._low is not None

    def _path(self, box: Box) -> "list[BoxTree[_Key, _Value]]":
        """Return the nodes from this one to that in which an entry with a box is, or would be."""
        path = [self]
        while True:
            node = path[-1]
            if node._low is None or node._high is None:
                return path
            first, past = box[node._axis]
            if past <= node._cut:
                path.append(node._low)
            elif first >= node._cut:
                path.append(node._high)
            else:
                return path

    def _divide(self) -> None:
        """Cut the region along the axis on which the fewest entries are divided."""
        best = min(range(len(self.region)), key=self._divided, default=-1)
        if best < 0 or 2 * self._divided(best) > len(self._entries):
            self._limit *= 2  # many entries overlap each other: a tree does not help
            return
        cut = self._middle(best)
        low, high = self._half(best, 0, cut), self._half(best, 1, cut)
        divided: list[Entry[_Key, _Value]] = []
        for entry in self._entries:
            first, past = entry.box[best]
            (low._entries if past <= cut else high._entries if first >= cut else divided).append(entry)
        # No call between these: an interrupt finds all of them done, or none.
        self._entries = divided
        self._axis = best
        self._cut = cut
        self._low = low
        self._high = high

    def _middle(self, axis: int) -> int:
        first, past = self.region[axis]
        return (first + past) // 2

    def _divided(self, axis: int) -> float:
        first, past = self.region[axis]
        if past - first < 2:
            return float("inf")
        cut = self._middle(axis)
        return sum([low < cut < high for low, high in (entry.box[axis] for entry in self._entries)])

    def _half(self, axis: int, side: int, cut: int) -> "BoxTree[_Key, _Value]":
        first, past = self.region[axis]
        ends = (cut, past) if side else (first, cut)
        return BoxTree((*self.region[:axis], ends, *self.region[axis + 1 :]))

    def _join(self) -> None:
        """Drop the children if they are empty."""
        if self._low is not None and not self._low and not self._high:
            self._low = self._high = None
