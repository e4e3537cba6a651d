"""The memory pools of CuPy: what is in use on a simulated device, the most that may be, and allocators of a block."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from accel import xp
from accel.device import Device
from accel.errors import OutOfMemoryError
from accel.memory import heap_of
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.testing.cupy_simulation.places import current_device
from accel.testing.simulation import in_use, simulators

__all__ = ["PinnedMemoryPointer", "PinnedMemoryPool", "Pool", "alloc", "limit_allocations", "pool_members"]


class Pool:
    """Stands for `cupy.cuda.MemoryPool`: what is in use on the current device. No unused memory is kept.

    Parameters
    ----------
    allocator : callable, optional
        As in CuPy; memory is always that of the simulated device.
    """

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        self._limits: dict[Device, int] = {}

    def check(self, device: Device, nbytes: int) -> None:
        """Refuse an allocation beyond the limit.

        Raises
        ------
        OutOfMemoryError
            If there is a limit, and more would be in use.
        """
        limit = self._limits.get(device, 0)
        used = in_use(heap_of(device)) if limit else 0
        if limit and used + nbytes > limit:
            raise OutOfMemoryError(
                f"Out of memory allocating {nbytes:,} bytes (allocated so far: {used:,} bytes, limit set to: "
                f"{limit:,} bytes)."
            )

    def used_bytes(self) -> int:
        """Return how many bytes are in use."""
        return in_use(heap_of(current_device()))

    def total_bytes(self) -> int:
        """Return how many bytes are in use."""
        return self.used_bytes()

    def free_all_blocks(self, stream: Any = None) -> None:
        """Do nothing."""

    def free_all_free(self) -> None:
        """Do nothing."""

    def free_bytes(self) -> int:
        """Return 0."""
        return 0

    def n_free_blocks(self) -> int:
        """Return 0."""
        return 0

    def malloc(self, size: int) -> MemoryPointer:
        """Return new memory."""
        return alloc(size)

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit what is in use on the current device, while the pool is the allocator; 0 is no limit."""
        if size is not None and fraction is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        if fraction is not None and not 0 <= fraction <= 1:
            raise ValueError(f"memory limit fraction out of range: {fraction}")
        if size is not None and size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        device = current_device()
        room = heap_of(device).backend.limits(device).memory or 0
        self._limits[device] = int(room * (fraction or 0) if size is None else size)

    def get_limit(self) -> int:
        """Return the limit for the current device; 0 for none."""
        return self._limits.get(current_device(), 0)


class PinnedMemoryPointer(bytearray):
    """Stands for `cupy.cuda.PinnedMemoryPointer`: memory of the host, as ``numpy.frombuffer`` takes it."""

    @property
    def ptr(self) -> int:
        """The address."""
        return int(np.frombuffer(self, np.uint8).ctypes.data)

    def size(self) -> int:
        """Return how many bytes there are."""
        return len(self)


class PinnedMemoryPool:
    """Stands for `cupy.cuda.PinnedMemoryPool`; no unused memory is kept."""

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        pass

    def free_all_blocks(self) -> None:
        """Do nothing."""

    def n_free_blocks(self) -> int:
        """Return 0."""
        return 0

    def malloc(self, size: int) -> PinnedMemoryPointer:
        """Return new memory."""
        return PinnedMemoryPointer(size)


def alloc(size: int) -> MemoryPointer:
    """Return new memory of a size."""
    return MemoryPointer(xp.empty(int(size), dtype="uint8", device=current_device()))


_of_process: list[Pool | None] = [None]
"""The pool that limits allocations, if any."""
_of_block: ContextVar[Pool | None] = ContextVar("accel_cupy_pool")


def _current() -> Pool | None:
    return _of_block.get(_of_process[0])


def _pool_of(allocator: Any) -> Pool | None:
    owner = getattr(allocator, "__self__", None)
    return owner if isinstance(owner, Pool) else None


def _get_allocator() -> Callable[[int], MemoryPointer]:
    pool = _current()
    return alloc if pool is None else pool.malloc


def _set_allocator(allocator: Any = None) -> None:
    """Let a pool limit allocations, or no pool."""
    _of_process[0] = _pool_of(allocator)


@contextmanager
def _using_allocator(allocator: Any = None) -> Iterator[None]:
    """Let a pool, or no pool, limit the allocations of a block of this thread."""
    token = _of_block.set(_pool_of(allocator))
    try:
        yield
    finally:
        _of_block.reset(token)


class _Asked:
    """The question of a simulated device before each allocation; what it asked earlier, it still asks."""

    def __init__(self, earlier: Callable[[Device, int], None]) -> None:
        self._earlier = earlier

    def __call__(self, device: Device, nbytes: int) -> None:
        pool = _current()
        if pool is not None:
            pool.check(device, nbytes)
        self._earlier(device, nbytes)


def limit_allocations(pool: Pool | None) -> None:
    """Let a pool limit allocations on simulated devices, or none."""
    heap_of(Device("sim"))  # so that there is a simulator
    for simulator in simulators():
        faults: Any = simulator.faults
        if not isinstance(faults.at_allocation, _Asked):  # a test may have put another one there, and taken it away
            faults.at_allocation = _Asked(faults.at_allocation)
    _of_process[0] = pool


def pool_members(pool: Pool, pinned: PinnedMemoryPool) -> dict[str, Any]:
    """Return the members of `cupy.cuda` about memory."""
    return {
        "MemoryPool": Pool,
        "MemoryAsyncPool": Pool,
        "PinnedMemoryPool": PinnedMemoryPool,
        "PinnedMemoryPointer": PinnedMemoryPointer,
        "alloc": alloc,
        "alloc_pinned_memory": pinned.malloc,
        "malloc_managed": alloc,
        "malloc_async": alloc,
        "set_allocator": _set_allocator,
        "set_pinned_memory_allocator": lambda allocator=None: None,
        "get_allocator": _get_allocator,
        "using_allocator": _using_allocator,
    }
