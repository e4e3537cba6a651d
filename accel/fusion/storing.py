"""Which nodes are stored, though neither the caller nor a call of the library needs them in memory.

A node is stored if to compute it again at each place that reads it takes longer, or if its loop would be too long. This
is decided in one walk from users to operands, so each node is seen after all that read it.
"""

from collections import defaultdict
from math import prod
from typing import TypeAlias

from accel.fusion.boxes import Ends, are_apart, union
from accel.fusion.costs import STORED, cost, is_last
from accel.fusion.graph import Graph
from accel.fusion.index_maps import IndexMap, composed, composes, identity, of_operand
from accel.fusion.limits import MOST_OPERATIONS, MOST_STORES, has_gaps, most_accesses
from accel.fusion.nodes import (
    Empty,
    Input,
    Node,
    Operation,
    Position,
    Reduction,
    Reshape,
    Result,
    Scalar,
    Scan,
    Shape,
    Update,
    View,
)

__all__ = ["decide"]

_COSTLY = 4
_MANY = 8
"""Of elements that cost as much, those are stored that so many others read, as of a row of numbers."""

_MOST_PLACES = 16
"""Places that read a node which is computed at each of them."""

_MOST_COSTLY = 1e6


class _Loop:
    """A loop as it is foreseen: how much it computes, and how many arrays it reads and writes."""

    def __init__(self, key: "_Key", most_accesses: int) -> None:
        self.key = key
        _, shape, _, reduces, self.scanned = key
        self.shape = shape
        self.size = prod(shape)
        self._most_accesses = most_accesses
        self.reduces = reduces
        self.operations = self.accesses = self.stores = self.cost = 0
        self.turns = False

    @property
    def is_whole(self) -> bool:
        """Whether it has no parts in which axes turn."""
        return self.reduces or self.scanned is not None

    def combines(self, node: Scan, index_map: IndexMap) -> bool:
        """Tell whether it can combine elements in order, for the places of a map."""
        fits = node.shape == self.shape and index_map == identity(self.shape) and self.scanned in (None, node.axis)
        is_cheap = self.cost <= STORED or not is_last(node.axis, node.shape)
        return fits and is_cheap and not (self.reduces or self.turns)

    @property
    def is_full(self) -> bool:
        return self.operations >= MOST_OPERATIONS or self.accesses >= self._most_accesses


_Key: TypeAlias = tuple[int, Shape, bool, bool, int | None]
"""Level, shape, whether it stores with gaps, whether it reduces, and the axis that it combines in order."""
_Place: TypeAlias = tuple[_Loop, IndexMap]


def decide(graph: Graph) -> None:
    """Add to the nodes of a graph that are stored those that should be."""
    _Decision(graph).decide()


