"""Columns of Arrow become arrays."""

from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import as_dtype
from accel.errors import DTypeError
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.host_columns import joined
from accel.interchange.arrow.importer import receive_columns
from accel.interchange.arrow.transfers import on_device, on_host
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.arrays.logical_array import ListLogicalArray, LogicalArray, StringLogicalArray, StructLogicalArray
from accel.store.logical_store import LogicalStore
from accel.store.root import Root
from accel.store.store_targets import Place, StoreTarget

__all__ = ["from_arrow", "store_on"]

_OFFSET = as_dtype("int64")


def from_arrow(x: Any) -> LogicalArray:
    """Make an array on the memory of an Arrow library, without a copy where the layouts agree.

    Numbers, text and the offsets of ``large_utf8`` are shared and read-only; their memory is released after the last
    use. Masks, booleans, other offsets and the ranges of lists are copied, and so is what comes in several pieces.

    Parameters
    ----------
    x : object with ``__arrow_c_device_array__``, ``__arrow_c_array__`` or ``__arrow_c_stream__``
        An array, a chunked array, a record batch or a table; the last two are structs of their columns.

    Returns
    -------
    LogicalArray
        Nullable if there is a null in it.

    Raises
    ------
    TypeError
        If it has none of these methods.
    InterchangeError
        If the other library refuses or breaks Arrow's rules.
    FormatError
        If offsets decrease or are out of range, or text is no UTF-8, with the position.
    DTypeError
        If the type has no counterpart here.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from accel.store.arrays import from_arrow
    >>> names = from_arrow(pa.array(["Zürich", None, "Ulm"]))
    >>> names, names.get_physical_array().strings()
    (<StringLogicalArray of string, shape (3,), nullable: ['Zürich', None, 'Ulm']>, ['Zürich', None, 'Ulm'])
    """
    return array_of(joined(receive_columns(x)))


def array_of(column: Column) -> LogicalArray:
    """Return an array on the memory of a column."""
    mask = None if column.mask is None else store_on(column.mask)
    match column:
        case Values():
            return LogicalArray(store_on(column.values), mask)
        case Strings():
            return StringLogicalArray(store_on(_wide(column.offsets)), store_on(column.chars), mask)
        case Lists():
            ranges = _ranges(on_host(column.offsets))
            descriptor = store_on(_like(ranges, column.offsets), ranges.shape)
            return ListLogicalArray(descriptor, array_of(column.child), mask)
        case Struct():
            fields = {name: array_of(child) for name, child in column.fields}
            if not fields or len(fields) < len(column.fields):
                names = [name for name, _ in column.fields]
                raise DTypeError(f"a struct needs fields of different names; found {names}: rename them first")
            return StructLogicalArray(fields, mask)


def store_on(storage: AnyStorage, shape: tuple[int, ...] | None = None) -> LogicalStore:
    """Return a store on all elements of a storage."""
    root = Root(storage.dtype, shape or (storage.size,))
    device = storage.device
    place = Place(StoreTarget.SYSMEM if device is Device.CPU else StoreTarget.FBMEM, device)
    root.attach(storage, place)
    return LogicalStore.on(root)


def _ranges(offsets: HostArray) -> HostArray:
    """Return inclusive ranges of offsets."""
    return np.stack((offsets[:-1], offsets[1:] - 1), axis=1).astype(_OFFSET)


def _wide(offsets: AnyStorage) -> AnyStorage:
    return offsets if offsets.dtype == _OFFSET else _like(on_host(offsets).astype(_OFFSET), offsets)


def _like(values: HostArray, other: AnyStorage) -> AnyStorage:
    """Return values in memory of the device of other memory."""
    return on_device(HostStorage.on_array(values), other.device)
