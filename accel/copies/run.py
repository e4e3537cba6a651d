"""Reads, writes, fills and copies of elements: done where the memory is, or through the host."""

import math
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from accel.abc import CacheEviction, Event, Stream
from accel.copies import few_elements, thresholds
from accel.copies.elements import Elements, all_of, of_array
from accel.copies.fills import filled_within_device
from accel.copies.injectivity import names_twice, refuse_repeats, refuse_repeats_in_table
from accel.copies.items import Item, item_of
from accel.copies.over_link import submitted_over_link
from accel.copies.planner import Mask, fewest_loops
from accel.copies.stages import End, Fresh, Stage, allocated, stages_of
from accel.copies.transfer import Transfer, TransferPart, in_order_on, refuse_foreign, submit
from accel.copies.within_device import submitted_within_device
from accel.dtypes import DType
from accel.errors import DTypeError, OutOfMemoryError
from accel.memory import AnyStorage, HostStorage, heap_of
from accel.memory.byte_copies import copy_elements, uploaded
from accel.memory.captures import ACTIVE, refuse_host_copy
from accel.memory.owner import Owner
from accel.memory.shortage import out_of_memory
from accel.memory.sizes import in_words
from accel.memory.storage_work import Use, carry_out, on_host, submit_in_order

__all__ = [
    "checked_ends",
    "copy",
    "copy_async",
    "copy_by_plan",
    "copy_whole",
    "fill",
    "fill_with",
    "in_c_order",
    "read",
    "write",
    "write_new",
]

_Array = np.ndarray[Any, DType]
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_WHAT = "reading, writing or copying elements"


