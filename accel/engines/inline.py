"""Runs a tiny task in the thread that submits it, with as few steps as possible.

This does what `accel.engines.local` does, for the usual case: plain stores in memory of the host that accel allocated,
with no work in flight, no reduction and no unbound output. Anything else is left to that module.
"""

from math import prod
from time import perf_counter
from typing import Any

from accel.engines.arguments import as_scalar
from accel.engines.durations import is_tiny, note
from accel.engines.futures import WorksFuture
from accel.engines.running import refuse_result
from accel.engines.tasks import Task
from accel.engines.work import TaskWork, running
from accel.memory import HostStorage
from accel.store.failures import origin
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Use, enter_idle
from accel.store.root import HOST
from accel.store.task import task_scope

__all__ = ["run_inline"]


def run_inline(task: Task, values: tuple[Any, ...]) -> WorksFuture | None:
    """Run a task at once if it is known to be tiny and its stores are idle; return None otherwise."""
    if not task.simple:
        return None
    uses, memories, arguments, nbytes = [], [], [*values], 0
    for at, _, access, _ in task.store_places:
        store = values[at]
        if type(store) is not LogicalStore:
            return None
        root, index_map = store.root, store._map
        contents = root.contents
        if type(contents) is not HostStorage or index_map is None or root.attached:
            return None
        nbytes += prod(index_map.shape) * store.dtype.itemsize
        uses.append(Use(root, index_map.box, access))
        memories.append(contents)
        arguments[at] = PhysicalStore.on(contents, index_map, store.dtype, access=access, place=root.place)
    size = nbytes.bit_length()
    if not is_tiny(task.seconds, size):
        return None
    for at, name in task.scalar_places:
        as_scalar(task.name, name, values[at])
    work = TaskWork(task.name, uses, None)
    if not _entered(work, uses, memories):
        return None
    _run(work, task, arguments, size)
    return WorksFuture((work,))


def _entered(work: TaskWork, uses: list[Use], memories: list[HostStorage]) -> bool:
    """Record the work if its roots are idle and their values are where they were; tell whether that is so."""
    if not enter_idle(work, uses):
        return False
    if all(use.root.contents is memory for use, memory in zip(uses, memories, strict=True)):
        return True
    work.end_here(None)
    return False


@origin
def _run(work: TaskWork, task: Task, arguments: list[Any], size: int) -> None:
    failure: BaseException | None = None
    outer = work.suspend_caller()
    token, began = running.set(work), perf_counter()
    try:
        with task_scope(HOST):
            result = task.body("cpu")(*arguments)  # type: ignore[misc]
            if result is not None:
                refuse_result(task.name, result)
    except Exception as error:
        failure = error
    except BaseException as error:
        failure = error
        raise
    finally:
        note(task.seconds, size, perf_counter() - began)
        running.reset(token)
        if outer is not None:
            outer.resume()
        for each in arguments:
            if type(each) is PhysicalStore:
                each.expire()
        work.end_here(failure)
