"""The executor: copies are done where the memory is, or pass through the host, and are over on return."""

from functools import partial
from typing import Any

import numpy as np

from accel.copies import host
from accel.copies.distinct import refuse_repeats, refuse_repeats_in_table
from accel.copies.elements import Elements
from accel.copies.host import on_host
from accel.copies.planner import leaves_of, plan, plan_leaves
from accel.device import Device
from accel.dtypes import DType
from accel.errors import DTypeError
from accel.memory import AnyStorage, HostStorage, Operand, Span, allocate, heap_of
from accel.memory.copying import worker_of
from accel.memory.heap import Heap

__all__ = ["copy", "fill", "read", "write"]

_Array = np.ndarray[Any, DType]


def read(source: Elements) -> _Array:
    """Return the elements as a new 1-D array, in their order.

    Raises
    ------
    BoundsError
        If an element is not in the storage.
    """
    source.refuse_outside()
    if on_host(source) and source.size:
        source.storage.settle(writing=False)
        with source.storage.pin():
            return host.gathered(source)
    values = np.empty(source.size, source.element_type)
    copy(_all_of(HostStorage.on_array(values)), source)
    return values


def write(target: Elements, values: _Array) -> None:
    """Write the elements, in their order, from an array of equal size and dtype.

    Raises
    ------
    ReadOnlyError
        If the storage must not change.
    OverlapError
        If an element is named twice.
    BoundsError
        If an element is not in the storage.
    ValueError
        If the sizes differ.
    DTypeError
        If the dtypes differ.
    """
    if not on_host(target):
        copy(target, _all_of(HostStorage.on_array(np.require(values, requirements=["C", "A"]))))
        return
    _refuse_target(target)
    _refuse_unequal(target, values.size, values.dtype)
    target.storage.settle(writing=True)
    if values.size:
        with target.storage.pin():
            host.scatter(target, values.copy() if host.may_share(target, values) else values)


def fill(target: Elements, value: Any) -> None:
    """Set every element to a scalar of the dtype.

    Raises
    ------
    ReadOnlyError
        If the storage must not change.
    OverlapError
        If an element is named twice.
    BoundsError
        If an element is not in the storage.
    """
    _refuse_target(target)
    storage = target.storage
    storage.settle(writing=True)
    if not target.size:
        return
    with storage.pin():
        if on_host(target):
            host.fill(target, value)
        elif target.table is None:
            heap = heap_of(storage.device)
            heap.carry_out(partial(heap.backend.fill, _merged(target), value, stream=None), storage)
        else:
            one = HostStorage.on_array(np.array([value], target.element_type))
            _carry(target, Elements(one, 0, ((target.size, 0),)))


def copy(target: Elements, source: Elements, *, cast: bool = False) -> None:
    """Copy elements, paired in order, from any device to any other; they may overlap.

    Parameters
    ----------
    target, source : Elements
        Of equal size.
    cast : bool
        Convert to the target's dtype as `numpy.ndarray.astype` does; what that loses is lost in silence.

    Raises
    ------
    ReadOnlyError
        If the target's storage must not change.
    OverlapError
        If the target names an element twice.
    BoundsError
        If an element is not in its storage.
    ValueError
        If the sizes differ.
    DTypeError
        If the dtypes differ, without ``cast``.
    """
    _refuse_target(target)
    source.refuse_outside()
    _refuse_unequal(target, source.size, target.element_type if cast else source.element_type)
    target.storage.settle(writing=True)
    source.storage.settle(writing=False)
    if target.size:
        # Another thread may release either one meanwhile.
        with target.storage.pin(), source.storage.pin():
            _carry(target, source)


def _refuse_target(target: Elements) -> None:
    target.storage.refuse_read_only()
    target.refuse_outside()
    if target.table is None:
        refuse_repeats(target.leaves)
    else:
        refuse_repeats_in_table(target.table)


def _refuse_unequal(target: Elements, size: int, dtype: DType) -> None:
    if target.size != size:
        raise ValueError(f"{size} elements cannot be copied into {target.size}: the sizes must be equal")
    if target.element_type != dtype:
        raise DTypeError(
            f"{dtype.name} elements cannot be copied into {target.element_type.name}: convert them first, or where "
            f"one copies from memory to memory, write cast=True"
        )


def _carry(target: Elements, source: Elements) -> None:
    """Copy what was found to be right, of one element or more."""
    if on_host(target) and on_host(source):
        host.move(target, source)
        return
    worker = worker_of(heap_of(target.storage.device), heap_of(source.storage.device))
    indexed = target.table is not None or source.table is not None
    if worker is not None and not indexed and target.element_type == source.element_type:
        _on_device(worker, target, source)
    elif on_host(source):
        _by_image(target, source)
    else:
        whole = _whole(source)
        with _host_memory(whole) as image:
            _carry(_all_of(image), whole)
            _carry(target, _within(image, source))


def _on_device(worker: Heap, target: Elements, source: Elements) -> None:
    """Copy by the backend that knows both ends."""
    into, out_of = target.operand(), source.operand()
    found = plan_leaves(leaves_of(into), leaves_of(out_of), into.dtype.itemsize)
    if found is None:
        with allocate(source.storage.device, source.size, source.element_type) as compact:
            _carry(_all_of(compact), source)
            _carry(target, _all_of(compact))
        return
    work = partial(worker.backend.copy_strided, into, out_of, found, stream=None)
    if found.kind == "contiguous":
        nbytes = target.size * found.itemsize
        work = partial(worker.backend.copy, _span(into, nbytes), _span(out_of, nbytes), stream=None)
    worker.carry_out(work, target.storage, source.storage)


def _span(operand: Operand, nbytes: int) -> Span:
    """Return the bytes from the first element on."""
    return Span(operand.span.block, operand.span.start + operand.start, nbytes)


def _by_image(target: Elements, source: Elements) -> None:
    """Copy to a device what only the host can put in place, in an image that is then copied as it is."""
    whole = _whole(target)
    with _host_memory(whole) as image:
        if target.table is not None:  # what lies between the elements stays
            _carry(_all_of(image), whole)
        host.move(_within(image, target), source)
        _carry(whole, _all_of(image))


def _whole(elements: Elements) -> Elements:
    """Return what loops can copy: the elements themselves, or all between them where a table says which they are."""
    return elements if elements.table is None else elements.covering()


def _host_memory(elements: Elements) -> HostStorage:
    return HostStorage.allocated(heap_of(Device.CPU), elements.size, elements.element_type)


def _within(image: HostStorage, elements: Elements) -> Elements:
    """Return elements in the image of their whole."""
    if elements.table is None:
        return _all_of(image)
    return Elements(image, -elements.reach.low, (), None, elements.table)


def _all_of(storage: AnyStorage) -> Elements:
    return Elements(storage, 0, ((storage.size, 1),))


def _merged(elements: Elements) -> Operand:
    """Describe elements of which the order does not matter by as few loops as possible."""
    operand = elements.operand()
    loops = plan(operand, operand)
    return operand._replace(extents=loops.extents, strides=loops.target_strides)
