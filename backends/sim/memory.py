"""The bytes of one block of a simulated device: poisoned, and out of reach of the host."""

from typing import Any
from weakref import ref

import numpy as np

from accel.device import Device
from accel.errors import ReleasedError

from .races import AccessHistory
from .regions import Region
from .unwritten_bytes import Mask, Unwritten

__all__ = ["NOTHING", "NO_BYTES", "POISON", "Bytes", "Memory", "Place"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

POISON = 0xFF
"""The value of bytes that were never written: NaN as a float of any size, -1 or the maximum as an integer."""

NO_BYTES: Bytes = np.empty(0, np.uint8)


class Memory:
    """The bytes of one block; it supports no protocol that would let the host read them.

    Attributes
    ----------
    device : Device
        The device.
    pointer, nbytes : int
        Simulated address of the first byte, and size in bytes.
    site, freed : str
        Call sites at which it was allocated, and at which it was freed; the latter is empty before that.
    host : int
        The address at which the host keeps the bytes, aligned as ``pointer`` is, up to a page.
    unwritten : Unwritten or None
        Which bytes were never written; None if all were.
    history : AccessHistory
        The accesses to it, for the race check.
    place : Place
        Its entry in the device's allocation table; not set if ``nbytes`` is 0.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "device",
        "freed",
        "history",
        "host",
        "nbytes",
        "place",
        "pointer",
        "site",
        "unwritten",
    )
    place: "Place"

    def __init__(self, device: Device, pointer: int, content: Bytes, host: int = 0, site: str = "") -> None:
        self.device = device
        self.pointer = pointer
        self.host = host
        self.nbytes = content.nbytes
        self.site = site
        self.freed = ""
        self.unwritten: Unwritten | None = Unwritten(pointer, content.nbytes)
        self.history = AccessHistory(repr(self), pointer)
        self._bytes = content

    def refuse_freed(self) -> None:
        """Raise `ReleasedError` if the bytes were freed."""
        if self.freed:
            raise ReleasedError(f"work on {self.device} uses {self!r}, which were freed at {self.freed}")

    def part(self, address: int, nbytes: int) -> Bytes:
        """Return bytes from an address on, for use by the simulated device; raises `ReleasedError` if freed."""
        self.refuse_freed()
        start = address - self.pointer
        return self._bytes[start : start + nbytes]

    def note_written(self, region: Region) -> None:
        """Note that a region is written, for the initialisation check of kernels."""
        if self.unwritten is not None and self.unwritten.all_written_with(region):
            self.unwritten = None

    def content(self) -> Bytes:
        """Return all bytes, for kernels in C++; none if they were freed."""
        return self._bytes

    def written(self) -> Mask | None:
        """Return 1 for each byte that was written, as an array that later writes change; None if all were."""
        return None if self.unwritten is None else self.unwritten.mask()

    def note_all_written(self) -> None:
        """Note that all bytes are written."""
        self.unwritten = None

    @property
    def cells(self) -> int:
        """The address of the shadow that the race check of kernels made for it; 0 if it made none."""
        return self.place.cells

    @cells.setter
    def cells(self, address: int) -> None:
        self.place.cells = address

    def free(self, where: str) -> None:
        """Poison the bytes; all later uses raise `ReleasedError`, which names this call site."""
        self.freed = where
        self._bytes.fill(POISON)
        self._bytes = NO_BYTES

    def __repr__(self) -> str:
        return f"<{self.nbytes} bytes of {self.device} at {self.pointer:#x}>"


class Place(ref[Memory]):
    """The address range of a block, by a weak reference: the allocation table does not keep the block alive.

    So the range of a block that is dropped without being freed, as after an interrupt, is returned too. ``cells`` is
    the address of the shadow that the race check of kernels made for the block; 0 if it made none. ``counted`` is how
    many bytes of the device are in use for it.
    """

    __slots__ = ("cells", "counted", "end", "start")
    start: int
    end: int
    counted: int
    cells: int


NOTHING = Memory(Device.SIM, 0, NO_BYTES)
"""The memory of blocks without bytes."""
