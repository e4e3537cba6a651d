"""The executor: copies are done where the memory is, or pass through the host, and are over on return."""

from functools import partial
from typing import Any

import numpy as np

from accel.copies import host
from accel.copies.distinct import refuse_repeats, refuse_repeats_in_table
from accel.copies.elements import Elements, all_of, of_array
from accel.copies.planner import Mask, fewest_loops
from accel.copies.ways import End, Fresh, Way, allocated, ways
from accel.dtypes import DType
from accel.errors import DTypeError
from accel.memory import AnyStorage, CacheEviction, HostStorage, Stream, Transfer, heap_of
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
    found = _ways(target, source, mask, eviction)
    nbytes = target.size * target.element_type.itemsize
    if len({way.worker for way in found}) > 1:  # which the host has to give their parts one after the other
        whole = [Work(lambda _: _carry(target, source, mask), None, nbytes)]
        return submit(target.storage, source.storage, stream, whole)
    fresh = allocated(found)
    used = target.storage, source.storage, *fresh.values()
    works = [Work(partial(_give, way, fresh, used), way.worker.backend, way.plan.nbytes) for way in found]
    return submit(target.storage, source.storage, stream, works, [*fresh.values()])


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


def _ways(
    target: Elements, source: Elements, mask: Mask | None, eviction: CacheEviction = CacheEviction.NORMAL
) -> list[Way]:
    return ways(_end("target", target), _end("source", source), mask, eviction)


def _end(name: str, elements: Elements) -> End:
    return End(name, elements.storage.device, elements.operand())


def _carry(target: Elements, source: Elements, mask: Mask | None = None) -> None:
    """Copy what was found to be right; done on return."""
    found = _ways(target, source, mask)
    fresh = allocated(found)
    used = target.storage, source.storage, *fresh.values()
    for way in found:
        _give(way, fresh, used, None)
    for storage in fresh.values():
        storage.release()


def _give(way: Way, fresh: Fresh, used: tuple[AnyStorage, ...], stream: Stream | None) -> None:
    """Give a plan to a stream, or do it until it is done."""
    if stream is None:
        way.worker.carry_out(partial(way.give, fresh, None), *used)
    else:
        way.give(fresh, stream)
