"""`Ring`: pieces of pinned host memory, through which pageable memory is copied to and from devices.

The driver would stage pageable memory too. But it holds up the caller meanwhile; and a device that reads such memory by
itself may do so when it is gone.
"""

import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import takewhile
from typing import Any

import numpy as np

from accel.device import Device
from accel.locks import open_after_fork

from ..common.executor import copy_bytes
from .driver import Driver
from .pinned import Pages
from .streams import CupyStream

__all__ = ["Ring"]

_AHEAD = 2
"""Pieces that a device fills while the host empties another."""

_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class _Piece:
    """Memory of the host that one copy has at a time.

    It waits for its last use before its memory goes, whoever lets go of it: an interrupt may, anywhere.

    Attributes
    ----------
    memory : numpy.ndarray of uint8
        Its bytes.
    kept : bool
        Whether it is of use again; what is pageable, or larger than a piece, is not.
    user : tuple of Device and int, or None
        Device and handle of the stream that used it last.
    used : cupy.cuda.Event or None
        When that was over; None if it never was used.
    """

    __slots__ = ("_driver", "kept", "memory", "used", "user")

    def __init__(self, driver: Driver, memory: _Bytes, *, kept: bool) -> None:
        self._driver = driver
        self.memory = memory
        self.kept = kept
        self.user: tuple[Device, int] | None = None
        self.used: Any = None

    @property
    def address(self) -> int:
        found: int = self.memory.__array_interface__["data"][0]
        return found

    def mark(self, stream: CupyStream) -> None:
        """Remember what a stream was given so far as the last use."""
        self.used, self.user = stream.native.record(), _key(stream)

    def over(self) -> bool:
        """Tell whether the last use is over, or never will be."""
        return self.used is None or self._driver.reached(self.used)

    def wait(self) -> None:
        """Block until it is."""
        if self.user is not None:
            self._driver.settle(self.used, self.user[0])

    def __del__(self) -> None:
        if self._driver.usable and not sys.is_finalizing():
            with suppress(Exception):
                self.wait()


class Ring:
    """Pieces of host memory that are used again when the device is done with them.

    No stream waits for another one's pieces, and no thread for another thread: where none is free there is one more,
    unless the stream itself has many under way. Of those that no device uses few are kept.

    Parameters
    ----------
    driver : Driver
        Of the devices.
    pages : Pages
        Where they come from.
    size : int
        Bytes of a piece.
    count : int
        How many a stream may have under way before it waits for the oldest, and how many that are idle are kept.
    """

    def __init__(self, driver: Driver, pages: Pages, size: int, count: int) -> None:
        self.size = size
        self._driver = driver
        self._pages = pages
        self._count = count
        self._lock = open_after_fork(threading.RLock())
        # By the streams that used them last, the oldest use first.
        self._given: dict[tuple[Device, int] | None, deque[_Piece]] = {}

    def upload(self, into: int, values: _Bytes, stream: CupyStream) -> None:
        """Copy bytes to an address of a stream's device, which is current; on return they have been read."""
        kind = self._driver.runtime.memcpyHostToDevice
        for start in range(0, values.nbytes, self.size):
            part = values[start : start + self.size]
            piece = self._taken(part.nbytes, stream)
            try:
                copy_bytes(piece.memory[: part.nbytes], part)
                self._send(piece, into + start, piece.address, part.nbytes, kind, stream)
            finally:
                self._give(piece)

    def download(self, into: _Bytes, out_of: int, stream: CupyStream) -> None:
        """Copy bytes from an address of a stream's device, which is current, and wait for them."""
        parts = [into[start : start + self.size] for start in range(0, into.nbytes, self.size)]
        with closing(self.fetch(out_of, [part.nbytes for part in parts], stream)) as found:
            for part, values in zip(parts, found, strict=True):
                copy_bytes(part, values)

    def fetch(self, out_of: int, sizes: Iterable[int], stream: CupyStream) -> Generator[_Bytes, None, None]:
        """Yield the bytes from an address on, so many at a time; each are good until the next are asked for.

        It is to be closed: what is under way then comes back to the ring.
        """
        kind = self._driver.runtime.memcpyDeviceToHost
        filled: deque[tuple[_Piece, int]] = deque()
        try:
            for nbytes in sizes:
                piece = self._taken(nbytes, stream, len(filled))
                filled.append((piece, nbytes))
                self._send(piece, piece.address, out_of, nbytes, kind, stream)
                out_of += nbytes
                if len(filled) > _AHEAD:
                    yield from self._emptied(filled, stream)
            while filled:
                yield from self._emptied(filled, stream)
        finally:
            for piece, _ in filled:
                self._give(piece)

    def trim(self) -> None:
        """Let go of the idle pieces."""
        with self._lock:
            idle = self._surplus(0)
        idle.clear()

    def _emptied(self, filled: "deque[tuple[_Piece, int]]", stream: CupyStream) -> Iterator[_Bytes]:
        """Yield the bytes that the oldest piece was filled with, and give it back."""
        piece, nbytes = filled[0]
        self._driver.wait(piece.used, stream.device)
        yield piece.memory[:nbytes]
        del filled[0]
        self._give(piece)

    def _send(self, piece: _Piece, into: int, out_of: int, nbytes: int, kind: int, stream: CupyStream) -> None:
        """Give the stream a copy from or to a piece."""
        try:
            self._driver.runtime.memcpyAsync(into, out_of, nbytes, kind, stream.native.ptr)
            piece.mark(stream)
        except BaseException:
            # Nothing would tell when the device is done with the piece, if it was given the copy.
            with suppress(Exception):
                stream.native.synchronize()
            raise

    def _taken(self, nbytes: int, stream: CupyStream, others: int = 0) -> _Piece:
        """Return a piece that no device uses, to somebody who has some others for this stream."""
        if nbytes <= self.size:
            with self._lock:
                found, oldest = self._found(_key(stream), self._count - others)
            if found is not None:
                return found
            if oldest is not None:
                oldest.wait()  # in the ring, and with the lock open: it may take long, or be interrupted
                return self._taken(nbytes, stream, others)
        memory, is_pinned = self._pages.take(max(nbytes, self.size), stream.device)
        return _Piece(self._driver, memory, kept=is_pinned and memory.nbytes == self.size)

    def _found(self, user: tuple[Device, int], most: int) -> tuple[_Piece | None, _Piece | None]:
        """Return an idle piece; or else the user's oldest, if it has so many under way that it must wait."""
        own = self._given.setdefault(user, deque())
        for given in (own, *self._given.values()):
            if given and given[0].over():
                return given.popleft(), None
        return None, own[0] if 0 < most <= len(own) else None

    def _give(self, piece: _Piece) -> None:
        if not piece.kept:  # it goes with the caller
            return
        with self._lock:
            self._given.setdefault(piece.user, deque()).append(piece)
            surplus = self._surplus(self._count)
        surplus.clear()  # memory is unpinned when the lock is open: the driver takes its time

    def _surplus(self, left: int) -> list[_Piece]:
        """Take away all but a few idle pieces; those under way will be of use to the streams that have them."""
        found: list[_Piece] = []
        if sum(map(len, self._given.values())) > left:
            for given in self._given.values():
                idle = len([*takewhile(_Piece.over, given)])
                found += [given.popleft() for _ in range(left, idle)]
                left = max(0, left - idle)
        return found


def _key(stream: CupyStream) -> tuple[Device, int]:
    return stream.device, stream.native.ptr
