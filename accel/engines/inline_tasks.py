"""Runs plain tasks with as few steps as possible: in the thread that submits them, or in another one.

This is the fast way for the usual case: whole stores in memory of the host that accel allocated, no reduction and no
unbound output. All other tasks run by `accel.engines.local`.
"""

from functools import partial
from math import prod
from time import perf_counter
from typing import Any

from accel.engines.durations import is_tiny, note
from accel.engines.execution import refuse_result
from accel.engines.futures import OVER, Future, WorksFuture
from accel.engines.task_arguments import as_scalar
from accel.engines.task_definition import TaskDefinition
from accel.engines.work import TaskWork, running
from accel.memory import HostStorage
from accel.store.box_order import Use, enter_idle
from accel.store.failures import origin
from accel.store.logical_store import LogicalStore
from accel.store.physical_store import PhysicalStore
from accel.store.root import HOST
from accel.store.task import TaskScope

__all__ = ["plain_uses", "run_body", "run_if_tiny"]

_use: Any = partial(tuple.__new__, Use)  # half the time of `Use(...)`


def plain_uses(task: TaskDefinition, values: tuple[Any, ...]) -> tuple[list[Use], int] | None:
    """Check a call of a task; return what it uses and the bytes of its stores, or None if it is not plain."""
    if not task.simple:
        return None
    uses, nbytes = [], 0
    for at, _, access, _ in task.store_places:
        store = values[at]
        if type(store) is not LogicalStore:
            return None
        root, index_map = store.root, store._map
        if index_map is None or type(root.contents) is not HostStorage or root.home is not None:
            return None
        count = prod(index_map.shape)
        if not count:  # it uses no element of its box
            return None
        nbytes += count * store.dtype.itemsize
        uses.append(_use((root, index_map.box, access, None)))
    for at, name in task.scalar_places:
        as_scalar(task.name, name, values[at])
    return uses, nbytes


def run_if_tiny(task: TaskDefinition, values: tuple[Any, ...], uses: list[Use], nbytes: int) -> Future | None:
    """Run a plain task at once if it is known to be tiny and its stores are idle; return None otherwise."""
    size = nbytes.bit_length()
    if not is_tiny(task.seconds, size):
        return None
    work = TaskWork(task.what, uses, None)
    if not enter_idle(work, uses):
        return None
    failure: BaseException | None = None
    outer = work.suspend_caller()
    token, began = running.set(work), perf_counter()
    try:
        if not run_body(task, values):
            return None
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
        work.end_here(failure)
    return OVER if failure is None else WorksFuture((work,))


@origin
def run_body(task: TaskDefinition, values: tuple[Any, ...]) -> bool:
    """Run the body of a plain task in the caller's thread; return False instead if a store is on a device now."""
    arguments, stores = [*values], []
    for at, _, access, _ in task.store_places:
        store = values[at]
        root = store.root
        contents = root.contents
        if type(contents) is not HostStorage:
            return False
        arguments[at] = physical = PhysicalStore.on(contents, store._map, store.dtype, access=access, place=root.place)
        stores.append(physical)
    try:
        with TaskScope(HOST):
            result = task.bodies["cpu"](*arguments)
            if result is not None:
                refuse_result(task.name, result)
    finally:
        for physical in stores:
            physical.expire()
    return True
