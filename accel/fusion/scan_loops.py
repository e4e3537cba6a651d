"""`ScanLoops`: in which loops tasks are that load what a loop stores which combines elements in order."""

from collections.abc import Mapping

from accel.fusion.costs import is_cheap_in_order
from accel.fusion.nodes import Node
from accel.fusion.regions import Expansion, Task

__all__ = ["ScanLoops"]


class ScanLoops:
    """The nodes that such loops store, each with the axis; the levels are those of nodes."""

    def __init__(self, levels: Mapping[Node, int]) -> None:
        self._levels = levels
        self._axes: dict[Node, int] = {}

    def place(self, task: Task, expansion: Expansion, level: int) -> tuple[int, int | None]:
        """Return the level of a task, and the axis along which its loop combines elements in order, or None.

        If it loads what such a loop of its level stores, it is part of that loop, or comes after it.
        """
        own = expansion.scanned
        found = own
        for node, _ in expansion.loads:
            axis = self._axes.get(node)
            if axis is None or self._levels[node] != level:
                continue
            fits = found in (None, axis) and not task.axes and not expansion.turns
            if not fits or not is_cheap_in_order(expansion, axis, task.value.shape):
                return level + 1, own
            found = axis
        return level, found

    def note(self, task: Task, axis: int | None) -> None:
        """Note in which loop a task is."""
        if axis is not None:
            self._axes[task.value] = axis
