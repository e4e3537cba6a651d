"""`TaskLoop`: tasks of one level over the same indices, which one kernel will do."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from accel.fusion.index_maps import IndexMap, merged, offset_and_strides
from accel.fusion.limits import FEW_ROWS, MOST_OPERATIONS, MOST_STORES, SHORT_ROW, has_gaps
from accel.fusion.nodes import Node, Operation, Position, Scalar, Shape
from accel.fusion.regions import Expansion, Memory, Task, strides_as

__all__ = ["Form", "TaskLoop", "in_order", "row_of"]


class TaskLoop:
    """Tasks of one level and shape, so few that the loop is not too long; those that reduce do so along the same axes.

    Attributes
    ----------
    form : Form
        What the tasks have in common.
    tasks : list of Task
        The tasks.
    """

    def __init__(self, form: "Form", row: int, most_accesses: int) -> None:
        self.form = form
        self._row = row
        self._most_accesses = most_accesses
        self.tasks: list[Task] = []
        self._parts: list[tuple[Task, Expansion, int]] = []
        self._operations: set[tuple[Node, IndexMap]] = set()
        self._loads: set[tuple[Node, IndexMap]] = set()
        """What is read from memory, and numbers."""

    def add(self, task: Task, expansion: Expansion, row: int) -> bool:
        """Add a task if that makes neither the loop too long nor, with little in common, its rows too short."""
        own = {each for each in expansion.computed if isinstance(each[0], Operation)}
        if min(row, self._row) < SHORT_ROW <= max(row, self._row) and 2 * len(own & self._operations) < len(own):
            return False
        numbers = [each for each in expansion.computed if isinstance(each[0], Scalar | Position)]
        operations, loads, count = (
            self._operations | own,
            self._loads.union(expansion.loads, numbers),
            len(self.tasks) + 1,
        )
        if self.tasks and (
            count > MOST_STORES or count + len(loads) > self._most_accesses or len(operations) > MOST_OPERATIONS
        ):
            return False
        self._operations, self._loads, self._row = operations, loads, min(row, self._row)
        self.tasks.append(task)
        self._parts.append((task, expansion, row))
        return True

    def joined(self, other: "TaskLoop") -> "TaskLoop | None":
        """Return a loop with the tasks of both; None if it would be too long, or if it reduces and has parts."""
        loop = TaskLoop(self.form, self._row, self._most_accesses)
        maps = [index_map for _, each, _ in other._parts for _, index_map in (*each.loads, *each.computed)]
        if any(axis.turn is not None for each in maps for axis in each):
            return None
        return loop if all(loop.add(*part) for part in (*self._parts, *other._parts)) else None


class Form(NamedTuple):
    """What tasks of a loop have in common.

    Attributes
    ----------
    level : int
        The level.
    shape : tuple of int
        Of the indices.
    gaps : bool
        Whether neighbours are stored apart; such a loop is better short.
    axes : tuple of int
        The axes that are reduced.
    scanned : int
        The axis along which elements are combined in order, or -1.
    """

    level: int
    shape: Shape
    gaps: bool
    axes: tuple[int, ...]
    scanned: int = -1

    @classmethod
    def of(cls, task: Task, level: int, scanned: int | None = None) -> "Form":
        """Return that of a loop with a task."""
        shape = task.element.shape
        gaps = not task.axes and has_gaps(task.map, shape)
        return cls(level, shape, gaps, task.axes, -1 if scanned is None else scanned)

    @property
    def rows(self) -> int:
        """Number of results of each reduction."""
        return prod(extent for axis, extent in enumerate(self.shape) if axis not in self.axes)


def row_of(task: Task, reads: Sequence[tuple[Node, IndexMap]], memory: Mapping[Node, Memory]) -> int:
    """Return over how many neighbours all that a task accesses steps as over one axis."""
    shape = task.element.shape
    accesses = [(memory[node], node.shape, index_map) for node, index_map in reads]
    accesses.append((task.memory, task.memory.shape, task.places))
    strides = [
        offset_and_strides(index_map, strides_as(place, extents), len(shape))[1]
        for place, extents, index_map in accesses
    ]
    groups = merged(shape, strides)
    return prod(shape[axis] for axis in groups[-1]) if groups else 1


def in_order(loops: Sequence[TaskLoop]) -> list[TaskLoop]:
    """Return loops such that those come first which store what others of their level load at the same indices.

    Loops of elements join those that reduce such elements.
    """
    found: defaultdict[Form, list[TaskLoop]] = defaultdict(list)
    for loop in loops:
        found[loop.form].append(loop)
    storing = []
    for form in [each for each in found if each.axes and (each.rows == 1 or each.rows > FEW_ROWS)]:
        elements, (reducing, *others) = found.get(form._replace(axes=()), ()), found[form]
        joined = reducing.joined(elements[0]) if len(elements) == 1 else None
        if joined is not None:
            storing.append(joined)
            found[form] = others
            del found[form._replace(axes=())]
    rest = [each for loops in found.values() for each in loops]
    return [*storing, *sorted(rest, key=lambda each: (each.form.gaps, each.form.axes, each.form.scanned))]
