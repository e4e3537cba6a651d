"""`ListLogicalArray`: lists of any lengths (Legate's)."""

from typing import Self

from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store.arrays.children import check_ranges
from accel.store.arrays.logical_array import LogicalArray, refuse_mask_of_shape
from accel.store.arrays.nesting import Kind
from accel.store.arrays.types import ArrayType, ListType
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.store.slices import Slice

__all__ = ["ListLogicalArray"]


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
        if not descriptor.unbound and descriptor.shape[1] != 2:
            raise StoreValueError(f"a descriptor has shape (n, 2); found {descriptor.shape}")
        if null_mask is not None and not descriptor.unbound:
            refuse_mask_of_shape(null_mask, self.shape)

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

    def rows(self, low: int, high: int) -> "ListLogicalArray":
        """Return the lists from ``low`` to before ``high``, and the values that they refer to."""
        made = object.__new__(type(self))
        made._start(self._data.slice(0, Slice(low, high)), self._mask_rows(low, high), (self._first + low,))
        first = self._vardata._first
        begin, end = _image_of(host_values(made._data), first, self._vardata.shape[0], made._mask)
        made._vardata = self._vardata.rows(begin - first, end - first)
        return made

    @property
    def _has_list(self) -> bool:
        """Whether this contains lists: it does."""
        return True

    def _children(self) -> tuple[LogicalArray, ...]:
        return self.descriptor, self._vardata

    def _parts(self) -> tuple[LogicalArray, ...]:
        return (self._vardata,)


def _image_of(ranges: HostArray, first: int, count: int, null_mask: LogicalStore | None) -> tuple[int, int]:
    """Return the coordinates from the first value that ranges refer to, to past the last one.

    Raises
    ------
    FormatError
        If a range is outside of the values, which begin at ``first``.
    """
    if null_mask is not None:
        ranges = ranges[host_values(null_mask)]
    check_ranges(ranges, first, count)
    used = ranges[ranges[:, 1] >= ranges[:, 0]]
    return (int(used[:, 0].min()), int(used[:, 1].max()) + 1) if len(used) else (first, first)


def _located(store: LogicalStore, origin: tuple[int, ...]) -> LogicalArray:
    """Return an array of a store whose first element has some coordinates."""
    made = LogicalArray(store)
    made._origin = origin
    return made