class _Decision:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._costs = _costs(graph)
        self._levels = _levels(graph)
        self._variable = _variable(graph)
        self._places: defaultdict[Node, dict[_Place, int]] = defaultdict(dict)
        self._writes: dict[Node, tuple[Update, _Loop]] = {}
        self._updates = {node.serial: node for node in graph.nodes if isinstance(node, Update)}
        self._readers: dict[Node, set[int]] = {each.value: set() for each in self._updates.values()}
        self._loops: dict[_Key, _Loop] = {}

    def decide(self) -> None:
        for node in reversed(self._graph.nodes):
            if node in self._graph.stored:
                self._store(node)
            elif isinstance(node, Update):  # of an input
                self._start(node, node.value, node.serial, gaps=has_gaps(node.map, node.value.shape))
            elif node in self._places:
                self._compute(node)

    def _store(self, node: Node) -> None:
        self._places.pop(node, None)
        if isinstance(node, Update):
            target = self._graph.targets[node]
            loop = self._start(node, node.value, node.serial, gaps=has_gaps(node.map, node.value.shape))
            self._writes[node.value] = node, loop
            if not isinstance(target, Empty) and target not in self._graph.stored:
                self._start(target, target, node.serial, gaps=False)
        elif isinstance(node, Reduction):
            self._start(node, node.source, node.serial, gaps=False, reduces=True)
        elif not isinstance(node, Input | Result | Reshape):
            self._read_operands(node, self._loop(node, node.shape, gaps=False), identity(node.shape), node.serial)

    def _start(self, node: Node, value: Node, serial: int, *, gaps: bool, reduces: bool = False) -> _Loop:
        """Return the loop, in the level of a node, that computes a value for that of a serial number."""
        loop = self._loop(node, value.shape, gaps=gaps, reduces=reduces)
        self._read(value, loop, identity(value.shape), serial)
        return loop

    def _loop(self, node: Node, shape: Shape, *, gaps: bool, reduces: bool = False) -> _Loop:
        scanned = node.axis if isinstance(node, Scan) else None
        key: _Key = self._levels[node], shape, gaps, reduces, scanned
        loop = self._loops.get(key)
        if loop is None or loop.is_full or loop.stores >= MOST_STORES:
            loop = self._loops[key] = _Loop(key, most_accesses(self._graph.parameters, len(shape)))
        loop.stores += 1
        loop.accesses += 1
        loop.cost += cost(node)
        return loop

    def _compute(self, node: Node) -> None:
        if self._is_stored(node):
            self._graph.stored.add(node)
            for loop, _ in self._places[node]:
                loop.accesses += 1
            if node not in self._graph.homes:
                self._store(node)
                return
            write, loop = self._writes[node]
            self._places[node] = {(loop, identity(node.shape)): write.serial}
        for (loop, index_map), serial in self._places.pop(node).items():
            loop.operations += isinstance(node, Operation)
            loop.cost += cost(node)
            if isinstance(node, Scan):
                loop.scanned = node.axis
                self._loops.pop(loop.key, None)  # others of its level are in a loop of elements
            self._read_operands(node, loop, index_map, serial)

    def _is_spread(self, node: Node, loop: _Loop) -> bool:
        """Tell whether a loop reads each of a few costly elements many times."""
        few = isinstance(node, Operation) and node in self._variable and node.size * _MANY <= loop.size
        return few and self._costs[node] >= _COSTLY

    def _is_stored(self, node: Node) -> bool:
        places, total = self._places[node], self._costs[node]
        if isinstance(node, View) and any(_needs_memory(node, *each) for each in places):
            return True
        if isinstance(node, Scan) and (len(places) > 1 or not all(each.combines(node, at) for each, at in places)):
            return True
        if total > STORED and any(_is_without_vectors(loop) for loop, _ in places):
            return True
        if total and self._is_at_home(node):
            return True
        again = len(places) - 1
        if again >= _MOST_PLACES or again * total > STORED:
            return total > 0
        return total > 0 and any(loop.is_full or self._is_spread(node, loop) for loop, _ in places)

    def _is_at_home(self, node: Node) -> bool:
        """Tell whether a write has a node as its value before all others read it, so that it is stored there."""
        if node not in self._writes:
            return False
        write, _ = self._writes[node]
        readers = self._readers[node] - {write.serial}
        if write.box is None or not readers or min(readers) < write.serial:
            return False
        later = [self._updates[serial] for serial in readers if serial in self._updates]
        if any(self._graph.may_change(each, write) for each in later):
            return False
        self._graph.homes[node] = write
        return True

    def _read_operands(self, node: Node, loop: _Loop, index_map: IndexMap, serial: int) -> None:
        if isinstance(node, View):
            loop.turns |= _turns(node)
            self._read(node.source, loop, composed(node.map, index_map), serial)
        for operand in node.operands if isinstance(node, Operation | Scan) else ():
            self._read(operand, loop, of_operand(operand.shape, node.shape, index_map), serial)

    def _read(self, node: Node, loop: _Loop, index_map: IndexMap, serial: int) -> None:
        """Note that a loop reads a node, first for the task of a node with a serial number."""
        places = self._places[node]
        if (loop, index_map) not in places:
            loop.accesses += node in self._graph.stored or isinstance(node, Scalar | Position)
        if node in self._readers:
            self._readers[node].add(serial)
        places[loop, index_map] = min(serial, places.get((loop, index_map), serial))


def _needs_memory(view: View, loop: _Loop, index_map: IndexMap) -> bool:
    """Tell whether a loop must read a view from memory: a loop that is whole has no parts in which axes turn."""
    return not composes(view.map, index_map) or (loop.is_whole and _turns(view))


def _turns(view: View) -> bool:
    return any(each.turn is not None for each in view.map)


def _is_without_vectors(loop: _Loop) -> bool:
    return loop.scanned is not None and is_last(loop.scanned, loop.shape)


def _variable(graph: Graph) -> set[Node]:
    """Return the nodes that are computed from memory, and not from numbers alone."""
    variable: set[Node] = set()
    for node in graph.nodes:
        if isinstance(node, Input | Result) or not variable.isdisjoint(graph.operands(node)):
            variable.add(node)
    return variable


def _costs(graph: Graph) -> dict[Node, float]:
    """Return how many operations compute an element from what is stored; a shared operand counts each time."""
    costs: dict[Node, float] = {}
    written = [node.value for node in graph.nodes if isinstance(node, Update) and node in graph.stored]
    read = graph.stored.union(written)
    for node in graph.nodes:
        total = cost(node) + isinstance(node, Scan) + sum([costs[x] for x in graph.operands(node) if x not in read])
        costs[node] = min(total, _MOST_COSTLY)
    return costs


def _levels(graph: Graph) -> dict[Node, int]:
    """Return how many loops must come before that of each node, at least, if no more nodes are stored."""
    levels: dict[Node, int] = {}
    around: dict[Update, tuple[int, Ends]] = {}
    for node in graph.nodes:
        if isinstance(node, Update):
            target, value = graph.targets[node], node.value
            ends, level = node.ends, max(1, _level_read(graph, levels, node, value))
            before = around.get(target) if isinstance(target, Update) else None
            if before is not None and are_apart(ends, before[1]):
                level, ends = max(level, before[0]), union(ends, before[1])
            elif not isinstance(target, Empty):
                level = max(level, levels[target] + 1)
            levels[node], around[node] = level, (level, ends)
        elif isinstance(node, Result):
            levels[node] = 1 + max([levels[each] for each in node.operands], default=0)
        else:
            levels[node] = max([_level_read(graph, levels, node, each) for each in node.operands], default=0)
    return levels


def _level_read(graph: Graph, levels: dict[Node, int], user: Node, node: Node) -> int:
    if isinstance(node, Input | Reduction | Result | Reshape | Update):
        return levels[node] + 1
    is_elsewhere = isinstance(user, View) or (isinstance(user, Operation) and user.shape != node.shape)
    return levels[node] + (node in graph.stored and is_elsewhere)
