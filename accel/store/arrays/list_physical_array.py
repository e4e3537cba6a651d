"""`ListPhysicalArray`: the memory of an array of lists (Legate's)."""

from typing import Any, Self

import numpy as np

from accel.memory.host_storage import HostArray
from accel.store.arrays.children import check_ranges, on_host
from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.types import ArrayType, ListType
from accel.store.local_buffer import Domain
from accel.store.physical_store import PhysicalStore

__all__ = ["ListPhysicalArray"]


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
    _kind = "list array"

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
        """Return what `lists` does."""
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
        made = _cut(self._vardata.elements(), ranges - self._origin)
        return made if valid is None else [each if known else None for each, known in zip(made, valid, strict=True)]

    def _children(self) -> tuple[PhysicalArray, ...]:
        return self._descriptor, self._vardata


def _cut(elements: Any, ranges: HostArray) -> list[Any]:
    """Return the elements in each inclusive range."""
    if not isinstance(elements, dict):
        return [elements[low : high + 1] for low, high in ranges.tolist()]
    columns = [_cut(each, ranges) for each in elements.values()]
    return [dict(zip(elements, row, strict=True)) for row in zip(*columns, strict=True)]
