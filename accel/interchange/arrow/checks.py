"""Checks of what other libraries say about their columns: offsets and text."""

import codecs
from typing import Any

import numpy as np

from accel.errors import FormatError
from accel.memory.host_storage import HostArray

__all__ = ["check_offsets", "check_text"]

_PIECE = 1 << 20
"""Bytes of text that are decoded at once."""


def check_offsets(offsets: HostArray, available: int | None, path: str) -> None:
    """Check that offsets never decrease, and stay inside what they refer to.

    Parameters
    ----------
    offsets : numpy.ndarray
        The offsets, one more than there are elements.
    available : int, optional
        Number of elements or bytes they may refer to; None if that is unknown.
    path : str
        The column, for messages.

    Raises
    ------
    FormatError
        With the first element whose offsets are wrong, and the byte at which they are in their buffer.
    """
    if offsets[0] < 0:
        raise _wrong(offsets, 0, path, f"starts at {offsets[0]}, and offsets are 0 or more")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        i = int(falls.argmax())
        raise _wrong(offsets, i, path, f"goes from {offsets[i]} to {offsets[i + 1]}, and offsets never decrease")
    if available is not None and offsets[-1] > available:
        i = max(int(np.searchsorted(offsets, available, "right")) - 1, 0)
        end = offsets[min(i + 1, len(offsets) - 1)]
        raise _wrong(offsets, i, path, f"ends at {end}, and only {available} are there")


def _wrong(offsets: HostArray, i: int, path: str, what: str) -> FormatError:
    return FormatError(f"element {i} of {path} {what} (byte {i * offsets.itemsize} of its offsets)")


def check_text(chars: Any, offsets: HostArray, mask: HostArray | None, path: str) -> None:
    """Check that each string which is not null is UTF-8.

    Parameters
    ----------
    chars : numpy.ndarray of uint8
        The bytes from the first offset to the last.
    offsets : numpy.ndarray
        Checked offsets.
    mask : numpy.ndarray of bool, optional
        True where a string is valid.
    path : str
        The column, for messages.

    Raises
    ------
    FormatError
        With the first string that is not, and the byte at which it is in the text.
    """
    starts = offsets - offsets[0]
    if _is_text(chars, starts):
        return
    # What null elements refer to may be anything.
    for i in range(len(starts) - 1) if mask is None else np.flatnonzero(mask):
        string = memoryview(chars)[starts[i] : starts[i + 1]]
        try:
            codecs.utf_8_decode(string, "strict", True)
        except UnicodeDecodeError as error:
            at = int(offsets[i]) + error.start
            raise FormatError(f"element {i} of {path} is no UTF-8: {error.reason} at byte {at} of its text") from None


def _is_text(chars: Any, starts: HostArray) -> bool:
    """Tell whether the bytes are UTF-8, and no string begins inside of a character."""
    if not chars.size or chars.max() < 0x80:
        return True
    begins = starts[:-1][starts[:-1] < chars.size]
    return not ((chars[begins] & 0xC0) == 0x80).any() and _is_utf8(memoryview(chars))


def _is_utf8(text: "memoryview[int]") -> bool:
    done = 0
    try:
        while done < len(text):
            last = done + _PIECE >= len(text)
            done += codecs.utf_8_decode(text[done : done + _PIECE], "strict", last)[1]
    except UnicodeDecodeError:
        return False
    return True
