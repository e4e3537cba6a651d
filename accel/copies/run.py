"""The executor: copies are done where the memory is, or pass through the host."""

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from accel.abc import CacheEviction, Stream
from accel.copies import host
from accel.copies.elements import Elements, all_of, of_array
from accel.copies.injectivity import refuse_repeats, refuse_repeats_in_table
from accel.copies.planner import Mask, fewest_loops
from accel.copies.stages import End, Fresh, Stage, allocated, stages_of
from accel.copies.transfer import Transfer, TransferPart, refuse_foreign, submit
from accel.dtypes import DType
from accel.errors import DTypeError, OutOfMemoryError
from accel.memory import HostStorage, heap_of
from accel.memory.owner import Owner
from accel.memory.shortage import out_of_memory
from accel.memory.sizes import in_words
from accel.memory.submission import Use, carry_out, on_host

__all__ = ["copy", "copy_async", "fill", "in_c_order", "read", "write"]

_Array = np.ndarray[Any, DType]
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def _reporting(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Let a function raise `OutOfMemoryError` where the host has no room for what it lists or returns."""

    @wraps(function)
    def reporting(*arguments: _Given.args, **keywords: _Given.kwargs) -> _Result:
        try:
            return function(*arguments, **keywords)
        except MemoryError as error:
            raise out_of_memory(error, "reading, writing or copying elements") from None

    return reporting


@_reporting
def read(source: Elements) -> _Array:
    """Return the elements as a new 1-D array, in their order.

    Raises
    ------
    BoundsError
        If an element is not in the storage.
    OutOfMemoryError
        If there is no room for so many, as they may be the same ones again and again.
    """
    source.refuse_outside()
    if host.at_once(source) and source.size:
        return on_host((Use(source.storage, False),), partial(host.gathered, source))
    values = _room_for(source.size, source.element_type)
    if values.size:
        copy(all_of(HostStorage.on_array(values)), source)
    return values


def _room_for(size: int, dtype: DType) -> _Array:
    try:
        return np.empty(size, dtype)
    except (MemoryError, ValueError, OverflowError):  # NumPy has other errors for sizes that no memory has
        raise OutOfMemoryError(
            f"{size} elements of {dtype.name} take {in_words(size * dtype.itemsize)} of memory, "
            "for which the host has no room; read a part of them"
        ) from None


@_reporting
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
    if values.size:
        given = values.copy() if host.may_share(target, values) else values
        on_host((_written(target),), partial(host.scatter, target, given))


@_reporting
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
    if not target.size:
        return
    if host.at_once(target):
        on_host((_written(target),), partial(host.scatter, target, np.asarray(value, target.element_type)))
    else:
        heap, operand = heap_of(storage.device), fewest_loops(target.operand())
        carry_out(heap, (_written(target),), partial(heap.backend.fill, operand, value, stream=None))


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
    found = _stages(target, source)
    fresh = allocated(found)
    uses = _written(target), Use(source.storage, False), *[Use(each, True) for each in fresh.values()]
    for stage in found:
        carry_out(stage.worker, uses, partial(stage.give, fresh, None))
    for storage in fresh.values():
        storage.release()


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
    found, used = _stages(target, source, mask, eviction), (target.storage.owner, source.storage.owner)
    all_written = mask is None and _written(target).whole
    if len({stage.worker for stage in found}) > 1:  # which the host has to give their parts one after the other
        nbytes = target.size * target.element_type.itemsize
        whole = [TransferPart(lambda _: _do(found, allocated(found), used, None), None, nbytes)]
        return submit(target.storage, source.storage, stream, whole, whole=all_written)
    fresh = allocated(found, stream)
    works = [
        TransferPart(partial(_do, [stage], fresh, used), stage.worker.backend, stage.plan.nbytes) for stage in found
    ]
    return submit(target.storage, source.storage, stream, works, [*fresh.values()], whole=all_written)


@_reporting
def in_c_order(array: _Array) -> _Array:
    """Return a NumPy array's elements one after another in C order and aligned: the array itself where they lie so."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.nbytes < host.FEW:
        return array.copy()
    made = np.empty(array.shape, array.dtype)
    copy(of_array(made), of_array(array))
    return made


def _written(target: Elements) -> Use:
    """Return the use of what is written, of which no element is named twice."""
    return Use(target.storage, True, target.size * target.element_type.itemsize == target.storage.nbytes)


@_reporting
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


@_reporting
def _stages(
    target: Elements,
    source: Elements,
    mask: Mask | None = None,
    eviction: CacheEviction = CacheEviction.NORMAL,
) -> list[Stage]:
    return stages_of(_end("target", target), _end("source", source), mask, eviction)


def _end(name: str, elements: Elements) -> End:
    return End(name, elements.storage.device, elements.operand())


def _do(found: Sequence[Stage], fresh: Fresh, used: tuple[Owner, ...], stream: Stream | None) -> None:
    """Give plans to a stream, or without one to a thread that waits for each; whoever submits it keeps the order."""
    held = [storage.owner for storage in fresh.values()]
    for stage in found:
        give = partial(stage.give, fresh, stream)
        give() if stream is not None else stage.worker.carry_out(give, *used, *held)
