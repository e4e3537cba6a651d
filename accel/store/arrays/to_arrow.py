"""Arrays become columns for Arrow."""

from typing import NamedTuple

import numpy as np

from accel.errors import StoreValueError
from accel.interchange.arrow.checks import check_offsets
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.export import array_capsules
from accel.interchange.arrow.fields import STRUCT, Field, format_of
from accel.interchange.arrow.host_columns import column_on_host, taken
from accel.interchange.arrow.transfers import on_device
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.host_storage import HostArray, HostStorage
from accel.store import shared_memory
from accel.store.arrays.children import check_ranges
from accel.store.arrays.list_array import ListLogicalArray
from accel.store.arrays.logical_array import LogicalArray
from accel.store.arrays.string_array import StringLogicalArray
from accel.store.arrays.struct_array import StructLogicalArray
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.views import LayoutTensor

__all__ = ["HostColumn", "column_of", "field_of"]


class HostColumn(NamedTuple):
    """An array for Arrow's consumers on the host; from a device it is copied."""

    array: LogicalArray

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return array_capsules(column_on_host(column_of(self.array)))


def field_of(array: LogicalArray, name: str = "") -> Field:
    """Return the type of an array as Arrow says it."""
    match array:
        case ListLogicalArray():
            return Field("+L", name, (field_of(array.vardata, "item"),))
        case StringLogicalArray():
            return Field("U", name)
        case StructLogicalArray():
            fields = tuple(field_of(child, each) for each, child in array.fields.items())
            return Field(STRUCT, name, fields)
    return Field(format_of(array.data.dtype), name)


def column_of(array: LogicalArray) -> Column:
    """Return an array as a column on the same memory, once the tasks that write it are done.

    Elements that are not contiguous are copied, and so are values of lists that are not in order. The ranges of lists
    become offsets.

    Raises
    ------
    StoreValueError
        If there is more than one dimension.
    FormatError
        If a list has elements that are not there.
    """
    if array.ndim != 1:
        raise StoreValueError(f"Arrow's columns have 1 dimension, and this array has {array.ndim}; project the others")
    mask = storage_of(array.null_mask) if array.nullable else None
    match array:
        case ListLogicalArray():
            return _lists(array, mask)
        case StringLogicalArray():
            return _strings(array, mask)
        case StructLogicalArray():
            fields = tuple((name, column_of(child)) for name, child in array.fields.items())
            return Struct(array.shape[0], fields, mask)
    return Values(storage_of(array.data), mask)


def storage_of(store: LogicalStore) -> AnyStorage:
    """Return the elements of a store of one dimension; a copy unless they are contiguous."""
    root, index_map = store.root, store.map
    root.refuse_detached()
    shared_memory.settle(root, index_map.box, writing=False)
    storage, (count,) = root.storage(), index_map.shape
    if index_map.compact:
        return storage.window(index_map.offset * store.dtype.itemsize, count, store.dtype)
    whole = storage.window(0, storage.size, store.dtype)
    copied = allocate(storage.device, count, store.dtype)
    LayoutTensor(copied, Layout.row_major(count)).copy_from(LayoutTensor(whole, index_map.layout, index_map.offset))
    return copied


def _strings(array: StringLogicalArray, mask: AnyStorage | None) -> Column:
    offsets, first = storage_of(array.offsets.data), array.chars._first
    places = host_values(array.offsets.data) - first
    check_offsets(places, array.chars.shape[0], "the strings")
    return Strings(_moved(places, offsets) if first else offsets, storage_of(array.chars.data), mask)


def _lists(array: ListLogicalArray, mask: AnyStorage | None) -> Column:
    ranges, first = host_values(array.descriptor.data), array.vardata._first
    child, like = column_of(array.vardata), array.descriptor.data.root.storage()
    if array.nullable and not _in_order(ranges, first, child.length):
        ranges = np.where(host_values(array.null_mask)[:, None], ranges, (first, first - 1))
    check_ranges(ranges, first, child.length)
    low, high = ranges[:, 0] - first, ranges[:, 1] - first + 1
    if _in_order(ranges, first, child.length):
        offsets = np.concatenate((low[:1], high)) if len(low) else np.zeros(1, np.int64)
        return Lists(_moved(offsets, like), child, mask)
    offsets = np.concatenate(([0], np.cumsum(high - low)))
    order = np.repeat(low - offsets[:-1], high - low) + np.arange(offsets[-1])
    return Lists(_moved(offsets, like), taken(child, order), mask)


def _in_order(ranges: HostArray, first: int, count: int) -> bool:
    """Tell whether each list begins where the one before it ends, so that offsets can say where they are."""
    low, high = ranges[:, 0], ranges[:, 1]
    if not len(low) or not (first <= low[0] and high[-1] < first + count):
        return not len(low)
    return bool((high[:-1] == low[1:] - 1).all() and (low - 1 <= high).all())


def _moved(values: HostArray, like: AnyStorage) -> AnyStorage:
    """Return values in memory of the device of other memory."""
    return on_device(HostStorage.on_array(np.ascontiguousarray(values)), like.device)
