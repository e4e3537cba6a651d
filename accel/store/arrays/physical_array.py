"""Physical arrays: the memory of an array in one place, the elements and their null mask (Legate's)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Self

import numpy as np

from accel.errors import AccelError, StoreValueError
from accel.interchange.arrow.checks import check_offsets
from accel.memory.host_storage import HostArray
from accel.store.arrays.array_base import ArrayBase
from accel.store.arrays.host_elements import check_ranges, cut, on_host, strings_of, with_nulls
from accel.store.arrays.nesting import Nesting
from accel.store.arrays.types import ArrayType, Kind, ListType, StringType, StructType
from accel.store.descriptions import values_text
from accel.store.local_buffer import Domain
from accel.store.physical_store import PhysicalStore

_FEW = 12
"""The most elements that are shown of arrays whose elements are not numbers alone."""

__all__ = ["ListPhysicalArray", "PhysicalArray", "StringPhysicalArray", "StructPhysicalArray", "physical_array"]


class PhysicalArray(ArrayBase[PhysicalStore, "PhysicalArray"]):
    """The memory of an array in a task, or after `LogicalArray.get_physical_array` (Legate's ``PhysicalArray``).

    Parameters
    ----------
    data : PhysicalStore
        The elements.
    null_mask : PhysicalStore, optional
        A boolean for each element, True where it is valid; without it all are.
    """

    __slots__ = ()

    def __init__(self, data: PhysicalStore, null_mask: PhysicalStore | None = None) -> None:
        self._data = data
        self._mask = null_mask

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return self._data.shape

    @property
    def domain(self) -> Domain:
        """The first and the last point; in a task on a tile, those of the tile in its array."""
        return self._data.domain

    def as_list_array(self) -> "ListPhysicalArray":
        """Return this array as one of lists; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.LIST)

    def as_string_array(self) -> "StringPhysicalArray":
        """Return this array as one of strings; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.STRING)

    def as_struct_array(self) -> "StructPhysicalArray":
        """Return this array as one of structs; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.STRUCT)

    def elements(self) -> Any:
        """Return the elements on the host, without a copy where that is possible; null elements are undefined.

        Numbers are a read-only NumPy array. Strings are a list of str, lists a list of their elements, and structs a
        dictionary of their fields. In those a null element is None.

        Raises
        ------
        DeviceMismatchError
            If the memory is on a device.
        """
        return on_host(self._data)

    def valid(self) -> "Any | None":
        """Return the null mask as a NumPy array, True where an element is valid; None if the array is not nullable."""
        return None if self._mask is None else on_host(self._mask)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.elements())

    @property
    def _values(self) -> str:
        """The elements as text, if they are few, and can be read here."""
        with suppress(AccelError):
            if not (self.nested or self.nullable):
                return values_text(self.elements())
            if self.ndim == 1 and len(self) <= _FEW:
                elements = self.elements()
                return values_text(elements if self.nested else with_nulls(elements.tolist(), self.valid()))
        return ""

    def __repr__(self) -> str:
        unbound = any(store.is_unbound_store for store in self._all_stores())
        return self._text("unbound") if unbound else self._text(f"shape {self.shape}", self._values)

    def _all_stores(self) -> Iterator[PhysicalStore]:
        yield self._data
        for child in self._children():
            yield from child._all_stores()


