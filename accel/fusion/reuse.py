"""Reuse of memory: a buffer takes the place of another one that nothing needs any more."""

from collections import defaultdict
from collections.abc import Container, Iterator

from accel.dtypes import DType
from accel.fusion.nodes import Call, Node, Shape
from accel.fusion.regions import Buffer, Memory, Region, Schedule

__all__ = ["reused", "used"]


def reused(schedule: Schedule, results: Container[Node]) -> Schedule:
    """Return a schedule in which buffers of the same shape and dtype are one, if they are not needed at a time."""
    memory = schedule.memory
    last = {each: number for number, step in enumerate(schedule.steps) for each in used(step, memory)}
    kept = {each for node, each in memory.items() if node in results}
    free: defaultdict[tuple[Shape, DType], list[Buffer]] = defaultdict(list)
    places: dict[Memory, Memory] = {}
    for number, step in enumerate(schedule.steps):
        buffers = [each for each in dict.fromkeys(used(step, memory)) if isinstance(each, Buffer) and each not in kept]
        for each in buffers:
            if each not in places:
                others = free[each.shape, each.dtype]
                places[each] = others.pop() if others else each
        for each in buffers:
            if last[each] == number:
                free[each.shape, each.dtype].append(places[each])  # type: ignore[arg-type]

    def placed(step: Region | Call) -> Region | Call:
        if not isinstance(step, Region):
            return step
        tasks = [task._replace(memory=places.get(task.memory, task.memory)) for task in step.tasks]
        return step._replace(tasks=tuple(tasks))

    found = {node: places.get(each, each) for node, each in memory.items()}
    return Schedule([placed(step) for step in schedule.steps], found)


def used(step: Region | Call, memory: dict[Node, Memory]) -> Iterator[Memory]:
    """Yield the memory that a loop needs, and that a call reads."""
    if isinstance(step, Region):
        yield from (task.memory for task in step.tasks)
        yield from (memory[node] for node, _ in step.reads)
    else:
        yield from (memory[node] for node in step.operands)
