"""Regions: which nodes of a graph get memory, and which are computed together.

A node has memory if the caller or a call of the library needs its elements there, or if to compute it again at each use
would take longer than to store it. A `Task` stores one such node. Tasks over the same indices, none of which needs
elements that another one stores elsewhere, are one `Region`: one kernel computes them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple, TypeAlias

from accel.fusion.boxes import box_of, is_apart
from accel.fusion.index_maps import IndexMap, broadcast, composed, identity
from accel.fusion.nodes import Call, Empty, Input, Line, Node, Operation, Reshape, Result, Shape, Update, View

__all__ = ["Buffer", "Expansion", "Memory", "Region", "Schedule", "Task", "WriteBack", "expanded", "scheduled"]

_STORED = 8
"""Operations, as costly as an addition, that take as long as to store an element and to load it again."""

_COSTS = {"truediv": 4, "mod": 8, "floordiv": 8, "pow": 20, "sqrt": 5}
_COST_OF_CALL = 10
_CHEAP_CALLS = frozenset(
    {"abs", "ceil", "floor", "isfinite", "isinf", "isnan", "round", "sign", "signbit", "square", "trunc"}
)


_OF_OTHERS = (Empty, Input, Reshape, Result, Update)
"""Nodes with memory that no task stores as a whole."""


class Buffer:
    """Memory for a node, in C order."""

    __slots__ = ("dtype", "shape")

    def __init__(self, node: Node) -> None:
        self.shape, self.dtype = node.shape, node.dtype


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


class Region(NamedTuple):
    """Tasks that one kernel does, over the same indices."""

    shape: Shape
    tasks: tuple[Task, ...]
    expansion: Expansion


class WriteBack(NamedTuple):
    """An input that the function has written to, and its elements after that."""

    target: Input
    value: Node


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


def scheduled(results: Sequence[Node], written: Sequence[WriteBack]) -> Schedule:
    """Return the steps that compute nodes, and write back inputs last."""
    graph = _Graph(results, written)
    while True:
        schedule = _Scheduler(graph).schedule()
        more = graph.repeated(schedule)
        if not more:
            return schedule
        graph.stored |= more


class _Graph:
    """The nodes that are needed, and what is known of them before they are scheduled."""

    def __init__(self, results: Sequence[Node], written: Sequence[WriteBack]) -> None:
        self.written = written
        self.nodes = sorted(_reached([*results, *(each.value for each in written)]), key=lambda node: node.serial)
        self.consumers = Counter(operand for node in self.nodes for operand in {*node.operands})
        self.results = {*results}
        self.stored = {*results} | {node for node in self.nodes if isinstance(node, Update)}
        for node in self.nodes:
            if isinstance(node, Result):
                self.stored |= {node, *node.operands}
            if isinstance(node, Reshape):
                self.stored.add(node.source)
        self.direct: dict[WriteBack, list[Update]] = {}
        for each in written:
            chain = self._chain(each)
            if chain is None:
                self.stored.add(each.value)
            else:
                self.direct[each] = chain
                self.stored -= {*chain}
        self.costs: dict[Node, float] = {}

    def _chain(self, written: WriteBack) -> list[Update] | None:
        """Return the writes to an input if nothing reads it between them or after them; None if something does."""
        chain: list[Update] = []
        node, readers = written.value, 0
        while isinstance(node, Update):
            if self.consumers[node] != readers or node in self.results:
                return None
            chain.append(node)
            node, readers = node.target, 1
        return chain[::-1] if node is written.target and chain else None

    def is_only_written(self, written: WriteBack, chain: Sequence[Update]) -> bool:
        """Tell whether an input can be written at any time: nothing reads it, or can fail, and its writes are apart."""
        if self.consumers[written.target] > 1 or any(isinstance(node, Result) for node in self.nodes):
            return False
        return _are_apart(chain)

    def repeated(self, schedule: Schedule) -> set[Node]:
        """Return the nodes that a schedule computes so often that they should be stored."""
        places: Counter[Node] = Counter()
        for step in schedule.steps:
            if isinstance(step, Region):
                places.update(node for node, _ in step.expansion.computed)
        users: defaultdict[Node, int] = defaultdict(int)
        for node in places:
            for operand in node.operands:
                users[operand] = max(users[operand], places[node])
        return {
            node
            for node, count in places.items()
            if count > max(users[node], 1) and node not in self.stored and (count - 1) * self._cost(node) > _STORED
        }

    def _cost(self, node: Node) -> float:
        """Return how many operations compute an element from what is stored; a shared operand counts each time."""
        if node in self.costs:
            return self.costs[node]
        for each in self.nodes:  # operands come first
            own = 0.0
            if isinstance(each, Operation):
                own = _COSTS.get(
                    each.name, _COST_OF_CALL if each.kind == "call" and each.name not in _CHEAP_CALLS else 1
                )
            self.costs[each] = own + sum(0.0 if x in self.stored else self.costs.get(x, 0.0) for x in each.operands)
        return self.costs.get(node, 0.0)


def _are_apart(writes: Sequence[Update]) -> bool:
    """Tell whether no two writes to an array have an element in common."""
    boxes = [box_of(each.map, each.value.shape) for each in writes]
    return len(boxes) < 2 or all(
        one is not None and other is not None and is_apart(one, other) for one, other in combinations(boxes, 2)
    )


def _has_gaps(task: Task) -> bool:
    """Tell whether neighbours along the last axis of a task's indices are stored apart."""
    shape = task.value.shape
    return bool(shape) and shape[-1] > 1 and task.map[-1].steps != ((len(shape) - 1, 1),)


