"""Runs a tiny task on memory of the user in the thread that submits it, with few steps.

`accel.engines.inline_tasks` does the same on memory that accel allocated. Here too the stores are plain, on the host,
and idle: no work uses the roots or their memory. The task is recorded in the hazards of the memory. So other threads
that use the memory by another name wait. Any other task runs by `accel.engines.local`.
"""

from functools import partial
from math import prod
from typing import Any

from accel.engines.attached_memory import enter_idle
from accel.engines.durations import GIVING_ATTACHED, Duration
from accel.engines.execution import refuse_result
from accel.engines.futures import WorksFuture
from accel.engines.staging import finish, memory_of
from accel.engines.task_arguments import as_scalar
from accel.engines.task_definition import TaskDefinition
from accel.engines.work import TaskWork
from accel.memory import HostStorage
from accel.store.box_order import Use
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.root import HOST, Root
from accel.store.task import TaskScope

__all__ = ["run_attached"]


def run_attached(task: TaskDefinition, values: tuple[Any, ...]) -> WorksFuture | None:
    """Run a task on attached memory at once if it is known to be tiny and its stores are idle; else return None."""
    if not task.simple:
        return None
    uses, nbytes = [], 0
    roots: dict[Root, bool] = {}
    for at, _, access, _ in task.store_places:
        store = values[at]
        if type(store) is not LogicalStore:
            return None
        root, index_map, writes = store.root, store._map, access is not Access.READ
        if index_map is None or index_map.empty or type(root.contents) is not HostStorage or (writes and root.readonly):
            return None
        if root.home is not None:
            roots[root] = writes or roots.get(root, False)
        nbytes += prod(index_map.shape) * store.dtype.itemsize
        uses.append(Use(root, index_map.box, access))
    duration = Duration(task.seconds, nbytes, GIVING_ATTACHED)
    if not roots or not duration.tiny:
        return None
    for at, name in task.scalar_places:
        as_scalar(task.name, name, values[at])
    work = TaskWork(task.what, uses, partial(_run_body, task, values))
    work.duration = duration
    if not enter_idle(work, roots):
        return None
    work.run_here()
    return WorksFuture((work,))


def _run_body(task: TaskDefinition, values: tuple[Any, ...]) -> None:
    arguments, stores = [*values], []
    for at, _, access, _ in task.store_places:
        store = values[at]
        storage, place = memory_of(store.root), store.root.place
        arguments[at] = physical = PhysicalStore.on(storage, store._map, store.dtype, access=access, place=place)
        stores.append((physical, storage))
    try:
        with TaskScope(HOST):
            result = task.bodies["cpu"](*arguments)
            if result is not None:
                refuse_result(task.name, result)
        for _, storage in stores:
            finish(storage)
    finally:
        for physical, _ in stores:
            physical.expire()
