"""Runs the body of a task for one point: physical stores, scratch memory, and the results.

This part knows no engine and no thread. An engine says where the elements of each operand are (`Memory`), and gets
the results (`BodyResults`).
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from accel.abc.stream import Event
from accel.device import Device
from accel.engines.points import Operand, Point
from accel.engines.task_definition import Body, kernel_views
from accel.errors import CapabilityError, StoreError, StoreTypeError
from accel.kernels import Kernel
from accel.memory import AnyStorage, copy_elements, heap_of
from accel.store.arrays.physical_array import PhysicalArray, physical_array
from accel.store.boxes import volume
from accel.store.failures import origin
from accel.store.index_maps import IndexMap
from accel.store.physical_store import PhysicalStore
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.scratch import elements_of
from accel.store.store_targets import Place
from accel.store.task import TaskScope
from accel.views import LayoutTensor

__all__ = ["BodyResults", "Memory", "combine", "run"]


class Memory(NamedTuple):
    """Where the elements of an operand are.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory.
    map : IndexMap
        The elements in this memory.
    place : Place
        The kind of memory.
    """

    storage: AnyStorage
    map: IndexMap
    place: Place = HOST


class BodyResults(NamedTuple):
    """The outputs of a body that are not in the memory of its operands.

    Attributes
    ----------
    bound : dict
        For each unbound output its memory and its shape.
    partials : dict
        For each reduction the values to combine: the elements of the operand's box in C order.
    """

    bound: dict[str, tuple[AnyStorage, tuple[int, ...]]]
    partials: dict[str, AnyStorage]


def run(point: Point, memories: Mapping[str, Memory], place: Place = HOST) -> BodyResults:
    """Run the body of a task for one point.

    Parameters
    ----------
    point : Point
        The point; its operands need no roots.
    memories : mapping
        The memory of each operand, except of unbound outputs and reductions, which get memory here.
    place : Place
        The place of that memory, and the device whose variant runs.

    Raises
    ------
    CapabilityError
        If the task has no body for the device.
    StoreTypeError
        If the body returns something.
    StoreError
        If the body did not bind an unbound output.
    BaseException
        What the body raises.
    """
    body = point.task.bodies.get(place.device.type)
    if body is None:
        raise CapabilityError(
            f"task {point.task.name} has no body for {place.device}; write one: @{point.task.name}.variant("
            f"{place.device.type!r})"
        )
    results = BodyResults({}, {})
    # None where work is done at once. Outside of `with stream:` it is the default stream of the device.
    stream = heap_of(place.device).stream
    with TaskScope(place), stream or nullcontext():
        stores = _physical_stores(point, memories, place, results.partials)
        arrays = _arrays(point, stores) if point.nestings else {}
        try:
            call(point.task, body, {**point.scalars, **stores, **arrays})
        finally:
            for each in stores.values():
                each.expire()
        for operand in point.operands:
            if operand.map is None:
                results.bound[operand.name] = _bound(point, operand, stores[operand.name])
    return results


def _arrays(point: Point, stores: Mapping[str, PhysicalStore]) -> dict[str, PhysicalArray]:
    """Return the physical arrays, by parameter."""
    arrays = {}
    for name, nesting in point.nestings.items():
        parts = [each.name for each in point.operands if each.name.rpartition(".")[0] == name]
        arrays[name] = physical_array(nesting, [stores[part] for part in parts])
    return arrays


def _physical_stores(
    point: Point, memories: Mapping[str, Memory], place: Place, partials: dict[str, AnyStorage]
) -> dict[str, PhysicalStore]:
    """Return the physical stores by name; each reduction gets memory of its own, which is added to the partials."""
    stores = {}
    for operand in point.operands:
        memory = memories.get(operand.name)
        if operand.access is Access.REDUCE:
            memory = _identities(operand, place)
            partials[operand.name] = memory.storage
        stores[operand.name] = (
            PhysicalStore.unbound(operand.dtype, operand.ndim, place)
            if memory is None
            else PhysicalStore.on(
                memory.storage,
                memory.map,
                operand.dtype,
                access=operand.access,
                place=memory.place,
                origin=operand.origin,
                op=operand.op,
                partitioned=operand.partitioned,
                future=operand.future,
            )
        )
    return stores


@origin
def call(task: Any, body: Body, arguments_by_name: Mapping[str, Any]) -> None:
    """Call a body with its arguments, by position; it must return nothing."""
    arguments = [arguments_by_name[each.name] for each in task.parameters]
    if isinstance(body, Kernel):
        result = body(*[_for_kernel(each, view) for each, view in zip(arguments, kernel_views(body), strict=True)])
        result = None if isinstance(result, Event) else result
    else:
        at = task.positional
        result = body(*arguments[:at], **dict(zip(task.keywords, arguments[at:], strict=True)))
    if result is not None:
        refuse_result(task.name, result)


def refuse_result(name: str, result: object) -> None:
    """Raise the error for a body that returns something."""
    raise StoreTypeError(
        f"the body of task {name} returned {type(result).__name__}; a task returns nothing: write its results to an "
        f"Output, or combine them into a Reduce"
    )


def _for_kernel(argument: Any, view: type) -> Any:
    """Return a physical store as the view that a kernel's parameter takes; others as they are."""
    if not isinstance(argument, PhysicalStore):
        return argument
    storage, index_map = argument._memory(), argument._map
    typed = storage if storage.dtype == argument.dtype else storage.window(0, storage.size, argument.dtype)
    tensor = LayoutTensor(typed, index_map.layout, index_map.offset)
    if view is not LayoutTensor:
        return view(tensor)
    return tensor.get_immutable() if argument._access is Access.READ else tensor


def _bound(point: Point, operand: Operand, store: PhysicalStore) -> tuple[AnyStorage, tuple[int, ...]]:
    """Return the memory and the shape that a body chose for an unbound output."""
    bound = store.bound
    if bound is None:
        raise StoreError(
            f"{point} did not bind {operand.name!r}, which is unbound; call create_output_buffer(extents, "
            f"bind_buffer=True), bind_data or bind_empty_data in the body"
        )
    return bound


def _identities(operand: Operand, place: Place) -> Memory:
    """Return memory for the box of a reduction, filled with the identity of the operator."""
    assert operand.op is not None, "a reduction has an operator"
    assert operand.map is not None, "a reduction has a shape"
    values = elements_of(HOST, volume(operand.box), operand.dtype)
    host_array(values)[...] = operand.op.identity(operand.dtype)
    return Memory(moved(values, place), operand.map.on_box(), place)


def moved(storage: AnyStorage, place: Place) -> AnyStorage:
    """Return the elements in memory of another place; the same memory if they are there."""
    if storage.device is place.device:
        return storage
    copy = elements_of(place, storage.size, storage.dtype)
    copy_elements(copy, storage)
    return copy


def host_array(storage: AnyStorage) -> Any:
    """Return the elements of host memory as a NumPy array."""
    assert storage.device is Device.CPU, "host memory"
    return np.asarray(storage)


def combine(op: ReductionOp, partials: Sequence[AnyStorage]) -> Any:
    """Combine values on the host as a tree, in the order of their colors; return a NumPy array.

    The tree depends on the number of values only, so the result is the same in each run. The first value is changed.
    """
    arrays = [host_array(moved(each, HOST)) for each in partials]
    while len(arrays) > 1:
        for left, right in zip(arrays[::2], arrays[1::2], strict=False):
            op.combine(left, right)
        arrays = arrays[::2]
    return arrays[0]