class ListPhysicalArray(PhysicalArray):
    """The memory of an array of lists (Legate's ``ListPhysicalArray``).

    Parameters
    ----------
    descriptor : PhysicalArray
        The first and the last element of each list, both included, as rows of an ``int64`` array of shape ``(n, 2)``.
    vardata : PhysicalArray
        The elements of all lists.
    null_mask : PhysicalStore, optional
        True where a list is valid.
    origin : int
        The coordinate of the first element of ``vardata``; in a task on a tile, that of its first element in the
        whole array.
    """

    __slots__ = ("_descriptor", "_origin", "_vardata")
    _kind = Kind.LIST

    def __init__(
        self,
        descriptor: PhysicalArray,
        vardata: PhysicalArray,
        null_mask: PhysicalStore | None = None,
        origin: int = 0,
    ) -> None:
        super().__init__(descriptor.data, null_mask)
        self._descriptor = descriptor
        self._vardata = vardata
        self._origin = origin

    @property
    def dtype(self) -> ArrayType:
        """Type of the lists."""
        return ListType(self._vardata.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of lists."""
        return self._data.shape[:1]

    @property
    def domain(self) -> Domain:
        """The first and the last list."""
        whole = self._data.domain
        return Domain(whole.lo[:1], whole.hi[:1])

    @property
    def descriptor(self) -> PhysicalArray:
        """The first and the last element of each list, both included; shape ``(n, 2)``."""
        return self._descriptor

    @property
    def vardata(self) -> PhysicalArray:
        """The elements of all lists."""
        return self._vardata

    def as_list_array(self) -> Self:
        """Return this array."""
        return self

    def elements(self) -> list[Any]:
        """Return each list; as `lists`."""
        return self.lists()

    def lists(self) -> list[Any]:
        """Return each list; numbers are read-only NumPy views, and a null list is None.

        Raises
        ------
        FormatError
            If a list has elements that are not there.
        DeviceMismatchError
            If the memory is on a device.
        """
        ranges, valid = on_host(self._data), self.valid()
        if valid is not None:
            ranges = np.where(valid[:, None], ranges, (self._origin, self._origin - 1))
        check_ranges(ranges, self._origin, len(self._vardata))
        return with_nulls(cut(self._vardata.elements(), ranges - self._origin), valid)

    def _children(self) -> tuple[PhysicalArray, ...]:
        return self._descriptor, self._vardata


class StringPhysicalArray(PhysicalArray):
    """The memory of an array of strings (Legate's ``StringPhysicalArray``).

    Parameters
    ----------
    offsets : PhysicalArray
        ``int64``, one more than there are strings: string ``i`` has the bytes from ``offsets[i]`` to before
        ``offsets[i + 1]``.
    chars : PhysicalArray
        The bytes of all strings in UTF-8, ``uint8``.
    null_mask : PhysicalStore, optional
        True where a string is valid.
    origin : int
        The coordinate of the first byte; in a task on a tile, that of its first byte in the whole array.
    """

    __slots__ = ("_chars", "_offsets", "_origin")
    _kind = Kind.STRING

    def __init__(
        self, offsets: PhysicalArray, chars: PhysicalArray, null_mask: PhysicalStore | None = None, origin: int = 0
    ) -> None:
        super().__init__(offsets.data, null_mask)
        self._offsets = offsets
        self._chars = chars
        self._origin = origin

    @property
    def dtype(self) -> ArrayType:
        """Type of the strings."""
        return StringType()

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strings."""
        return (max(self._data.shape[0] - 1, 0),)

    @property
    def domain(self) -> Domain:
        """The first and the last string."""
        low = self._data.domain.lo
        return Domain(low, (low[0] + self.shape[0] - 1,))

    @property
    def offsets(self) -> PhysicalArray:
        """The byte at which each string begins, and that at which the last one ends."""
        return self._offsets

    @property
    def chars(self) -> PhysicalArray:
        """The bytes of all strings."""
        return self._chars

    @property
    def ranges(self) -> HostArray:
        """The first and the last byte of each string, both included, as rows of an ``int64`` array; a copy."""
        offsets = on_host(self._data)
        return np.stack((offsets[:-1], offsets[1:] - 1), axis=1)

    def as_string_array(self) -> Self:
        """Return this array."""
        return self

    def elements(self) -> list[str | None]:
        """Return each string; as `strings`."""
        return self.strings()

    def strings(self) -> list[str | None]:
        """Return each string as a str, and None for each null.

        Raises
        ------
        FormatError
            If offsets are wrong, or a string is no UTF-8.
        DeviceMismatchError
            If the memory is on a device.
        """
        offsets, chars, valid = on_host(self._data), on_host(self._chars.data), self.valid()
        if len(offsets) < 2:
            return []
        check_offsets(offsets - self._origin, len(chars), "the strings")
        used = chars[offsets[0] - self._origin : offsets[-1] - self._origin]
        return strings_of(used, offsets - offsets[0], valid)

    def _children(self) -> tuple[PhysicalArray, ...]:
        return self._offsets, self._chars


class StructPhysicalArray(PhysicalArray):
    """The memory of an array of structs: an array for each field.

    Parameters
    ----------
    fields : mapping of str to PhysicalArray
        The fields, of one shape.
    null_mask : PhysicalStore, optional
        True where a struct is valid.
    """

    __slots__ = ("_fields",)
    _kind = Kind.STRUCT

    def __init__(self, fields: Mapping[str, PhysicalArray], null_mask: PhysicalStore | None = None) -> None:
        self._fields = dict(fields)
        self._mask = null_mask

    @property
    def dtype(self) -> ArrayType:
        """Type of the structs."""
        return StructType(tuple((name, field.dtype) for name, field in self._fields.items()))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of structs along each dimension."""
        return next(iter(self._fields.values())).shape

    @property
    def domain(self) -> Domain:
        """The first and the last point."""
        return next(iter(self._fields.values())).domain

    @property
    def fields(self) -> dict[str, PhysicalArray]:
        """The array of each field, by name."""
        return dict(self._fields)

    def as_struct_array(self) -> Self:
        """Return this array."""
        return self

    def elements(self) -> dict[str, Any]:
        """Return the elements of each field, by name; the null mask of the structs is not applied."""
        return {name: field.elements() for name, field in self._fields.items()}

    def _children(self) -> tuple[PhysicalArray, ...]:
        return tuple(self._fields.values())


def physical_array(nesting: Nesting, physical_stores: Iterable[PhysicalStore]) -> PhysicalArray:
    """Return the physical array of physical stores, which are in the order of `LogicalArray.stores`.

    Raises
    ------
    StoreValueError
        If there are more or fewer.
    """
    stores = tuple(physical_stores)
    if len(stores) != nesting.num_stores:
        raise StoreValueError(f"this array has {nesting.num_stores} stores; found {len(stores)} physical ones")
    return _composed(nesting, iter(stores).__next__)


def _composed(nesting: Nesting, next_store: Callable[[], PhysicalStore]) -> PhysicalArray:
    mask = next_store() if nesting.nullable else None
    if nesting.kind is Kind.STRUCT:
        fields = [_composed(child, next_store) for child in nesting.children]
        return StructPhysicalArray(dict(zip(nesting.names, fields, strict=True)), mask)
    store = next_store()
    if nesting.kind is Kind.PRIMITIVE:
        return PhysicalArray(store, mask)
    (child,) = nesting.children
    array_class = ListPhysicalArray if nesting.kind is Kind.LIST else StringPhysicalArray
    return array_class(PhysicalArray(store), _composed(child, next_store), mask, child.origin)
