"""Columns as they are exchanged: elements, strings, lists and structs in storages, all on one device."""

from collections.abc import Iterator
from typing import NamedTuple

from accel.memory.any_storage import AnyStorage

__all__ = ["Column", "Lists", "Strings", "Struct", "Values", "storages_of"]


class Values(NamedTuple):
    """Numbers or booleans.

    Attributes
    ----------
    values : HostStorage or DeviceStorage
        The elements. Booleans have a byte each.
    mask : HostStorage or DeviceStorage, optional
        A boolean for each element, True where it is valid; None if all are. So in the classes below.
    """

    values: AnyStorage
    mask: AnyStorage | None = None

    @property
    def length(self) -> int:
        """Number of elements."""
        return self.values.size


class Strings(NamedTuple):
    """Text in UTF-8: string ``i`` has the bytes ``chars[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : HostStorage or DeviceStorage
        ``int32`` or ``int64``, one more than there are strings; they never decrease.
    chars : HostStorage or DeviceStorage
        The bytes of all strings, ``uint8``.
    mask : HostStorage or DeviceStorage, optional
        As in `Values`.
    """

    offsets: AnyStorage
    chars: AnyStorage
    mask: AnyStorage | None = None

    @property
    def length(self) -> int:
        """Number of strings."""
        return self.offsets.size - 1


class Lists(NamedTuple):
    """Lists of any lengths: list ``i`` has the elements ``child[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    offsets : HostStorage or DeviceStorage
        As in `Strings`.
    child : Values or Strings or Lists or Struct
        The elements of all lists.
    mask : HostStorage or DeviceStorage, optional
        As in `Values`.
    """

    offsets: AnyStorage
    child: "Column"
    mask: AnyStorage | None = None

    @property
    def length(self) -> int:
        """Number of lists."""
        return self.offsets.size - 1


class Struct(NamedTuple):
    """Elements of named fields.

    Attributes
    ----------
    length : int
        Number of elements.
    fields : tuple of (str, column)
        Name and column of each field; Arrow allows a name to occur twice.
    mask : HostStorage or DeviceStorage, optional
        As in `Values`.
    """

    length: int
    fields: "tuple[tuple[str, Column], ...]"
    mask: AnyStorage | None = None


Column = Values | Strings | Lists | Struct
"""A column of any type."""


def storages_of(column: Column) -> Iterator[AnyStorage]:
    """Return all storages of a column and its children."""
    if column.mask is not None:
        yield column.mask
    match column:
        case Values():
            yield column.values
        case Strings():
            yield column.offsets
            yield column.chars
        case Lists():
            yield column.offsets
            yield from storages_of(column.child)
        case Struct():
            for _, child in column.fields:
                yield from storages_of(child)
