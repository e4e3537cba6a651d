"""`StringLogicalArray`: strings (Legate's)."""

from typing import Self

from accel.errors import StoreValueError
from accel.interchange.arrow.checks import check_offsets
from accel.store.arrays.logical_array import LogicalArray, refuse_mask_of_shape
from accel.store.arrays.nesting import Kind
from accel.store.arrays.types import ArrayType, StringType
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.store.slices import Slice

__all__ = ["StringLogicalArray"]


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
        if not offsets.unbound and not offsets.shape[0]:
            raise StoreValueError("strings have one offset more than there are strings; found none")
        if null_mask is not None and not offsets.unbound:
            refuse_mask_of_shape(null_mask, self.shape)

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
        made = LogicalArray(self._data)
        made._origin = self._origin
        return made

    @property
    def chars(self) -> LogicalArray:
        """The bytes of all strings."""
        return self._chars

    def as_string_array(self) -> Self:
        """Return this array."""
        return self

    def rows(self, low: int, high: int) -> "StringLogicalArray":
        """Return the strings from ``low`` to before ``high``, and their bytes."""
        made = object.__new__(type(self))
        made._start(self._data.slice(0, Slice(low, high + 1)), self._mask_rows(low, high), (self._first + low,))
        first, offsets = self._chars._first, host_values(made._data)
        check_offsets(offsets - first, self._chars.shape[0], "the strings")
        made._chars = self._chars.rows(int(offsets[0]) - first, int(offsets[-1]) - first)
        return made

    @property
    def _has_list(self) -> bool:
        """Whether this contains lists: it does."""
        return True

    def _children(self) -> tuple[LogicalArray, ...]:
        return self.offsets, self._chars

    def _parts(self) -> tuple[LogicalArray, ...]:
        return (self._chars,)
