"""Reuse of memory: a buffer takes the place of another one that nothing needs any more.

A loop may write to memory that it reads last, as by hand: each element is read before it is written.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator

from accel.dtypes import DType
from accel.fusion.index_maps import identity
from accel.fusion.nodes import Call, Node, Result, Shape
from accel.fusion.regions import Buffer, Memory, Region, Schedule

__all__ = ["reused", "used"]


def reused(schedule: Schedule, results: Container[Node]) -> Schedule:
    """Return a schedule in which memory of the same shape and dtype is one, if it is not needed at a time."""
    memory = schedule.memory
    last = {each: number for number, step in enumerate(schedule.steps) for each in used(step, memory)}
    kept = {each for node, each in memory.items() if node in results}
    free: defaultdict[tuple[Shape, DType], list[Memory]] = defaultdict(list)
    places: dict[Memory, Memory] = {}
    for number, step in enumerate(schedule.steps):
        buffers = [each for each in dict.fromkeys(used(step, memory)) if isinstance(each, Buffer) and each not in kept]
        replaced = {}
        if isinstance(step, Region) and not step.axes:
            ended = {each for each in used(step, memory) if last[each] == number and each not in kept}
            replaced = {new: old for new, old in _replaced(step, memory, ended).items() if new not in places}
        places |= {new: places.get(old, old) for new, old in replaced.items()}
        for each in buffers:
            if each not in places:
                others = free[each.shape, each.dtype]
                places[each] = others.pop() if others else each
        for each in buffers:
            if last[each] == number and each not in replaced.values():
                free[each.shape, each.dtype].append(places[each])

    def placed(step: Region | Call) -> Region | Call:
        if not isinstance(step, Region):
            return step
        tasks = [task._replace(memory=places.get(task.memory, task.memory)) for task in step.tasks]
        return step._replace(tasks=tuple(tasks))

    found = {node: places.get(each, each) for node, each in memory.items()}
    return Schedule([placed(step) for step in schedule.steps], found)


def _replaced(region: Region, memory: dict[Node, Memory], ended: Container[Memory]) -> dict[Memory, Memory]:
    """Return for buffers that a loop writes memory that nothing needs after it, and that it reads at the same place."""
    whole = identity(region.shape)
    elsewhere = {memory[node] for node, places in region.reads if node.shape != region.shape or places != whole}
    writes = Counter(task.memory for task in region.tasks)
    free = [
        each
        for each in dict.fromkeys(memory[node] for node, _ in region.reads)
        if each in ended and each not in writes and each not in elsewhere and _is_whole(each, region.shape)
    ]
    replaced: dict[Memory, Memory] = {}
    for task in region.tasks:
        is_whole = isinstance(task.memory, Buffer) and task.places == whole and task.memory.shape == region.shape
        if is_whole and writes[task.memory] == 1:
            old = next((each for each in free if each.dtype == task.memory.dtype), None)
            if old is not None:
                free.remove(old)
                replaced[task.memory] = old
    return replaced


def _is_whole(memory: Memory, shape: Shape) -> bool:
    """Tell whether a loop may write memory that it reads: no other result of a call may be a view of it."""
    return memory.shape == shape and (
        isinstance(memory, Buffer) or (isinstance(memory, Result) and memory.place is None)
    )


def used(step: Region | Call, memory: dict[Node, Memory]) -> Iterator[Memory]:
    """Yield the memory that a loop needs, and that a call reads."""
    if isinstance(step, Region):
        yield from (task.memory for task in step.tasks)
        yield from (memory[node] for node, _ in step.reads)
    else:
        yield from (memory[node] for node in step.operands)