def _cost_of(node: Operation) -> int:
    is_long = node.kind == "call" and node.name not in _CHEAP_CALLS
    return _COSTS.get(node.name, _COST_OF_CALL if is_long else 1)


def _reached(roots: Iterable[Node]) -> set[Node]:
    reached: set[Node] = set()
    pending = [*roots]
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending += node.operands
    return reached


class _Scheduler:
    """Puts tasks in levels: those of a level need only what lower levels store, or what is stored at the same index."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._memory: dict[Node, Memory] = {}
        self._levels: dict[Node, int] = {}
        self._call_levels: dict[Call, int] = {}
        self._tasks: defaultdict[tuple[int, Shape, bool], list[Task]] = defaultdict(list)

    def schedule(self) -> Schedule:
        """Return the steps."""
        graph = self._graph
        for node in graph.nodes:
            if node in graph.stored or isinstance(node, Input | Result | Reshape):
                self._store(node)
        last = max([0, *self._levels.values(), *self._call_levels.values(), *(level for level, *_ in self._tasks)])
        self._write_back(last)
        calls: defaultdict[int, list[Call]] = defaultdict(list)
        for call, level in self._call_levels.items():
            calls[level].append(call)
        steps: list[Region | Call] = []
        for level in sorted({*calls, *(level for level, *_ in self._tasks)}):
            steps += calls[level]
            for (other, shape, _), tasks in self._tasks.items():
                if other == level:
                    steps.append(Region(shape, tuple(tasks), expanded(tasks, self._memory)))
        return Schedule(steps, self._memory)

    def _store(self, node: Node) -> None:
        if isinstance(node, Input):
            self._memory[node], self._levels[node] = node, 0
        elif isinstance(node, Result):
            call = node.call
            if call not in self._call_levels:
                self._call_levels[call] = 1 + max((self._levels[each] for each in call.operands), default=0)
            self._memory[node], self._levels[node] = node, self._call_levels[call]
        elif isinstance(node, Update):
            self._update(node)
        elif isinstance(node, Empty):
            self._memory[node], self._levels[node] = Buffer(node), 0
        elif isinstance(node, Reshape):
            self._memory[node], self._levels[node] = self._memory[node.source], self._levels[node.source]
        else:
            self._memory[node] = Buffer(node)
            self._levels[node] = self._add(Task(self._memory[node], identity(node.shape), node))

    def _update(self, node: Update) -> None:
        target = node.target
        memory = self._memory.get(target)
        alone = self._graph.consumers[target] == 1 and target not in self._graph.results
        if isinstance(target, Empty) and target not in self._graph.results:
            memory, before = Buffer(node), 0
        elif alone and isinstance(memory, Buffer) and not isinstance(target, Reshape):
            before = self._levels[target]
        else:
            memory = Buffer(node)
            before = self._add(Task(memory, identity(node.shape), target))
        self._memory[node] = memory
        self._levels[node] = self._add(Task(memory, node.map, node.value, node.line), before + 1)

    def _write_back(self, level: int) -> None:
        targets = {each.target for each in self._graph.written}
        copies: list[list[Task]] = []
        for written in self._graph.written:
            chain = self._graph.direct.get(written)
            if chain is not None and self._graph.is_only_written(written, chain):
                for each in chain:
                    self._add(Task(written.target, each.map, each.value, each.line))
                continue
            writes = [(each.map, each.value, each.line) for each in chain or ()]
            tasks = []
            for index_map, value, line in writes or [(identity(written.target.shape), written.value, None)]:
                task = Task(written.target, index_map, value, line)
                apart = self._is_apart(task, targets, alone=len(writes) < 2)
                tasks.append(task if apart else task._replace(value=self._stored_copy(value)))
            copies += [[each] for each in tasks] if _are_apart(chain or ()) else [tasks]
        level = max([level, *(level for level, *_ in self._tasks)])
        for in_order in copies:
            least = level
            for task in in_order:
                least = self._add(task, least + 1)

    def _stored_copy(self, value: Node) -> Node:
        copy = View(value, identity(value.shape), value.shape)  # the value may be an input itself
        self._memory[copy] = Buffer(copy)
        self._levels[copy] = self._add(Task(self._memory[copy], identity(value.shape), copy))
        return copy

    def _is_apart(self, task: Task, targets: set[Input], *, alone: bool) -> bool:
        """Tell whether a value can be computed while it is written: it reads what is written only at the same place."""
        for node, index_map in expanded([task], self._memory).loads:
            memory = self._memory[node]
            if memory in targets and not (alone and node is memory is task.memory and index_map == task.map):
                return False
        return True

    def _add(self, task: Task, least: int = 1) -> int:
        """Add a task to the lowest level that it can have, and return that."""
        level, shape = max(least, 1), task.value.shape
        for node, index_map in expanded([task], self._memory).loads:
            together = _is_stored_whole(node, index_map, shape)
            level = max(level, self._levels[node] + (not together))
        self._tasks[level, shape, _has_gaps(task)].append(task)  # a loop that stores with gaps is better short
        return level


def expanded(tasks: Sequence[Task], memory: dict[Node, Memory]) -> Expansion:
    """Return what tasks over the same indices compute and load, where nodes have memory."""
    shape = tasks[0].value.shape
    own = {task.value for task in tasks if memory.get(task.value) is task.memory}
    computed: list[tuple[Node, IndexMap]] = []
    loads: list[tuple[Node, IndexMap]] = []
    seen: set[tuple[Node, IndexMap]] = set()
    heap: list[tuple[int, int, Node, IndexMap]] = []

    def push(node: Node, index_map: IndexMap) -> None:
        if (node, index_map) not in seen:
            seen.add((node, index_map))
            heappush(heap, (-node.serial, len(seen), node, index_map))

    for task in tasks:
        push(task.value, identity(shape))
    while heap:  # what is computed from others comes before them
        _, _, node, index_map = heappop(heap)
        if node in memory and not (node in own and _is_stored_whole(node, index_map, shape)):
            loads.append((node, index_map))
            continue
        computed.append((node, index_map))
        if isinstance(node, View):
            push(node.source, composed(node.map, index_map))
        elif isinstance(node, Operation):
            for operand in node.operands:
                push(operand, composed(broadcast(operand.shape, node.shape), index_map))
    return Expansion(computed[::-1], loads[::-1])


def _is_stored_whole(node: Node, index_map: IndexMap, shape: Shape) -> bool:
    """Tell whether one task stores a node at its own indices, which are those of a map and a shape."""
    return node.shape == shape and index_map == identity(shape) and not isinstance(node, _OF_OTHERS)
