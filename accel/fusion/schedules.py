"""`scheduled`: the loops and calls that compute a graph, in an order in which they can be done.

Tasks are put in levels: those of a level need only what lower levels store, or what is stored at the same index. Tasks
of a level over the same indices are one region. A write to part of an array takes over the memory that the array had
before, if nothing reads that later.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import inf, prod

from accel.fusion.accesses import Accesses
from accel.fusion.boxes import ends_of
from accel.fusion.graph import Graph, WriteBack
from accel.fusion.index_maps import IndexMap, identity
from accel.fusion.later_reads import LaterReads, Read
from accel.fusion.limits import MOST_STORES, has_gaps, most_accesses
from accel.fusion.narrowing import narrow
from accel.fusion.nodes import Call, Empty, Input, Node, Reduction, Reshape, Result, Shape, Update, View
from accel.fusion.packed_slices import PackedSlice
from accel.fusion.regions import (
    Buffer,
    Expansion,
    Memory,
    Region,
    Schedule,
    Task,
    expanded,
    is_stored_whole,
)
from accel.fusion.reuse import reused
from accel.fusion.scan_loops import ScanLoops
from accel.fusion.storing import decide
from accel.fusion.task_loops import Form, TaskLoop, in_order, row_of

__all__ = ["scheduled"]

_LONG = 128
"""Tasks and calls of a long trace."""

_HELD = 1 << 26
"""Bytes of buffers. Many tasks that need as much come before all others, so that not all need memory at a time."""

_FEW = 8
"""Tasks of a loop, of any number up to this."""

_SMALL = 1 << 14
"""Elements of a loop that takes little longer than its launch; so it is better compiled fast than long."""

_MOST_COPIES = 2
"""Copies of an array, so that a write to part of it can read another form of it."""

_FEWER = 2
"""After that, if an array has so many times the elements of a part, the value of the part is stored first."""

_OLDER = 8
"""Earlier forms of an array whose memory may be taken over."""

_WITHOUT_TASK = (Empty, Input, Reshape, Result)


def scheduled(results: Sequence[Node], written: Sequence[WriteBack], parameters: int = sys.maxsize) -> Schedule:
    """Return the steps that compute nodes, and write back inputs last; kernels have so many bytes of parameters."""
    graph = Graph(results, written, parameters)
    narrow(graph)
    decide(graph)
    schedule = _Scheduler(graph).schedule()
    return reused(schedule, graph.results)


class _Scheduler:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._memory: dict[Node, Memory] = {}
        self._levels: dict[Node, int] = {}
        self._call_levels: dict[Call, int] = {}
        self._open: dict[Form, TaskLoop] = {}
        self._loops: list[TaskLoop] = []
        self._accesses: dict[Memory, Accesses] = {}
        self._newest: dict[Memory, Node] = {}
        self._copies: Counter[Node] = Counter()
        self._later: dict[Memory, LaterReads] = {}
        self._in_place = graph.in_place()
        self._scans = ScanLoops(self._levels)
        self._floor = self._highest = self._count = self._counted = self._held = 0
        self._expansions = {node: self._expansion(node) for node in graph.nodes if node in graph.stored}
        self._reads = self._found_reads()

    def schedule(self) -> Schedule:
        """Return the steps."""
        for (x, _), packed in self._graph.slices.items():
            self._pack(x, packed)
        for node in self._graph.nodes:
            if node in self._graph.stored and node not in self._graph.homes:
                self._store(node)
        self._write_back()
        calls: defaultdict[int, list[Call]] = defaultdict(list)
        for call, level in self._call_levels.items():
            calls[level].append(call)
        loops: defaultdict[int, list[TaskLoop]] = defaultdict(list)
        for loop in in_order(self._loops):
            loops[loop.form.level].append(loop)
        steps: list[Region | Call] = []
        for level in sorted({*calls, *loops}):
            steps += calls[level]
            steps += [self._region(tasks) for each in loops[level] for tasks in self._parts(each)]
        return Schedule(steps, self._memory)

    def _parts(self, loop: TaskLoop) -> Iterator[list[Task]]:
        """Yield the tasks of a loop; in a long trace in few sizes, so that few loops have to be compiled."""
        tasks, size = loop.tasks, MOST_STORES if prod(loop.form.shape) > _SMALL else _FEW
        while self._count > _LONG and len(tasks) > _FEW and not loop.form.axes:
            if len(tasks) >= size:
                yield tasks[:size]
                tasks = tasks[size:]
            else:
                size //= 2
        if tasks:
            yield tasks

    def _region(self, tasks: Sequence[Task]) -> Region:
        values = [task.element for task in tasks]
        own = {task.value for task in tasks if self._is_home(task)}
        expansion = expanded(values, self._graph.stored, own)
        reads = [self._graph.home(*each) for each in expansion.loads]
        return Region(values[0].shape, tuple(tasks), expansion, reads)

    def _is_home(self, task: Task) -> bool:
        """Tell whether a task stores its value where others load it."""
        node, index_map = self._graph.home(task.value, identity(task.value.shape))
        return self._memory.get(node) is task.memory and index_map == task.map

    def _expansion(self, node: Node) -> Expansion:
        """Return what the task of a stored node computes and loads."""
        homes = self._graph.homes
        if isinstance(node, Update):
            own = {node.value} if homes.get(node.value) is node else ()
            return expanded([node.value], self._graph.stored, own)
        if isinstance(node, Reduction):
            return self._expansion_of(node.source)
        if isinstance(node, _WITHOUT_TASK) or node in homes:
            return Expansion([], [])
        return expanded([node], self._graph.stored, {node})

    def _found_reads(self) -> dict[Node, list[Read]]:
        """Return all reads of arrays that parts are written to, and of arrays with other shapes."""
        graph = self._graph
        shaped = [node for node in graph.nodes if isinstance(node, Reshape)]
        reads: dict[Node, list[Read]] = {each: [] for each in (*graph.targets, *graph.targets.values(), *shaped)}
        reads |= {each.source: [] for each in shaped}
        for serial, shape, expansion in self._readers():
            for node, index_map in [graph.home(*each) for each in expansion.loads]:
                if node in reads:
                    reads[node].append(Read(serial, index_map, shape))
        for node in graph.nodes:
            for each in node.operands if isinstance(node, Result) else ():
                if each in reads:
                    reads[each].append(Read(node.serial, identity(each.shape), each.shape))
        for target, writes in self._branches():
            for write in writes[1:]:  # it may copy the array just before it is done
                reads[target].append(Read(write.serial - 0.5, identity(target.shape), target.shape))
        for node in shaped:
            last = inf if node in graph.results else max([node.serial, *(each.serial for each in reads[node])])
            reads[node.source].append(Read(last, identity(node.source.shape), node.source.shape))
        return reads

    def _branches(self) -> Iterator[tuple[Node, list[Update]]]:
        """Yield arrays with the writes to them, if there are several: one to the array itself, and others to copies."""
        writes: defaultdict[Node, list[Update]] = defaultdict(list)
        for write, target in self._graph.targets.items():
            writes[target].append(write)
        for target, found in writes.items():
            if len(found) > 1:
                yield target, sorted(found, key=lambda write: write.serial)

    def _readers(self) -> Iterator[tuple[float, Shape, Expansion]]:
        """Yield what each task computes, with the serial number of its node, and the shape of its value."""
        graph = self._graph
        for node, expansion in self._expansions.items():
            value = node.value if isinstance(node, Update) else node.source if isinstance(node, Reduction) else node
            yield node.serial, value.shape, expansion
        for write, target in graph.targets.items():
            if target not in graph.stored and not isinstance(target, Update):  # it is computed where the write is
                yield write.serial, target.shape, self._expansion_of(target)
        for written in graph.written:
            writes = graph.direct.get(written)
            for value in [written.value] if writes is None else [each.value for each in writes.chain]:
                yield inf, value.shape, self._expansion_of(value)

    # Nodes with memory

    def _store(self, node: Node) -> None:
        if isinstance(node, Input):
            self._keep(node, node, 0)
        elif isinstance(node, Result):
            self._call(node.call)
            self._keep(node, node, self._call_levels[node.call])
            if node in self._accesses:
                self._accesses[node].write(ends_of(identity(node.shape), node.shape), self._levels[node])
        elif isinstance(node, Update):
            self._update(node)
        elif isinstance(node, Reshape):
            self._memory[node], self._levels[node] = self._memory[node.source], self._levels[node.source]
        elif isinstance(node, Empty):
            self._keep(node, Buffer(node), 0)
        else:
            self._keep(node, Buffer(node), 0)
            self._levels[node] = self._add(Task(self._memory[node], identity(node.shape), node), self._expansions[node])

    def _pack(self, x: Input, packed: PackedSlice) -> None:
        """Copy a slice of an input, before anything else reads it."""
        whole, copy = packed
        self._graph.stored.add(whole)
        self._memory[whole], self._levels[whole] = x, 0
        self._keep(copy, Buffer(copy), 0)
        task = Task(self._memory[copy], identity(copy.shape), copy)
        self._levels[copy] = self._add(task, self._expansion_of(copy))

    def _keep(self, node: Node, memory: Memory, level: int) -> None:
        """Note that a memory has the elements of a node."""
        self._memory[node], self._levels[node] = memory, level
        if not isinstance(node, Input | Update):
            self._held += node.size * node.dtype.itemsize
        if node in self._reads and (not isinstance(node, Input) or node in self._in_place.values()):
            self._newest[memory] = node
            self._later.setdefault(memory, LaterReads()).add(self._reads[node])
            self._accesses.setdefault(memory, Accesses())

    def _call(self, call: Call) -> None:
        if call in self._call_levels:
            return
        level = 1 + max([self._floor, *(self._levels[each] for each in call.operands)])
        for each in call.operands:
            self._note_read(each, identity(each.shape), each.shape, level)
        self._call_levels[call] = level
        self._count_one(level)

    def _update(self, node: Update) -> None:
        target, value, expansion = self._graph.targets[node], _elements(node.value), self._expansions[node]
        memory, is_copied = self._taken_over(node), False
        array = self._graph.arrays[node]
        if memory is None and _FEWER * value.size < node.size and self._copies[array] >= _MOST_COPIES:
            memory = self._taken_over(node, copied=True)
            is_copied = memory is not None
        if memory is None:
            memory = Buffer(node)
            self._copies[array] += 1
            self._accesses[memory] = Accesses()
            if not isinstance(target, Empty):
                self._add(Task(memory, identity(node.shape), _elements(target)), self._expansion_of(target))
        if is_copied:
            value = self._stored_before(node)
            expansion = self._expansion_of(value)
        self._keep(node, memory, 0)
        level = self._add(Task(memory, node.map, value, node.line), expansion)
        if self._graph.homes.get(node.value) is node:
            self._levels[node.value] = level
        self._levels[node] = self._accesses[memory].level

    def _stored_before(self, write: Update) -> Node:
        """Return the value of a write, or a copy of it, after it was stored in memory of its own."""
        value, homes = write.value, self._graph.homes
        if homes.get(value) is not write:
            return self._stored_copy(value)
        del homes[value]  # others read it from there
        self._memory[value] = Buffer(value)
        expansion = self._expansions[write]
        self._levels[value] = self._add(Task(self._memory[value], identity(value.shape), value), expansion)
        return value

    def _expansion_of(self, value: Node) -> Expansion:
        return expanded([value], self._graph.stored, ())

    def _taken_over(self, node: Update, *, copied: bool = False) -> Memory | None:
        """Return the memory of the array that a part is written to, or of an earlier form of it with the same elements.

        None if there is none that nothing reads later. If the value is ``copied`` first, the write itself may read it.
        """
        version: Node = self._graph.targets[node]
        for _ in range(_OLDER):
            memory = self._memory.get(version)
            if (
                memory is not None
                and (not isinstance(memory, Input) or self._in_place.get(node) is memory)
                and self._newest.get(memory) is version
                and version not in self._graph.results
                and self._later[memory].is_free(node, copied=copied)
            ):
                return memory
            if not isinstance(version, Update) or not self._graph.covers(node, version):
                return None
            version = self._graph.targets[version]
        return None

    # Tasks

    def _add(self, task: Task, expansion: Expansion, least: int = 1) -> int:
        """Add a task to the lowest level that it can have, and return that."""
        level, shape = max(least, self._floor + 1), task.element.shape
        for node, index_map in expansion.loads:
            level = max(level, self._least(node, index_map, task))
        level, scanned = self._scans.place(task, expansion, level)
        if task.memory in self._accesses:
            least, level = level, self._accesses[task.memory].write(ends_of(task.map, task.value.shape), level)
            scanned = scanned if level == least else expansion.scanned
        self._scans.note(task, scanned)
        reads = [self._graph.home(*each) for each in expansion.loads]
        for each in reads:
            self._note_read(*each, shape, level)
        form = Form.of(task, level, scanned)
        loop, row = self._open.get(form), row_of(task, reads, self._memory)
        if loop is None or not loop.add(task, expansion, row):
            loop = self._open[form] = TaskLoop(form, row, most_accesses(self._graph.parameters, len(shape)))
            loop.add(task, expansion, row)
            self._loops.append(loop)
        self._count_one(level)
        return level

    def _least(self, node: Node, index_map: IndexMap, task: Task) -> int:
        """Return the lowest level in which a task can load a node."""
        shape, write = task.element.shape, self._graph.homes.get(node)
        if is_stored_whole(node, index_map, shape):
            # Loops that store with gaps are the last ones of a level.
            is_last = write is not None and has_gaps(write.map, shape) and not Form.of(task, 0).gaps
            return self._levels[node] + is_last
        home, places = self._graph.home(node, index_map)
        if isinstance(home, Update):
            return self._accesses[self._memory[home]].least_read(ends_of(places, shape))
        return self._levels[home] + 1

    def _note_read(self, node: Node, index_map: IndexMap, shape: Shape, level: int) -> None:
        accesses = self._accesses.get(self._memory[node])
        if accesses is not None and isinstance(node, Reshape):
            accesses.read(ends_of(identity(node.source.shape), node.source.shape), level)
        elif accesses is not None:
            accesses.read(ends_of(index_map, shape), level)

    def _count_one(self, level: int) -> None:
        self._highest = max(level, self._highest)
        self._count += 1
        if self._held > _HELD and self._count - self._counted > _LONG:
            self._floor, self._counted, self._held = self._highest, self._count, 0
            self._open.clear()

    # Inputs

    def _write_back(self) -> None:
        targets = {each.target for each in self._graph.written}
        copies: list[list[Task]] = []
        for written in self._graph.written:
            if self._memory.get(written.value) is written.target:
                continue
            writes = self._graph.direct.get(written)
            if writes is not None and self._graph.is_only_written(written):
                for each in writes.chain:
                    task = Task(written.target, each.map, _elements(each.value), each.line)
                    self._add(task, self._expansion_of(each.value))
                continue
            parts = [Task(written.target, identity(written.target.shape), _elements(written.value))]
            if writes is not None:
                parts = [Task(written.target, each.map, _elements(each.value), each.line) for each in writes.chain]
            tasks = []
            for task in parts:
                apart = self._is_apart(task, targets, alone=len(parts) < 2)
                tasks.append(task if apart else task._replace(value=self._stored_copy(task.value)))
            copies += [[each] for each in tasks] if writes is None or writes.are_apart else [tasks]
        level = self._highest
        for tasks in copies:
            least = level
            for task in tasks:
                least = self._add(task, self._expansion_of(task.value), least + 1)

    def _stored_copy(self, value: Node) -> Node:
        copy = View(value, identity(value.shape), value.shape)  # the value may be an input itself
        self._memory[copy] = Buffer(copy)
        expansion = self._expansion_of(copy)
        self._graph.stored.add(copy)
        self._levels[copy] = self._add(Task(self._memory[copy], identity(value.shape), copy), expansion)
        return copy

    def _is_apart(self, task: Task, targets: set[Input], *, alone: bool) -> bool:
        """Tell whether a value can be computed while it is written: it reads what is written only at the same place."""
        for node, index_map in [self._graph.home(*each) for each in self._expansion_of(task.value).loads]:
            memory = self._memory[node]
            if memory in targets and not (alone and node is memory is task.memory and index_map == task.map):
                return False
        return True


def _elements(value: Node) -> Node:
    """Return a value whose task stores elements: what is reduced was stored before."""
    return View(value, identity(value.shape), value.shape) if isinstance(value, Reduction) else value
