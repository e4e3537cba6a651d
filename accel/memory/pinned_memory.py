"""Pinned memory: page-locked memory of the host, which a device copies at the full speed of its link."""

import threading
import warnings
from collections import deque
from typing import SupportsIndex

from accel.abc.block import Block
from accel.abc.optional import SupportsPinning
from accel.abc.stream import Event, Stream
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import OutOfMemoryError
from accel.memory.allocator_scopes import allocating
from accel.memory.allocators import Allocator, trimmed
from accel.memory.captures import event_after
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.pool import Pool
from accel.memory.shortage import without_retry
from accel.registry import table_by_device
from accel.support.call_sites import stack_level
from accel.support.locks import open_after_fork

__all__ = ["FreesAfterEvents", "PinnedPool", "pinned", "pinned_pools"]

_CPU = Device.CPU


class FreesAfterEvents:
    """An allocator that frees a block on a stream only when the stream's work so far is done.

    Parameters
    ----------
    upstream : Allocator
        The allocator of the blocks.

    Attributes
    ----------
    waiting : deque
        The blocks that may still be in use, each with the event of its last use.
    """

    def __init__(self, upstream: Allocator) -> None:
        self.upstream = upstream
        self.waiting: deque[tuple[Event, Block]] = deque()

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream allocator, after freeing those whose last use is done."""
        self._free_done()
        return self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Free a block, later if a stream may still use it."""
        if stream is None:
            self.upstream.free(block, stream=None)
        else:
            self.waiting.append((event_after(stream), block))

    def trim(self) -> int:
        """Free the blocks that the upstream allocator keeps."""
        self._free_done()
        return trimmed(self.upstream)

    def _free_done(self) -> None:
        for _ in range(len(self.waiting)):
            event, block = self.waiting.popleft()
            if event.done():
                self.upstream.free(block, stream=None)
            else:
                self.waiting.append((event, block))


class _PageLockedAllocator:
    """Allocates the page-locked memory of a backend for one device."""

    def __init__(self, device: Device, backend: SupportsPinning) -> None:
        self.device = device
        self.backend = backend
        self.live_bytes = 0

    def allocate(self, _device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:  # noqa: ARG002 - the protocol
        block = self.backend.allocate_pinned(self.device, nbytes)
        self.live_bytes += block.nbytes
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:  # noqa: ARG002 - the protocol
        self.live_bytes -= block.nbytes
        self.backend.free_pinned(self.device, block)


class PinnedPool(FreesAfterEvents):
    """The pinned memory of a device: an allocator for the CPU, as in ``allocating("cpu", pool)``.

    A freed block is used again when the event of its last use is reached.

    Parameters
    ----------
    backend : SupportsPinning
        The backend of the device.

    Attributes
    ----------
    device, pinned_for : Device
        The device that copies from and to this memory.
    """

    def __init__(self, device: Device, backend: SupportsPinning) -> None:
        self.device = device
        self.pinned_for: Device = device
        self._locked = _PageLockedAllocator(device, backend)
        self._pool = Pool(self._locked)
        super().__init__(self._pool)

    @property
    def kept_bytes(self) -> int:
        """Bytes that are pinned but not in use."""
        return self._pool.kept_bytes

    @property
    def live_bytes(self) -> int:
        """Bytes in use."""
        return self._locked.live_bytes - self.kept_bytes

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return pinned memory; where there is no more, blocks kept for other sizes are freed first.

        Parameters
        ----------
        device : Device
            The CPU.
        nbytes : int
            The size in bytes.
        alignment : int
            What the address is a multiple of.
        stream : Stream, optional
            Without effect: the memory is the host's.

        Raises
        ------
        OutOfMemoryError
            If no more can be pinned.
        """
        try:
            return super().allocate(device, nbytes, alignment=alignment, stream=stream)
        except OutOfMemoryError:
            if not self.trim():
                raise
        return super().allocate(device, nbytes, alignment=alignment, stream=stream)


_pools: dict[Device, PinnedPool] = table_by_device()
_lock = open_after_fork(threading.Lock())
_warned = False


def pinned_pools() -> tuple[PinnedPool, ...]:
    """Return the pools used so far in this process."""
    return tuple(_pools.values())


def pinned(size: SupportsIndex, dtype: DTypeLike = "float64", device: DeviceLike | None = None) -> HostStorage:
    """Return host memory that a device copies at the full speed of its link, for staging and asynchronous copies.

    It is managed memory; its freed blocks are kept in a pool of pinned memory. Where no more can be pinned the result
    is ordinary memory, with one warning per process. For a device that needs none, such as the CPU, it always is.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype_like
        Type of the elements.
    device : Device or str, optional
        The device that copies; by default `Device.default`.

    Returns
    -------
    HostStorage
        The memory.

    Raises
    ------
    DeviceUnavailableError, OutOfMemoryError
        If the device is not here, or there is no memory of either kind.

    Examples
    --------
    >>> from accel.memory import pinned
    >>> with pinned(1000, "float32", "sim") as staging:
    ...     staging.store(0, 1.5)
    ...     staging
    <HostStorage(managed, size=1000, refcount=1) of float32>
    """
    pool = _pool_of(resolve(device))
    if pool is None:
        return HostStorage.new(size, dtype)
    try:
        with without_retry(), allocating(_CPU, pool):
            return HostStorage.new(size, as_dtype(dtype))
    except OutOfMemoryError as full:
        _warn(full)
    return HostStorage.new(size, dtype)


def _pool_of(device: Device) -> PinnedPool | None:
    pool = _pools.get(device)
    if pool is not None:
        return pool
    backend = heap_of(device).backend
    if not isinstance(backend, SupportsPinning):
        return None
    with _lock:
        return _pools.setdefault(device, PinnedPool(device, backend))


def _warn(full: OutOfMemoryError) -> None:
    global _warned
    with _lock:
        warned, _warned = _warned, True
    if not warned:
        warnings.warn(
            f"{full}; ordinary memory takes its place, and copies are slower. This warning is shown once",
            RuntimeWarning,
            stacklevel=stack_level(),
        )
