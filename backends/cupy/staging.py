"""`Ring`: buffers of pinned host memory, through which pageable memory is copied to and from devices.

The driver can stage pageable memory too, but it blocks the caller meanwhile; and a device that reads pageable memory
directly may read it after it was freed.
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
from accel.support.locks import open_after_fork

from ..common.host_copies import copy_bytes
from .driver import Driver
from .events import CupyEvent
from .pinned import StagingMemory
from .streams import CupyStream

__all__ = ["Ring"]

_AHEAD = 2
"""Buffers that a device fills while the host reads another one."""

_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class _Buffer:
    """A buffer of host memory, used by one copy at a time.

    It waits for its last use before its memory is freed, also if an interrupt caused that it was dropped.

    Attributes
    ----------
    memory : numpy.ndarray of uint8
        Its bytes.
    reusable : bool
        Whether it returns to the ring after use; not if it is pageable, or larger than `Ring.size`.
    user : tuple of Device and int, or None
        Device and handle of the stream that used it last.
    used : CupyEvent or None
        Reached when the last use is done; None if it was never used.
    """

    __slots__ = ("_driver", "memory", "reusable", "used", "user")

    def __init__(self, driver: Driver, memory: _Bytes, *, reusable: bool) -> None:
        self._driver = driver
        self.memory = memory
        self.reusable = reusable
        self.user: tuple[Device, int] | None = None
        self.used: CupyEvent | None = None

    @property
    def address(self) -> int:
        address: int = self.memory.__array_interface__["data"][0]
        return address

    def mark(self, stream: CupyStream) -> None:
        """Record a stream's work so far as the last use."""
        self.used, self.user = stream.events.record(stream.native), _key(stream)

    def over(self) -> bool:
        """Return whether the last use is done, or the device is lost."""
        return self.used is None or self.used.done()

    def wait(self) -> None:
        """Block until the last use is done, or the device is lost."""
        if self.used is not None:
            self.used.settle()

    def __del__(self) -> None:
        try:
            if self._driver.usable and not sys.is_finalizing():
                self.wait()
        except Exception:  # noqa: S110 - at the interpreter's end, the modules may be gone, `suppress` with them
            pass


