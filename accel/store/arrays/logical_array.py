"""Logical arrays: elements and a null mask, as stores, and their partitions (Legate's)."""

from collections.abc import Callable, Mapping
from typing import Self, SupportsIndex

from accel.errors import StoreError, StoreValueError
from accel.interchange.arrow.checks import check_offsets
from accel.interchange.arrow.columns import Column, Struct
from accel.interchange.arrow.fields import STRUCT, Field
from accel.store.arrays.array_of_stores import ArrayOfStores
from accel.store.arrays.arrow_columns import lists_column, mask_of, strings_column
from accel.store.arrays.host_elements import image_of
from accel.store.arrays.nesting import Nesting
from accel.store.arrays.types import ArrayType, Kind, ListType, StringType, StructType
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.store.slices import Slice
from accel.store.tiling import Tiling

__all__ = [
    "ListLogicalArray",
    "LogicalArray",
    "LogicalArrayPartition",
    "StringLogicalArray",
    "StructLogicalArray",
]


class LogicalArray(ArrayOfStores["LogicalArray"]):
    """Elements and, if the array is nullable, a mask of the valid ones (Legate's ``LogicalArray``).

    Arrays of lists, strings and structs are subclasses, which have child arrays. All memory is that of stores.

    Parameters
    ----------
    data : LogicalStore
        The elements.
    null_mask : LogicalStore, optional
        A boolean for each element, True where it is valid; without it all are.

    Raises
    ------
    StoreValueError
        If the mask has another shape, or is not boolean.

    Examples
    --------
    >>> from accel.store import create_store
    >>> from accel.store.arrays import LogicalArray
    >>> array = LogicalArray(create_store("float32", (2, 3)))
    >>> array.promote(0, 4), array.nullable
    (<LogicalArray of float32, shape (4, 2, 3)>, False)
    """

    __slots__ = ()

    def __init__(self, data: LogicalStore, null_mask: LogicalStore | None = None) -> None:
        self._start(data, null_mask)
        self._check_mask()

    def as_list_array(self) -> "ListLogicalArray":
        """Return this array as one of lists; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.LIST)

    def as_string_array(self) -> "StringLogicalArray":
        """Return this array as one of strings; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.STRING)

    def as_struct_array(self) -> "StructLogicalArray":
        """Return this array as one of structs; `StoreValueError` if it is another."""
        self._refuse_cast(Kind.STRUCT)

    def partition_by_tiling(self, tile: SupportsIndex, colors: SupportsIndex | None = None) -> "LogicalArrayPartition":
        """Cut this array into tiles along its first dimension.

        A tile of lists or strings has its part of the descriptor or of the offsets, and only those values that this
        part refers to. The values keep their coordinates.

        Parameters
        ----------
        tile : int
            Number of elements of a tile; the last one may have fewer.
        colors : int, optional
            Number of tiles, by default as many as there are. Tiles past the end are empty.

        Raises
        ------
        StoreValueError
            If a number is not positive.
        """
        return LogicalArrayPartition(self, tile, colors)


