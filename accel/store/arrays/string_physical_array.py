"""`StringPhysicalArray`: the memory of an array of strings (Legate's)."""

from itertools import pairwise
from typing import Any, Self

import numpy as np

from accel.errors import FormatError
from accel.interchange.arrow.checks import check_offsets
from accel.memory.host_storage import HostArray
from accel.store.arrays.children import on_host
from accel.store.arrays.physical_array import PhysicalArray
from accel.store.arrays.types import ArrayType, StringType
from accel.store.local_buffer import Domain
from accel.store.physical_store import PhysicalStore

__all__ = ["StringPhysicalArray"]


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
    _kind = "string array"

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
        """Return what `strings` does."""
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
        starts = offsets - offsets[0]
        try:
            made: list[str | None] = _decoded(used, starts)
        except UnicodeDecodeError:
            return _one_by_one(used, starts, valid)
        return made if valid is None else [each if known else None for each, known in zip(made, valid, strict=True)]

    def _children(self) -> tuple[PhysicalArray, ...]:
        return self._offsets, self._chars


def _decoded(chars: Any, starts: HostArray) -> list[str | None]:
    """Return strings that have all bytes; the text is decoded once, and cut.

    Separators are put between the strings, as Python splits faster than a loop can slice. They also end a character
    that is cut in two.
    """
    if not (chars == 0).any():
        separated: Any = np.insert(chars, starts[1:-1], 0)
        return [*str(memoryview(separated), "utf-8").split("\0")]
    text = memoryview(chars)
    return [str(text[low:high], "utf-8") for low, high in pairwise(starts.tolist())]


def _one_by_one(chars: Any, starts: HostArray, valid: HostArray | None) -> list[str | None]:
    """Return strings of which some that are null are no UTF-8."""
    made: list[str | None] = []
    for i, (low, high) in enumerate(pairwise(starts.tolist())):
        try:
            made.append(str(memoryview(chars)[low:high], "utf-8") if valid is None or valid[i] else None)
        except UnicodeDecodeError as error:
            raise FormatError(f"string {i} is no UTF-8: {error.reason} at its byte {error.start}") from None
    return made