class Ring:
    """Buffers of host memory, reused when the device is done with them.

    No stream waits for the buffers of another, and no thread for another thread: if no buffer is idle a new one is
    allocated, unless the stream itself has ``count`` in flight. At most ``count`` idle buffers are kept.

    Parameters
    ----------
    driver : Driver
        The driver of the devices.
    memory : StagingMemory
        Allocates the buffers.
    size : int
        Bytes of a buffer.
    count : int
        Buffers that a stream may have in flight before it waits for the oldest, and idle buffers that are kept.
    """

    def __init__(self, driver: Driver, memory: StagingMemory, size: int, count: int) -> None:
        self.size = size
        self._driver = driver
        self._memory = memory
        self._count = count
        self._lock = open_after_fork(threading.RLock())
        # Buffers by the stream that used them last, the oldest use first.
        self._buffers: dict[tuple[Device, int] | None, deque[_Buffer]] = {}

    def upload(self, into: int, values: _Bytes, stream: CupyStream) -> None:
        """Copy bytes to an address of a stream's device, which is current; ``values`` may change after this returns."""
        kind = self._driver.runtime.memcpyHostToDevice
        for start in range(0, values.nbytes, self.size):
            part = values[start : start + self.size]
            buffer = self._acquired(part.nbytes, stream)
            try:
                copy_bytes(buffer.memory[: part.nbytes], part)
                self._send(buffer, into + start, buffer.address, part.nbytes, kind, stream)
            finally:
                self._give(buffer)

    def download(self, into: _Bytes, out_of: int, stream: CupyStream) -> None:
        """Copy bytes from an address of a stream's device, which is current, and wait for them."""
        parts = [into[start : start + self.size] for start in range(0, into.nbytes, self.size)]
        with closing(self.fetch(out_of, [part.nbytes for part in parts], stream)) as fetched:
            for part, values in zip(parts, fetched, strict=True):
                copy_bytes(part, values)

    def fetch(self, out_of: int, sizes: Iterable[int], stream: CupyStream) -> Generator[_Bytes, None, None]:
        """Yield the bytes from an address on, in parts of some sizes; each part is valid until the next is asked for.

        Close the generator: the buffers in flight then return to the ring.
        """
        kind = self._driver.runtime.memcpyDeviceToHost
        filled: deque[tuple[_Buffer, int]] = deque()
        try:
            for nbytes in sizes:
                buffer = self._acquired(nbytes, stream, len(filled))
                filled.append((buffer, nbytes))
                self._send(buffer, buffer.address, out_of, nbytes, kind, stream)
                out_of += nbytes
                if len(filled) > _AHEAD:
                    yield from self._emptied(filled)
            while filled:
                yield from self._emptied(filled)
        finally:
            for buffer, _ in filled:
                self._give(buffer)

    def trim(self) -> None:
        """Free the idle buffers."""
        with self._lock:
            idle = self._surplus(0)
        self._driver.relaxed(idle.clear)

    def _emptied(self, filled: "deque[tuple[_Buffer, int]]") -> Iterator[_Bytes]:
        """Wait for the oldest filled buffer, yield its bytes, and return it to the ring."""
        buffer, nbytes = filled[0]
        assert buffer.used is not None, "it was filled"
        buffer.used.wait()
        yield buffer.memory[:nbytes]
        del filled[0]
        self._give(buffer)

    def _send(self, buffer: _Buffer, into: int, out_of: int, nbytes: int, kind: int, stream: CupyStream) -> None:
        """Submit a copy from or to a buffer."""
        try:
            self._driver.runtime.memcpyAsync(into, out_of, nbytes, kind, stream.native.ptr)
            buffer.mark(stream)
        except BaseException:
            # The copy may have been submitted, without an event that says when the device is done with the buffer.
            with suppress(Exception):
                stream.native.synchronize()
            raise

    def _acquired(self, nbytes: int, stream: CupyStream, others: int = 0) -> _Buffer:
        """Return a buffer that no device uses; the caller holds ``others`` more for the same stream."""
        if nbytes <= self.size:
            with self._lock:
                idle, oldest = self._idle_or_oldest(_key(stream), self._count - others)
            if idle is not None:
                return idle
            if oldest is not None:
                oldest.wait()  # it stays in the ring, and the lock is free: the wait may be long, or interrupted
                return self._acquired(nbytes, stream, others)
        memory, is_pinned = self._memory.take(max(nbytes, self.size), stream.device)
        return _Buffer(self._driver, memory, reusable=is_pinned and memory.nbytes == self.size)

    def _idle_or_oldest(self, user: tuple[Device, int], most: int) -> tuple[_Buffer | None, _Buffer | None]:
        """Return an idle buffer; or else the stream's oldest, if it has ``most`` or more in flight and must wait."""
        own = self._buffers.setdefault(user, deque())
        for buffers in (own, *self._buffers.values()):
            if buffers and buffers[0].over():
                return buffers.popleft(), None
        return None, own[0] if 0 < most <= len(own) else None

    def _give(self, buffer: _Buffer) -> None:
        if not buffer.reusable:  # freed with the caller's last reference
            return
        with self._lock:
            self._buffers.setdefault(buffer.user, deque()).append(buffer)
            surplus = self._surplus(self._count)
        self._driver.relaxed(surplus.clear)  # unpin memory without the lock: the driver is slow

    def _surplus(self, most: int) -> list[_Buffer]:
        """Remove and return all but ``most`` idle buffers; buffers in flight stay, for the streams that use them."""
        surplus: list[_Buffer] = []
        if sum(map(len, self._buffers.values())) > most:
            for buffers in self._buffers.values():
                idle = len([*takewhile(_Buffer.over, buffers)])
                surplus += [buffers.popleft() for _ in range(most, idle)]
                most = max(0, most - idle)
        return surplus


def _key(stream: CupyStream) -> tuple[Device, int]:
    return stream.device, stream.native.ptr
