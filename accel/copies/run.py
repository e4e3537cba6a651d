"""The executor: copies are done where the memory is, or pass through the host, and are over on return."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from accel.copies import host
from accel.copies.distinct import refuse_repeats, refuse_repeats_in_table
from accel.copies.elements import Elements, of_array
from accel.copies.planner import Mask, fewest_loops
from accel.copies.steps import Step, all_of, steps_of
from accel.device import Device
from accel.dtypes import DType
from accel.errors import DTypeError
from accel.memory import CacheEviction, Fill, HostStorage, Stream, Transfer, heap_of
from accel.memory.copying import worker_of
from accel.memory.heap import Heap
from accel.memory.transfer import Work, refuse_foreign, submit

__all__ = ["copy", "copy_async", "fill", "in_c_order", "read", "write"]

_Array = np.ndarray[Any, DType]


def read(source: Elements) -> _Array:
    """Return the elements as a new 1-D array, in their order.

    Raises
    ------
    BoundsError
        If an element is not in the storage.
    """
    source.refuse_outside()
    if host.at_once(source) and source.size:
        source.storage.settle(writing=False)
        with source.storage.pin():
            return host.gathered(source)
    values = np.empty(source.size, source.element_type)
    if values.size:
        copy(all_of(HostStorage.on_array(values)), source)
    return values


def write(target: Elements, values: _Array) -> None:
    """Write the elements, in their order, from an array of equal size and dtype in C order.

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
    if not host.at_once(target):
        copy(target, of_array(values))
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
    if target.size:
        with storage.pin():
            if host.at_once(target):
                host.scatter(target, np.asarray(value, target.element_type))
                return
            heap = heap_of(storage.device)
            heap.carry_out(partial(heap.backend.fill, fewest_loops(target.operand()), value, stream=None), storage)


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
    if host.copied_at_once(target, source):
        return
    _refuse(target, source, cast=cast)
    target.storage.settle(writing=True)
    source.storage.settle(writing=False)
    if target.size:
        # Another thread may release either one meanwhile.
        with target.storage.pin(), source.storage.pin():
            _carry(target, source)


def copy_async(
    target: Elements,
    source: Elements,
    *,
    stream: Stream,
    mask: Mask | None = None,
    eviction: CacheEviction = CacheEviction.NORMAL,
) -> Transfer:
    """Copy elements on a stream of either one's device, and return at once; they may overlap.

    Parameters
    ----------
    target, source : Elements
        Of equal size and dtype.
    stream : Stream
        Of the device of either one.
    mask : Mask, optional
        What of the source is read.
    eviction : CacheEviction
        A hint for what is read.

    Raises
    ------
    DeviceMismatchError
        If the stream is of neither one's device; all else as for `copy`.
    """
    _refuse(target, source, cast=False)
    refuse_foreign(stream, target.storage.device, source.storage.device)
    worker = _worker(target, source)
    if worker is None:
        nbytes = target.size * target.element_type.itemsize
        return submit(
            target.storage, source.storage, stream, [Work(lambda _: _carry(target, source, mask), None, nbytes)]
        )
    steps, between = steps_of(worker.device, target, source, mask, eviction)
    works = [Work(_work(worker, step, target, source), worker.backend, step.plan.nbytes) for step in steps]
    return submit(target.storage, source.storage, stream, works, between)


def in_c_order(array: _Array) -> _Array:
    """Return a NumPy array's elements one after another in C order and aligned: the array itself where they lie so."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.nbytes < host.FEW:
        return array.copy()
    made = np.empty(array.shape, array.dtype)
    copy(of_array(made), of_array(array))
    return made


def _refuse(target: Elements, source: Elements, *, cast: bool) -> None:
    _refuse_target(target)
    source.refuse_outside()
    _refuse_unequal(target, source.size, target.element_type if cast else source.element_type)


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


def _worker(target: Elements, source: Elements) -> Heap | None:
    return worker_of(heap_of(target.storage.device), heap_of(source.storage.device))


def _carry(target: Elements, source: Elements, mask: Mask | None = None) -> None:
    """Copy what was found to be right, of one element or more; done on return."""
    worker = _worker(target, source)
    cast = target.element_type != source.element_type
    if worker is None or (cast and not _cast_here(target, source)):
        _by_image(target, source, mask)
        return
    steps, between = steps_of(worker.device, target, source, mask)
    for step in steps:
        _work(worker, step, target, source)(None)
    for storage in between:
        storage.release()


def _cast_here(target: Elements, source: Elements) -> bool:
    """Tell whether the host can cast while it copies."""
    return host.on_host(target) and host.on_host(source) and target.table is None and source.table is None


def _work(worker: Heap, step: Step, target: Elements, source: Elements) -> Callable[[Stream | None], None]:
    """Return what does a step: on a stream, or without one until it is done."""
    give = step.on(worker.backend)

    def work(stream: Stream | None) -> None:
        if stream is None:
            worker.carry_out(partial(give, None), target.storage, source.storage)
        else:
            give(stream)

    return work


def _by_image(target: Elements, source: Elements, mask: Mask | None) -> None:
    """Copy by way of the host, because no backend knows both ends, or because the host must cast."""
    dtype = target.element_type if host.on_host(source) and source.table is None else source.element_type
    with HostStorage.allocated(heap_of(Device.CPU), source.size, dtype) as image:
        if mask is not None and mask.fill is Fill.NONE:  # what is not read stays as it is
            _carry(all_of(image), target)
        _carry(all_of(image), source, mask)
        _carry(target, all_of(image))
