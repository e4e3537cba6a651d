"""Regions: nodes that are computed together, over the same indices, by one kernel.

A `Task` stores a node that has memory. Tasks over the same indices, none of which needs elements that another one
stores elsewhere, are one `Region`.
"""

from collections.abc import Container, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from accel.dtypes import DType
from accel.fusion.index_maps import IndexMap, composed, identity, of_operand, strides_of
from accel.fusion.nodes import (
    Call,
    Empty,
    Input,
    Line,
    Node,
    Operation,
    Reduction,
    Reshape,
    Result,
    Scan,
    Shape,
    Update,
    View,
)

__all__ = ["Buffer", "Expansion", "Memory", "Region", "Schedule", "Task", "expanded", "is_stored_whole", "strides_as"]

_OF_OTHERS = (Empty, Input, Reduction, Reshape, Result, Update)
"""Nodes with memory that no task stores as a whole, at its own indices."""


class Buffer:
    """Memory for a node, in C order."""

    __slots__ = ("dtype", "shape")

    def __init__(self, node: Node) -> None:
        self.shape: Shape = node.shape
        self.dtype: DType = node.dtype


Memory: TypeAlias = Buffer | Input | Result


class Task(NamedTuple):
    """A node whose elements are stored.

    Attributes
    ----------
    memory : Buffer, or Input
        Where to.
    map : tuple of Axis
        From the indices of the value to those of the memory.
    value : Node
        The node.
    line : tuple of (str, int, str) or None
        The line of the traced function that stores it, if it is not that of the node.
    """

    memory: Memory
    map: IndexMap
    value: Node
    line: Line | None = None

    @property
    def element(self) -> Node:
        """What is computed for each index of a loop: the value, or what is reduced to it."""
        return self.value.source if isinstance(self.value, Reduction) else self.value

    @property
    def places(self) -> IndexMap:
        """From the indices of the loop to those of the memory."""
        return composed(self.map, self.value.map) if isinstance(self.value, Reduction) else self.map

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the loop that are reduced."""
        return self.value.axes if isinstance(self.value, Reduction) else ()


class Expansion(NamedTuple):
    """What a region computes.

    Attributes
    ----------
    computed : list of (Node, IndexMap)
        Nodes at the places of a map from the region's indices; operands come first.
    loads : list of (Node, IndexMap)
        Those that are read from memory.
    """

    computed: list[tuple[Node, IndexMap]]
    loads: list[tuple[Node, IndexMap]]

    @property
    def scanned(self) -> int | None:
        """The axis along which elements are combined in order; None if there is none."""
        return next((node.axis for node, _ in self.computed if isinstance(node, Scan)), None)

    @property
    def turns(self) -> bool:
        """Whether an axis turns, so that its loop has parts."""
        return any(axis.turn is not None for _, places in (*self.computed, *self.loads) for axis in places)


class Region(NamedTuple):
    """Tasks that one kernel does, over the same indices; those that reduce do so along the same axes.

    Attributes
    ----------
    shape : tuple of int
        The extents of the indices.
    tasks : tuple of Task
        The tasks.
    expansion : Expansion
        What they compute.
    reads : list of (Node, IndexMap)
        For each load of the expansion the node in whose memory it is, and the map to that.
    """

    shape: Shape
    tasks: tuple[Task, ...]
    expansion: Expansion
    reads: list[tuple[Node, IndexMap]]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are reduced."""
        return max([task.axes for task in self.tasks])


class Schedule(NamedTuple):
    """What is done for one call, in order.

    Attributes
    ----------
    steps : list of Region or Call
        In order.
    memory : dict
        Of the nodes that have some.
    """

    steps: "list[Region | Call]"
    memory: dict[Node, Memory]


def strides_as(memory: Memory, shape: Shape) -> tuple[int, ...]:
    """Return the strides in elements with which memory is read or written as an array of a shape."""
    return memory.strides if isinstance(memory, Input) and memory.shape == shape else strides_of(shape)


def expanded(values: Sequence[Node], stored: Container[Node], own: Container[Node]) -> Expansion:
    """Return what is computed and loaded for values over the same indices.

    Parameters
    ----------
    values : sequence of Node
        The values.
    stored : container of Node
        Those with memory.
    own : container of Node
        Of these, those that are stored at their own indices by the tasks of these values.
    """
    shape = values[0].shape
    computed: list[tuple[Node, IndexMap]] = []
    loads: list[tuple[Node, IndexMap]] = []
    seen: set[tuple[Node, IndexMap]] = set()
    heap: list[tuple[int, int, Node, IndexMap]] = []

    def push(node: Node, index_map: IndexMap) -> None:
        if (node, index_map) not in seen:
            seen.add((node, index_map))
            heappush(heap, (-node.serial, len(seen), node, index_map))

    for value in values:
        push(value, identity(shape))
    while heap:  # what is computed from others comes before them
        _, _, node, index_map = heappop(heap)
        if node in stored and not (node in own and is_stored_whole(node, index_map, shape)):
            loads.append((node, index_map))
            continue
        computed.append((node, index_map))
        if isinstance(node, View):
            push(node.source, composed(node.map, index_map))
        elif isinstance(node, Operation):
            for operand in node.operands:
                push(operand, of_operand(operand.shape, node.shape, index_map))
        elif isinstance(node, Scan):
            push(node.source, index_map)
    return Expansion(computed[::-1], loads[::-1])


def is_stored_whole(node: Node, index_map: IndexMap, shape: Shape) -> bool:
    """Tell whether one task stores a node at its own indices, which are those of a map and a shape."""
    return node.shape == shape and index_map == identity(shape) and not isinstance(node, _OF_OTHERS)
