"""Checks of the sizes, addresses and alignments that users pass."""

import re
from operator import index
from reprlib import repr as abbreviated
from typing import SupportsIndex

import numpy as np

from accel.dtypes import DType

__all__ = ["MOST_BYTES", "as_alignment", "as_bytes", "as_pointer", "as_size", "in_words", "refuse_misaligned"]

# Addresses and byte counts must fit a signed 64-bit integer, as in every driver.
MOST_BYTES = 2**63 - 1
"""The most bytes that any memory has."""
# No system maps the first page: so small a number is a size by mistake.
_FIRST_PAGE = 4096


def as_size(size: SupportsIndex, itemsize: int, advice: str = "") -> int:
    """Return a number of elements as a Python int.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is a boolean, negative, or overflows the address space.
    """
    if type(size) is not int:
        size = _whole(size, "a size", advice)
    if 0 <= size * itemsize <= MOST_BYTES:
        return size
    if size < 0:
        raise ValueError(f"a size is 0 or more; found {size}")
    raise ValueError(f"{size} elements of {itemsize} bytes overflow: no memory has more than {MOST_BYTES} bytes")


def as_pointer(pointer: SupportsIndex) -> int:
    """Return the address of a first element as a Python int.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is null, or cannot be an address.
    """
    address = _whole(pointer, "a pointer", "write the address, as in array.ctypes.data")
    if address == 0:
        raise ValueError("the pointer is null; give the address of memory that exists")
    if not _FIRST_PAGE <= address <= MOST_BYTES:
        raise ValueError(
            f"{address} is no address of memory; pass a size alone, and for an array write accel.xp.zeros(shape)"
        )
    return address


def refuse_misaligned(address: int, dtype: DType) -> None:
    """Raise `ValueError` if no element of a dtype can be at an address."""
    if address % dtype.alignment:
        raise ValueError(
            f"the pointer {address:#x} is misaligned: {dtype.name} needs a multiple of {dtype.alignment}; "
            f"to look at the bytes write dtype='uint8'"
        )


def as_alignment(alignment: SupportsIndex) -> int:
    """Return an alignment in bytes as a Python int.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is not a power of two.
    """
    power = _whole(alignment, "an alignment", "")
    if power <= 0 or power & (power - 1):
        raise ValueError(f"an alignment is a power of two; found {power}")
    return power


_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{unit}": base**power
    for power, prefix in enumerate("KMGTP", 1)
    for unit, base in (("iB", 1024), ("B", 1000))
}
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", re.ASCII)


def as_bytes(size: SupportsIndex | str, what: str = "size") -> int:
    """Return a number of bytes that is given as a whole number, or as text with a unit.

    ``KiB``, ``MiB``, ``GiB``, ``TiB`` and ``PiB`` are powers of 1024; ``kB``, ``MB``, ``GB``, ``TB`` and ``PB`` are
    powers of 1000.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If it is not positive, or the text is no number and unit.

    Examples
    --------
    >>> as_bytes("2 GiB"), as_bytes("1.5 MB"), as_bytes(4096)
    (2147483648, 1500000, 4096)
    """
    if isinstance(size, str):
        match = _QUANTITY.fullmatch(size)
        unit = match and _UNITS.get(match[2].upper().replace("IB", "iB"))
        if not match or not unit:
            raise ValueError(f'the {what} {size!r} is no number of bytes; write it as in "2 GiB", "500 MB" or 4096')
        from fractions import Fraction

        nbytes = int(Fraction(match[1]) * unit)
    else:
        nbytes = _whole(size, f"a {what}", 'write it as in "2 GiB" or 4096')
    if not 0 < nbytes <= MOST_BYTES:
        raise ValueError(f"a {what} is 1 byte to {in_words(MOST_BYTES)}; found {size!r}")
    return nbytes


def in_words(nbytes: int) -> str:
    """Return a number of bytes as text for people.

    Examples
    --------
    >>> in_words(1), in_words(8192), in_words(37_748_736), in_words(-(3 << 29))
    ('1 byte', '8192 bytes', '36.0 MiB', '-1.5 GiB')
    """
    if abs(nbytes) < 10_000:
        return f"{nbytes} byte{'s' * (nbytes != 1)}"
    power = min((abs(nbytes).bit_length() - 1) // 10, 4)
    return f"{nbytes / (1 << 10 * power):.1f} {'KMGT'[power - 1]}iB"


def _whole(value: SupportsIndex, what: str, advice: str) -> int:
    if isinstance(value, bool | np.bool_):
        raise ValueError(f"{what} is a whole number; found the boolean {value}")  # noqa: TRY004 - it is a number, but not a size
    try:
        return index(value)
    except TypeError:
        hint = f"; {advice}" if advice else ""
        value_type = f"{abbreviated(value)} of type {type(value).__name__}"
        raise TypeError(f"{what} is a whole number; found {value_type}{hint}") from None
