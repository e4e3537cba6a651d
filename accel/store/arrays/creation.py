"""`create_array` and others: new arrays, and arrays of stores."""

from collections.abc import Iterable, Mapping
from typing import Any, SupportsIndex

import numpy as np

from accel.dtypes import DTypeLike
from accel.errors import StoreValueError
from accel.memory.host_storage import HostStorage
from accel.store.arrays.from_arrow import store_on
from accel.store.arrays.logical_array import ListLogicalArray, LogicalArray, StringLogicalArray, StructLogicalArray
from accel.store.creation import create_store, from_array
from accel.store.logical_store import LogicalStore

__all__ = ["create_array", "create_list_array", "create_string_array", "create_struct_array", "from_strings"]

StoreLike = LogicalStore | LogicalArray | Any
"""A store, an array without children, or the array of another library, whose memory is used."""


def create_array(
    dtype: DTypeLike, shape: Iterable[SupportsIndex] | None = None, nullable: bool = False, ndim: int = 1
) -> LogicalArray:
    """Make an array (Legate's ``Runtime.create_array``). Memory is allocated at its first use.

    Parameters
    ----------
    dtype : dtype_like
        Type of the elements.
    shape : sequence of int, optional
        Number of elements along each dimension. Without it the array is unbound: the first task that writes it
        chooses the shape.
    nullable : bool
        Give it a null mask. Until it is written, the mask is undefined as the elements are.
    ndim : int
        Number of dimensions of an unbound array.

    Returns
    -------
    LogicalArray
        The array.

    Raises
    ------
    StoreValueError
        If a size is negative.

    Examples
    --------
    >>> from accel.store.arrays import create_array
    >>> create_array("float32", (2, 3), nullable=True)
    <LogicalArray of float32, shape (2, 3), nullable>
    """
    extents = None if shape is None else list(shape)
    data = create_store(dtype, extents, ndim)
    return LogicalArray(data, create_store("bool", extents, ndim) if nullable else None)


def create_list_array(
    descriptor: StoreLike | None, vardata: StoreLike, null_mask: StoreLike | None = None
) -> ListLogicalArray:
    """Make an array of lists from the range of each list and the values of all.

    Parameters
    ----------
    descriptor : LogicalStore or array, or None
        The first and the last value of each list, both included: ``int64``, shape ``(n, 2)``. The last of an empty
        list is its first - 1. None makes an unbound one, for a task to write.
    vardata : LogicalArray or LogicalStore or array
        The values.
    null_mask : LogicalStore or array, optional
        True where a list is valid.

    Returns
    -------
    ListLogicalArray
        The array.

    Raises
    ------
    StoreValueError
        If a shape or a dtype is wrong.

    Examples
    --------
    >>> from accel.store.arrays import create_list_array
    >>> lists = create_list_array([[0, 1], [2, 1], [2, 4]], [1.5, 2.5, 3.5, 4.5, 5.5])
    >>> [each.tolist() for each in lists.get_physical_array()]
    [[1.5, 2.5], [], [3.5, 4.5, 5.5]]
    """
    ranges = create_store("int64", None, 2) if descriptor is None else _store(descriptor)
    return ListLogicalArray(ranges, _array(vardata), _mask(null_mask))


def create_string_array(
    offsets: StoreLike | None = None, chars: StoreLike | None = None, null_mask: StoreLike | None = None
) -> StringLogicalArray:
    """Make an array of strings from offsets and bytes; without them an unbound one, for a task to write.

    Parameters
    ----------
    offsets : LogicalStore or array, optional
        ``int64``, one more than there are strings: string ``i`` has the bytes from ``offsets[i]`` to before
        ``offsets[i + 1]``.
    chars : LogicalStore or array, optional
        The bytes of all strings in UTF-8, ``uint8``.
    null_mask : LogicalStore or array, optional
        True where a string is valid.

    Returns
    -------
    StringLogicalArray
        The array.

    Raises
    ------
    StoreValueError
        If a shape or a dtype is wrong, or one of the two is missing.
    """
    if (offsets is None) != (chars is None):
        raise StoreValueError("strings need both offsets and chars; for an unbound array give neither")
    if offsets is None:
        return StringLogicalArray(create_store("int64"), create_store("uint8"), _mask(null_mask))
    return StringLogicalArray(_store(offsets), _store(chars), _mask(null_mask))


def create_struct_array(fields: Mapping[str, StoreLike], null_mask: StoreLike | None = None) -> StructLogicalArray:
    """Make an array of structs from the arrays of their fields, which have one shape.

    Parameters
    ----------
    fields : mapping of str to StoreLike
        The arrays of the fields, by name.
    null_mask : StoreLike, optional
        True where a struct is valid.

    Returns
    -------
    StructLogicalArray
        The array.

    Raises
    ------
    StoreValueError
        If there is no field, or the shapes differ.
    """
    return StructLogicalArray({name: _array(each) for name, each in fields.items()}, _mask(null_mask))


def from_strings(strings: Iterable[str | None]) -> StringLogicalArray:
    """Make an array of strings, in which None is a null.

    Parameters
    ----------
    strings : iterable of str | None
        The strings.

    Returns
    -------
    StringLogicalArray
        The array.

    Examples
    --------
    >>> from accel.store.arrays import from_strings
    >>> from_strings(["Bern", None]).get_physical_array().strings()
    ['Bern', None]
    """
    texts = list(strings)
    encoded = [b"" if each is None else each.encode() for each in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(each) for each in encoded], out=offsets[1:])
    chars = np.frombuffer(b"".join(encoded), np.uint8)
    mask = np.array([each is not None for each in texts]) if None in texts else None
    stores = [store_on(HostStorage.on_array(each)) for each in (offsets, chars)]
    return StringLogicalArray(stores[0], stores[1], _mask(mask))


def _array(source: StoreLike) -> LogicalArray:
    return source if isinstance(source, LogicalArray) else LogicalArray(_store(source))


def _store(source: StoreLike) -> LogicalStore:
    if isinstance(source, LogicalArray):
        return source.data
    return source if isinstance(source, LogicalStore) else from_array(_memory(source))


def _memory(source: Any) -> Any:
    return np.asarray(source) if isinstance(source, list | tuple) else source


def _mask(source: StoreLike | None) -> LogicalStore | None:
    return None if source is None else _store(source)