class ListLogicalArray(LogicalArray):
    """Lists of any lengths (Legate's ``ListLogicalArray``); made by `create_list_array`.

    Parameters
    ----------
    descriptor : LogicalStore
        The first and the last element of each list in ``vardata``, both included: ``int64``, shape ``(n, 2)``. The
        last element of an empty list is its first - 1.
    vardata : LogicalArray
        The elements of all lists.
    null_mask : LogicalStore, optional
        True where a list is valid.

    Raises
    ------
    StoreValueError
        If the descriptor or the mask has another shape or dtype.
    """

    __slots__ = ("_vardata",)
    _kind = Kind.LIST

    def __init__(self, descriptor: LogicalStore, vardata: LogicalArray, null_mask: LogicalStore | None = None) -> None:
        self._start(descriptor, null_mask)
        self._vardata = vardata
        if descriptor.dtype.name != "int64" or descriptor.ndim != 2:
            raise StoreValueError(
                f"a descriptor has dtype int64 and shape (n, 2), the first and the last element of each list; found "
                f"{descriptor.dtype.name} in {descriptor.ndim} dimensions"
            )
        if descriptor.known_shape is not None and descriptor.shape[1] != 2:
            raise StoreValueError(f"a descriptor has shape (n, 2); found {descriptor.shape}")
        self._check_mask()

    @property
    def dtype(self) -> ArrayType:
        """Type of the lists."""
        return ListType(self._vardata.dtype)

    @property
    def ndim(self) -> int:
        """Number of dimensions, 1."""
        return 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of lists; waits for the task that chooses it."""
        return self._data.shape[:1]

    @property
    def descriptor(self) -> LogicalArray:
        """The first and the last element of each list, both included; shape ``(n, 2)``."""
        return _located(self._data, (self._first, 0))

    @property
    def vardata(self) -> LogicalArray:
        """The elements of all lists."""
        return self._vardata

    def as_list_array(self) -> Self:
        """Return this array."""
        return self

    def rows(self, low: int, high: int) -> Self:
        """Return the lists from ``low`` to before ``high``, and the values that they refer to.

        Parameters
        ----------
        low : int
            The first.
        high : int
            The one after the last.
        """
        lists = self._like(self._data.slice(0, Slice(low, high)), self._mask_rows(low, high), (self._first + low,))
        first = self._vardata._first
        ranges = host_values(lists._data)
        used = ranges if lists._mask is None else ranges[host_values(lists._mask)]
        begin, end = image_of(used, first, self._vardata.shape[0])
        lists._vardata = self._vardata.rows(begin - first, end - first)
        return lists

    @property
    def _has_list(self) -> bool:
        """Whether this contains lists: it does."""
        return True

    def _children(self) -> tuple[LogicalArray, ...]:
        return self.descriptor, self._vardata

    def _parts(self) -> tuple[LogicalArray, ...]:
        return (self._vardata,)

    def _column(self) -> Column:
        return lists_column(self._data, self._vardata._checked_column(), self._vardata._first, self._mask)

    def _field(self, name: str) -> Field:
        return Field("+L", name, (self._vardata._field("item"),))


class StringLogicalArray(LogicalArray):
    """Strings (Legate's ``StringLogicalArray``); made by `create_string_array`, `from_strings` and `from_arrow`.

    Parameters
    ----------
    offsets : LogicalStore
        ``int64``, one more than there are strings: string ``i`` has the bytes from ``offsets[i]`` to before
        ``offsets[i + 1]``.
    chars : LogicalStore
        The bytes of all strings in UTF-8, ``uint8``.
    null_mask : LogicalStore, optional
        True where a string is valid.

    Raises
    ------
    StoreValueError
        If a store has another shape or dtype.
    """

    __slots__ = ("_chars",)
    _kind = Kind.STRING

    def __init__(self, offsets: LogicalStore, chars: LogicalStore, null_mask: LogicalStore | None = None) -> None:
        self._start(offsets, null_mask)
        self._chars = LogicalArray(chars)
        for store, dtype, what in ((offsets, "int64", "offsets"), (chars, "uint8", "chars")):
            if store.dtype.name != dtype or store.ndim != 1:
                raise StoreValueError(
                    f"the {what} of strings are {dtype}, in 1 dimension; found {store.dtype.name} in {store.ndim}"
                )
        if offsets.known_shape is not None and not offsets.shape[0]:
            raise StoreValueError("strings have one offset more than there are strings; found none")
        self._check_mask()

    @property
    def dtype(self) -> ArrayType:
        """Type of the strings."""
        return StringType()

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strings; waits for the task that chooses it."""
        return (max(self._data.shape[0] - 1, 0),)

    @property
    def offsets(self) -> LogicalArray:
        """The byte at which each string begins, and that at which the last one ends."""
        return _located(self._data, self._origin)

    @property
    def chars(self) -> LogicalArray:
        """The bytes of all strings."""
        return self._chars

    def as_string_array(self) -> Self:
        """Return this array."""
        return self

    def rows(self, low: int, high: int) -> Self:
        """Return the strings from ``low`` to before ``high``, and their bytes.

        Parameters
        ----------
        low : int
            The first.
        high : int
            The one after the last.
        """
        data = self._data.slice(0, Slice(low, high + 1))
        strings = self._like(data, self._mask_rows(low, high), (self._first + low,))
        first, offsets = self._chars._first, host_values(data)
        check_offsets(offsets - first, self._chars.shape[0], "the strings")
        strings._chars = self._chars.rows(int(offsets[0]) - first, int(offsets[-1]) - first)
        return strings

    @property
    def _has_list(self) -> bool:
        """Whether this contains lists: it does."""
        return True

    def _children(self) -> tuple[LogicalArray, ...]:
        return self.offsets, self._chars

    def _parts(self) -> tuple[LogicalArray, ...]:
        return (self._chars,)

    def _column(self) -> Column:
        return strings_column(self._data, self._chars._data, self._chars._first, self._mask)

    def _field(self, name: str) -> Field:
        return Field("U", name)


class StructLogicalArray(LogicalArray):
    """Elements with named fields, an array for each (Legate's ``StructLogicalArray``).

    Parameters
    ----------
    fields : mapping of str to LogicalArray
        The fields, of one shape.
    null_mask : LogicalStore, optional
        True where a struct is valid.

    Raises
    ------
    StoreValueError
        If there is no field, or the shapes differ.
    """

    __slots__ = ("_fields",)
    _kind = Kind.STRUCT

    def __init__(self, fields: Mapping[str, LogicalArray], null_mask: LogicalStore | None = None) -> None:
        self._set(dict(fields), null_mask)
        if not fields:
            raise StoreValueError("a struct array has one field or more; found none")
        if any(store.known_shape is None for store in self.stores()):
            return
        shape = self.shape
        for name, field in fields.items():
            if field.shape != shape:
                raise StoreValueError(f"the fields of a struct have one shape, {shape}; {name!r} has {field.shape}")
        self._check_mask()

    def _set(self, fields: dict[str, LogicalArray], null_mask: LogicalStore | None) -> Self:
        self._fields = fields
        first = next(iter(fields.values()), None)
        if first is not None:
            self._start(first._data, null_mask, first._origin)
        return self

    @property
    def dtype(self) -> ArrayType:
        """Type of the structs."""
        return StructType(tuple((name, field.dtype) for name, field in self._fields.items()))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return next(iter(self._fields.values())).ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of structs along each dimension; waits for the tasks that choose it."""
        return next(iter(self._fields.values())).shape

    @property
    def nesting(self) -> Nesting:
        """How the stores belong together."""
        return super().nesting._replace(names=tuple(self._fields))

    @property
    def fields(self) -> dict[str, LogicalArray]:
        """The array of each field, by name."""
        return dict(self._fields)

    def child(self, index: SupportsIndex) -> LogicalArray:
        """Return a field, by its place; as `LogicalArray.child`.

        Parameters
        ----------
        index : int
            The place of the field.

        Raises
        ------
        StoreValueError
            If the array is unbound, and its tasks did not write it yet.
        """
        if self.unbound:
            raise StoreValueError("Invalid to retrieve a child of an unbound struct array; its tasks come first")
        return super().child(index)

    def as_struct_array(self) -> Self:
        """Return this array."""
        return self

    def rows(self, low: int, high: int) -> Self:
        """Return the structs from ``low`` to before ``high`` along the first dimension.

        Parameters
        ----------
        low : int
            The first.
        high : int
            The one after the last.
        """
        fields = {name: field.rows(low, high) for name, field in self._fields.items()}
        return object.__new__(type(self))._set(fields, self._mask_rows(low, high))

    def _children(self) -> tuple[LogicalArray, ...]:
        return tuple(self._fields.values())

    def _parts(self) -> tuple[LogicalArray, ...]:
        return tuple(self._fields.values())

    def _own_stores(self) -> tuple[LogicalStore, ...]:
        return ()

    def _each(self, transform: Callable[[LogicalStore], LogicalStore]) -> Self:
        self._refuse_lists()
        fields = {name: field._each(transform) for name, field in self._fields.items()}
        array: Self = object.__new__(type(self))
        return array._set(fields, None if self._mask is None else transform(self._mask))

    def _refuse_lists(self) -> None:
        nested = [name for name, field in self._fields.items() if field._has_list]
        plain = [
            f", or transform a field of numbers, such as x.fields[{name!r}]"
            for name in self._fields
            if name not in nested
        ]
        if nested:
            raise StoreError(
                f"this struct array does not support store transformations: its field {nested[0]!r} holds lists or "
                f"strings; write x.rows(low, high) for a part{plain[0] if plain else ''}"
            )

    def _column(self) -> Column:
        fields = tuple((name, field._checked_column()) for name, field in self._fields.items())
        return Struct(self.shape[0], fields, mask_of(self._mask))

    def _field(self, name: str) -> Field:
        return Field(STRUCT, name, tuple(field._field(each) for each, field in self._fields.items()))


class LogicalArrayPartition(Tiling):
    """An array cut into tiles along its first dimension; a color is the position of a tile.

    Parameters
    ----------
    tile : int
        The number of elements of a tile.
    colors : int, optional
        How many tiles there are.

    Attributes
    ----------
    array : LogicalArray
        The array.
    tile_shape, color_shape : tuple of int
        Number of elements of a tile, and number of tiles.
    """

    __slots__ = ("array",)

    def __init__(self, array: LogicalArray, tile: SupportsIndex, colors: SupportsIndex | None = None) -> None:
        if not array.ndim:
            raise StoreValueError("an array without dimensions has no tiles; promote it first")
        super().__init__(array.shape[:1], (tile,), None if colors is None else (colors,))
        self.array: LogicalArray = array

    def get_child_array(self, *color: SupportsIndex) -> LogicalArray:
        """Return a tile, a view of the array; its `LogicalArray.origins` say where it is.

        For lists and strings this waits for the tasks that write the descriptor or the offsets.

        Parameters
        ----------
        *color : int
            The position of the tile.

        Raises
        ------
        StoreIndexError
            If there is no such color.
        StoreSizeError
            If an index is negative.
        FormatError
            If the tile refers to values that are not there.
        """
        (at,), (tile,), extent = self._checked(color), self.tile_shape, self.array.shape[0]
        low = min(at * tile, extent)
        return self.array.rows(low, min(low + tile, extent))

    def __repr__(self) -> str:
        return f"<LogicalArrayPartition of {self.array}, {self.color_shape[0]} tiles of {self.tile_shape[0]}>"


def _located(store: LogicalStore, origin: tuple[int, ...] | None) -> LogicalArray:
    """Return an array of a store whose first element has some coordinates."""
    array = LogicalArray(store)
    array._origin = origin
    return array
