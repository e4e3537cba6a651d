"""Columns that are copied on the host: moved there, reordered, joined."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from accel.errors import InterchangeError
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values
from accel.interchange.arrow.transfers import on_host
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage

__all__ = ["column_on_host", "joined", "rows_of"]


def column_on_host(column: Column) -> Column:
    """Return a column on the host; what is there already is not copied."""
    mask = None if column.mask is None else _host(column.mask)
    match column:
        case Values():
            return Values(_host(column.values), mask)
        case Strings():
            return Strings(_host(column.offsets), _host(column.chars), mask)
        case Lists():
            return Lists(_host(column.offsets), column_on_host(column.child), mask)
        case Struct():
            return Struct(column.length, tuple((name, column_on_host(each)) for name, each in column.fields), mask)


def rows_of(column: Column, order: HostArray) -> Column:
    """Return elements of a column by their places, on the host."""
    mask = None if column.mask is None else _storage(on_host(column.mask)[order])
    match column:
        case Values():
            return Values(_storage(on_host(column.values)[order]), mask)
        case Strings():
            offsets, places = _spread(on_host(column.offsets), order)
            return Strings(offsets, _storage(on_host(column.chars)[places]), mask)
        case Lists():
            offsets, places = _spread(on_host(column.offsets), order)
            return Lists(offsets, rows_of(column.child, places), mask)
        case Struct():
            return Struct(len(order), tuple((name, rows_of(each, order)) for name, each in column.fields), mask)


def joined(columns: Sequence[Any]) -> Column:
    """Return columns of one type one after the other, on the host; a single column as it is.

    Raises
    ------
    InterchangeError
        If there is no column, or if the types differ.
    """
    if not columns:
        raise InterchangeError("there are no pieces, so there is no column; give one with 0 elements")
    first: Column = columns[0]
    if len(columns) == 1:
        return first
    if any(type(each) is not type(first) for each in columns):
        raise InterchangeError(f"the pieces have different types: {', '.join(type(each).__name__ for each in columns)}")
    mask = _joined_masks(columns)
    match first:
        case Values():
            return Values(_storage(np.concatenate([on_host(each.values) for each in columns])), mask)
        case Strings():
            offsets, used = _joined_offsets(columns)
            chars = [on_host(each.chars)[low:high] for each, (low, high) in zip(columns, used, strict=True)]
            return Strings(offsets, _storage(np.concatenate(chars)), mask)
        case Lists():
            offsets, used = _joined_offsets(columns)
            children = [rows_of(each.child, np.arange(*ends)) for each, ends in zip(columns, used, strict=True)]
            return Lists(offsets, joined(children), mask)
        case Struct():
            pieces = zip(*(each.fields for each in columns), strict=True)
            fields = tuple((piece[0][0], joined([each for _, each in piece])) for piece in pieces)
            return Struct(sum(each.length for each in columns), fields, mask)


def _joined_masks(columns: Sequence[Column]) -> AnyStorage | None:
    if all(each.mask is None for each in columns):
        return None
    masks = [np.ones(each.length, np.bool_) if each.mask is None else on_host(each.mask) for each in columns]
    return _storage(np.concatenate(masks))


def _joined_offsets(columns: Sequence[Any]) -> tuple[AnyStorage, list[tuple[int, int]]]:
    """Return offsets as ``int64``, and which values each piece uses; offsets are as if only those were joined."""
    parts = [on_host(each.offsets).astype(np.int64) for each in columns]
    used = [(int(part[0]), int(part[-1])) for part in parts]
    starts = np.cumsum([0, *(high - low for low, high in used)])
    moved = [part[1:] - part[0] + start for part, start in zip(parts, starts[:-1], strict=True)]
    return _storage(np.concatenate([starts[:1], *moved])), used


def _spread(offsets: HostArray, order: HostArray) -> tuple[AnyStorage, HostArray]:
    """Return offsets of reordered elements, and the places of their values."""
    low, sizes = offsets[:-1][order].astype(np.int64), np.diff(offsets)[order]
    result = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))
    return _storage(result), np.repeat(low - result[:-1], sizes) + np.arange(result[-1])


def _host(storage: AnyStorage) -> AnyStorage:
    return storage if isinstance(storage, HostStorage) else HostStorage.on_array(on_host(storage))


def _storage(values: HostArray) -> AnyStorage:
    return HostStorage.on_array(np.ascontiguousarray(values))
