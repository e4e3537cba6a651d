"""Stores of arrays as columns for Arrow."""

from typing import NamedTuple

import numpy as np

from accel.interchange.arrow.checks import check_offsets
from accel.interchange.arrow.columns import Column, Lists, Strings
from accel.interchange.arrow.export import array_capsules
from accel.interchange.arrow.host_columns import column_on_host, rows_of
from accel.interchange.arrow.transfers import on_device
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.host_storage import HostArray, HostStorage
from accel.store import shared_memory
from accel.store.arrays.host_elements import check_ranges
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.views import LayoutTensor

__all__ = ["HostColumn", "lists_column", "mask_of", "storage_of", "strings_column"]


class HostColumn(NamedTuple):
    """A column for Arrow's consumers on the host; from a device it is copied."""

    column: Column

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return array_capsules(column_on_host(self.column))


def mask_of(null_mask: LogicalStore | None) -> AnyStorage | None:
    """Return the elements of a null mask, if there is one."""
    return None if null_mask is None else storage_of(null_mask)


def storage_of(store: LogicalStore) -> AnyStorage:
    """Return the elements of a store of one dimension; a copy unless they are contiguous."""
    root, index_map = store.root, store.map
    root.refuse_detached()
    shared_memory.settle(root, index_map, writing=False)
    storage, (count,) = root.storage(), index_map.shape
    if index_map.compact:
        return storage.window(index_map.offset * store.dtype.itemsize, count, store.dtype)
    whole = storage.window(0, storage.size, store.dtype)
    copy = allocate(storage.device, count, store.dtype)
    LayoutTensor(copy, Layout.row_major(count)).copy_from(LayoutTensor(whole, index_map.layout, index_map.offset))
    return copy


def strings_column(offsets: LogicalStore, chars: LogicalStore, first: int, null_mask: LogicalStore | None) -> Column:
    """Return strings as a column; ``first`` is the coordinate of their first byte.

    Raises
    ------
    FormatError
        If offsets decrease or are out of range.
    """
    mask, storage = mask_of(null_mask), storage_of(offsets)
    places = host_values(offsets) - first
    check_offsets(places, chars.shape[0], "the strings")
    return Strings(_moved(places, storage) if first else storage, storage_of(chars), mask)


def lists_column(descriptor: LogicalStore, values: Column, first: int, null_mask: LogicalStore | None) -> Column:
    """Return lists as a column: their ranges become offsets, and values that are not in order are copied.

    ``first`` is the coordinate of the first value.

    Raises
    ------
    FormatError
        If a list has elements that are not there.
    """
    mask, ranges, like = mask_of(null_mask), host_values(descriptor), descriptor.root.storage()
    if null_mask is not None and not _in_order(ranges, first, values.length):
        ranges = np.where(host_values(null_mask)[:, None], ranges, (first, first - 1))
    check_ranges(ranges, first, values.length)
    low, high = ranges[:, 0] - first, ranges[:, 1] - first + 1
    if _in_order(ranges, first, values.length):
        offsets = np.concatenate((low[:1], high)) if len(low) else np.zeros(1, np.int64)
        return Lists(_moved(offsets, like), values, mask)
    offsets = np.concatenate(([0], np.cumsum(high - low)))
    order = np.repeat(low - offsets[:-1], high - low) + np.arange(offsets[-1])
    return Lists(_moved(offsets, like), rows_of(values, order), mask)


def _in_order(ranges: HostArray, first: int, count: int) -> bool:
    """Tell whether each list begins where the one before it ends, so that offsets can say where they are."""
    low, high = ranges[:, 0], ranges[:, 1]
    if not len(low) or not (first <= low[0] and high[-1] < first + count):
        return not len(low)
    return bool((high[:-1] == low[1:] - 1).all() and (low - 1 <= high).all())


def _moved(values: HostArray, like: AnyStorage) -> AnyStorage:
    """Return values in memory of the device of other memory."""
    return on_device(HostStorage.on_array(np.ascontiguousarray(values)), like.device)