def _reporting(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Let a function raise `OutOfMemoryError` where the host has no memory for its tables or its result."""

    @wraps(function)
    def reporting(*arguments: _Given.args, **keywords: _Given.kwargs) -> _Result:
        try:
            return function(*arguments, **keywords)
        except MemoryError as error:
            raise out_of_memory(error, _WHAT) from None

    return reporting


@_reporting
def read(source: Elements) -> _Array:
    """Return the elements, in order, as a new 1-D array.

    Parameters
    ----------
    source : Elements
        What is read.

    Returns
    -------
    _Array
        The elements.

    Raises
    ------
    BoundsError
        If an element is not in the storage.
    OutOfMemoryError
        If the host has no memory for the array. It can be larger than the storage: strides of 0 repeat elements.
    """
    source.refuse_outside()
    if ACTIVE:
        refuse_host_copy(source.storage.device)
    if few_elements.at_once(source) and source.size:
        return on_host((Use(source.storage, False),), partial(few_elements.gathered, source))
    values = _room_for(source.size, source.element_type)
    if values.size:
        copy(all_of(HostStorage.on_array(values)), source)
    return values


def _room_for(size: int, dtype: DType) -> _Array:
    try:
        return np.empty(size, dtype)
    except (MemoryError, ValueError, OverflowError):  # NumPy's errors for sizes beyond any address space differ
        raise OutOfMemoryError(
            f"{size} elements of {dtype.name} take {in_words(size * dtype.itemsize)} of memory, "
            "for which the host has no room; read a part of them"
        ) from None


@_reporting
def write(target: Elements, values: _Array) -> None:
    """Write the elements, in their order, from an array of equal size and dtype in C order.

    Parameters
    ----------
    target : Elements
        What is written.
    values : _Array
        An array of the elements.

    Raises
    ------
    ReadOnlyError
        If the storage is read-only.
    OverlapError
        If an element is named twice.
    BoundsError
        If an element is not in the storage.
    ValueError
        If the sizes differ.
    DTypeError
        If the dtypes differ.
    """
    if ACTIVE:
        refuse_host_copy(target.storage.device)
    if not few_elements.at_once(target):
        copy(target, of_array(values))
        return
    _refuse_target(target)
    _refuse_unequal(target, values.size, values.dtype)
    if values.size:
        source = values.copy() if few_elements.may_share(target, values) else values
        on_host((_use_of_target(target),), partial(few_elements.scatter, target, source))


@_reporting
def write_new(storage: AnyStorage, values: _Array) -> None:
    """Write all elements of new memory, which only the caller has, from an array of their number and dtype in C order.

    If that fails, the memory is released.

    Parameters
    ----------
    storage : HostStorage or DeviceStorage
        The storage that is written.
    values : _Array
        An array of the elements.
    """
    target = all_of(storage)
    try:
        if values.flags.c_contiguous and uploaded(storage, values):
            return
        # On the host no order is needed: no other work can use the memory yet.
        if few_elements.at_once(target):
            few_elements.scatter(target, values)
        elif isinstance(storage, HostStorage):
            for stage in _stages(target, of_array(values)):
                stage.give({}, None)
        else:
            copy(target, of_array(values))
    except BaseException:
        storage.release()
        raise


def fill(target: Elements, value: Any) -> None:
    """Set every element to a scalar of the dtype, as `fill_with` does.

    Parameters
    ----------
    target : Elements
        What is written.
    value : number
        A number that the dtype holds.
    """
    fill_with(target, item_of(value, target.element_type))


@_reporting
def fill_with(target: Elements, item: Item) -> None:
    """Set every element to a value of the dtype.

    Parameters
    ----------
    target : Elements
        What is written.
    item : Item
        The value.

    Raises
    ------
    ReadOnlyError
        If the storage is read-only.
    OverlapError
        If an element is named twice.
    BoundsError
        If an element is not in the storage.
    """
    storage, start, leaves, dtype, table, swizzle = target
    if table is None and swizzle is None and filled_within_device(storage, start, leaves, item, dtype):
        return
    _refuse_target(target)
    value = item.value
    if not target.size:
        return
    if few_elements.at_once(target):
        on_host(
            (_use_of_target(target),), partial(few_elements.scatter, target, np.asarray(value, target.element_type))
        )
    else:
        heap, operand = heap_of(storage.device), fewest_loops(target.operand())
        carry_out(heap, (_use_of_target(target),), partial(heap.backend.fill, operand, value, stream=None))


def copy(target: Elements, source: Elements, *, cast: bool = False) -> None:
    """Copy elements, paired in order, from any device to any other; both ends may share memory.

    Parameters
    ----------
    target, source : Elements
        Of equal size.
    cast : bool
        Convert to the target's dtype as `numpy.ndarray.astype` does, without a warning where values do not fit.

    Raises
    ------
    ReadOnlyError
        If the target's storage is read-only.
    OverlapError
        If the target names an element twice.
    BoundsError
        If an element is not in its storage.
    ValueError
        If the sizes differ.
    DTypeError
        If the dtypes differ, without ``cast``.
    """
    if not few_elements.copied_at_once(target, source):
        copy_by_plan(target, source, cast=cast)


def copy_whole(target: AnyStorage, source: AnyStorage) -> None:
    """Copy all elements of a storage to another one of equal size and dtype, on any device, as `copy` does.

    Parameters
    ----------
    target : HostStorage or DeviceStorage
        What is written.
    source : HostStorage or DeviceStorage
        What is read.
    """
    few = type(target) is HostStorage and target.size <= thresholds.FEW_ELEMENTS
    if not (few and few_elements.copied_at_once(all_of(target), all_of(source))):
        copy_elements(target, source)


def copy_by_plan(target: Elements, source: Elements, *, cast: bool = False) -> None:
    """Copy elements as `copy` does, after `copied_at_once` has returned False for them.

    Parameters
    ----------
    target : Elements
        What is written.
    source : Elements
        What is read.
    cast : bool, default False
        Whether elements may be converted to the dtype of the target.
    """
    stages = _stages(target, source, cast=cast)
    if not stages:
        return
    fresh = allocated(stages) if len(stages) > 1 else {}  # a single stage joins the ends, with nothing in between
    into = stages[-1].target.operand
    whole = into.span.nbytes == math.prod(into.extents) * into.dtype.itemsize  # no element is written twice
    uses = [Use(target.storage, True, whole), Use(source.storage, False)]
    uses += map(partial(Use, writing=True), fresh.values())
    for stage in stages:
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
    """Copy elements on a stream of the device of either end, and return at once; both ends may share memory.

    Parameters
    ----------
    target, source : Elements
        Of equal size and dtype.
    stream : Stream
        Of the device of either end.
    mask : Mask, optional
        Which elements of the source are read; all by default.
    eviction : CacheEviction
        A hint for the cache about the source.

    Returns
    -------
    Transfer
        The copy in flight.

    Raises
    ------
    DeviceMismatchError
        If the stream belongs to another device.
    Exception
        As `copy` does.
    """
    in_order = in_order_on(stream, target.storage, source.storage)
    if mask is None and eviction is CacheEviction.NORMAL:
        submitted = submitted_within_device if in_order else submitted_over_link
        event: Event | None = submitted(target, source, stream)
        if event is not None:
            return _transfer(target, source, event, stream)
    stages, used = _stages(target, source, mask, eviction), (target.storage.owner, source.storage.owner)
    uses = _uses(target, source, whole=mask is None)
    if in_order and len(stages) == 1:
        event = submit_in_order(heap_of(stream.device), stream, uses, partial(stages[0].give, {}, stream))
        if event is not None:
            return _transfer(target, source, event, stream)
    refuse_foreign(stream, target.storage.device, source.storage.device)
    whole = uses[0].whole
    if len({stage.worker for stage in stages}) > 1:  # a thread of the host gives them to their devices in turn
        nbytes = target.size * target.element_type.itemsize
        parts = [TransferPart(lambda _: _do(stages, allocated(stages), used, None), None, nbytes)]
        return submit(target.storage, source.storage, stream, parts, whole=whole)
    fresh = allocated(stages, stream)
    parts = [
        TransferPart(partial(_do, [stage], fresh, used), stage.worker.backend, stage.plan.nbytes) for stage in stages
    ]
    return submit(target.storage, source.storage, stream, parts, [*fresh.values()], whole=whole)


def _uses(target: Elements, source: Elements, *, whole: bool) -> tuple[Use, Use]:
    """Return the uses of a copy; ``whole`` if it writes all elements of the target."""
    written = _use_of_target(target)
    return written if whole else written._replace(whole=False), Use(source.storage, False)


def _transfer(target: Elements, source: Elements, event: Event, stream: Stream) -> Transfer:
    """Return a transfer that was submitted in order."""
    nbytes = target.size * target.element_type.itemsize
    return Transfer(target.storage.device, source.storage.device, [(event, nbytes)], heap_of(stream.device))


@_reporting
def in_c_order(array: _Array) -> _Array:
    """Return an array of the same elements, contiguous in C order and aligned: the array itself if it is both.

    Parameters
    ----------
    array : _Array
        The array.

    Returns
    -------
    _Array
        The array, or a copy.
    """
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.nbytes < thresholds.FEW_BYTES:
        return array.copy()
    result = np.empty(array.shape, array.dtype)
    copy(of_array(result), of_array(array))
    return result


def _use_of_target(target: Elements) -> Use:
    """Return the use of a target whose elements are all written, each once."""
    return Use(target.storage, True, target.size * target.element_type.itemsize == target.storage.nbytes)


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
            f"{dtype.name} elements cannot be copied into {target.element_type.name}: convert them first, or "
            f"write cast=True, if both ends are tensors or other memory"
        )


def _stages(
    target: Elements,
    source: Elements,
    mask: Mask | None = None,
    eviction: CacheEviction = CacheEviction.NORMAL,
    *,
    cast: bool = False,
) -> list[Stage]:
    """Return the stages of a copy, or refuse it."""
    try:
        return stages_of(*checked_ends(target, source, cast=cast), mask, eviction)
    except MemoryError as error:
        raise out_of_memory(error, _WHAT) from None


def checked_ends(target: Elements, source: Elements, *, cast: bool = False) -> tuple[End, End]:
    """Return the ends of a copy, or refuse it with the errors of `copy`; each refusal is looked up once."""
    into = target.operand()
    if not into.writable:
        target.storage.refuse_read_only()
    size = target.refuse_outside()
    if target.table is not None:
        refuse_repeats_in_table(target.table)
    elif names_twice(target.leaves):
        refuse_repeats(target.leaves)
    out_of = source.operand()
    if source.refuse_outside() != size or not (cast or into.dtype == out_of.dtype):
        _refuse_unequal(target, source.size, into.dtype if cast else out_of.dtype)
    return End("target", target.storage.device, into), End("source", source.storage.device, out_of)


def _do(stages: Sequence[Stage], fresh: Fresh, used: tuple[Owner, ...], stream: Stream | None) -> None:
    """Give stages to a stream; without one, do each and wait for it. The caller keeps the order with other work."""
    owners = [storage.owner for storage in fresh.values()]
    for stage in stages:
        give = partial(stage.give, fresh, stream)
        give() if stream is not None else stage.worker.carry_out(give, *used, *owners)
