"""Pinned memory: pages of the host that a device copies at the speed of its link."""

import threading
import warnings
from collections import deque
from typing import SupportsIndex

from accel.abc.block import Block
from accel.abc.optional import SupportsPinning
from accel.abc.stream import Event, Stream
from accel.call_sites import stack_level
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import OutOfMemoryError
from accel.locks import open_after_fork
from accel.memory.allocators import Allocator, trimmed
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.pool import Pool
from accel.memory.scopes import allocating
from accel.memory.shortage import without_ladder
from accel.registry import table_by_device

__all__ = ["AfterEvents", "PinnedPool", "pinned", "pinned_pools"]

_CPU = Device.CPU


class AfterEvents:
    """Gives a block that is freed on a stream to its upstream when the stream's work so far is done, and not before.

    Parameters
    ----------
    upstream : Allocator
        Who gives the blocks.

    Attributes
    ----------
    waiting : deque
        The blocks whose last use is not over, each with the event that ends it.
    """

    def __init__(self, upstream: Allocator) -> None:
        self.upstream = upstream
        self.waiting: deque[tuple[Event, Block]] = deque()

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a block of the upstream's, which has those back whose use is over."""
        self._give_back_reached()
        return self.upstream.allocate(device, nbytes, alignment=alignment, stream=stream)

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Take a block back, for later if a stream still uses it."""
        if stream is None:
            self.upstream.free(block, stream=None)
        else:
            self.waiting.append((stream.record(), block))

    def trim(self) -> int:
        """Let the upstream give back what it keeps."""
        self._give_back_reached()
        return trimmed(self.upstream)

    def _give_back_reached(self) -> None:
        for _ in range(len(self.waiting)):
            event, block = self.waiting.popleft()
            if event.done():
                self.upstream.free(block, stream=None)
            else:
                self.waiting.append((event, block))


class _Locked:
    """The pages that a backend locks for a device."""

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


class PinnedPool(AfterEvents):
    """The pinned memory of a device: an allocator for the CPU, as in ``allocating("cpu", pool)``.

    A block that comes back is given again, when the event of its last use is reached.

    Attributes
    ----------
    device : Device
        Whose link it is for.
    """

    def __init__(self, device: Device, backend: SupportsPinning) -> None:
        self.device = device
        self._locked = _Locked(device, backend)
        self._pool = Pool(self._locked)
        super().__init__(self._pool)

    @property
    def kept_bytes(self) -> int:
        """Bytes that are pinned, and not in use."""
        return self._pool.kept_bytes

    @property
    def live_bytes(self) -> int:
        """Bytes that are in use."""
        return self._locked.live_bytes - self.kept_bytes

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return pinned memory; where no more can be had, what is kept and of another size is given back first.

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
    """Return host memory that a device copies at the speed of its link: for staging, and for copies under way.

    It is managed and freed like any other, and then kept in a pool of its own. Where no more can be pinned it is
    ordinary memory, of which a process is warned once; where the device needs none, as the CPU, it always is.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype_like
        Type of the elements.
    device : Device or str, optional
        Which; by default `Device.default`.

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
        with without_ladder(), allocating(_CPU, pool):
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
            f"{full}; ordinary memory takes its place, from which copies are slower. This is said once",
            RuntimeWarning,
            stacklevel=stack_level(),
        )
