"""Whether memory can be read: a wrong address or length in a structure must not end the process.

Arrow's structures do not say how long their buffers are. The kernel is asked to write one byte of each page to a pipe:
where a page cannot be read, it returns an error.
"""

import ctypes
import os
from contextlib import closing
from mmap import PAGESIZE
from typing import Any

from accel.support.system import c_library

__all__ = ["is_readable"]

_AT_ONCE = 1024


class _Piece(ctypes.Structure):
    """The kernel's ``struct iovec``."""

    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


def is_readable(address: int, nbytes: int) -> bool:
    """Tell whether all bytes from an address on can be read; True if the system has no way to ask."""
    if nbytes <= 0:
        return True
    writev = getattr(c_library(), "writev", None)
    if writev is None:
        return True
    # Each page at its first byte in the range, and the last byte.
    pages = range(address - address % PAGESIZE, address + nbytes, PAGESIZE)
    reader, writer = os.pipe()
    with closing(os.fdopen(reader, "rb", 0)) as out, closing(os.fdopen(writer, "wb", 0)):
        return all(
            _probe(writev, out, writer, [max(page, address) for page in pages[first : first + _AT_ONCE]])
            for first in range(0, len(pages), _AT_ONCE)
        )


def _probe(writev: Any, out: Any, writer: int, addresses: list[int]) -> bool:
    pieces = (_Piece * len(addresses))(*[_Piece(address, 1) for address in addresses])
    if writev(writer, pieces, len(pieces)) != len(pieces):
        return False
    out.read(len(pieces))
    return True
