"""The memory pools of CuPy: what is in use on a simulated device, the most that may be, and allocators of a block."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from accel import xp
from accel.errors import CapabilityError
from accel.memory import heap_of
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.testing.cupy_simulation.places import current_device
from accel.testing.simulation import in_use

__all__ = ["PinnedMemoryPool", "Pool", "alloc", "pool_members"]


class Pool:
    """Stands for `cupy.cuda.MemoryPool`: what is in use on the current device. No unused memory is kept.

    Parameters
    ----------
    allocator : callable, optional
        As in CuPy; memory is always that of the simulated device.
    """

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        self._limit = 0

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
        """Note the limit, which `get_limit` returns; the setting ``sim_memory`` is the one that counts."""
        if size is not None and fraction is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        if size is None and fraction is None:
            raise ValueError("either size or fraction must be specified")
        if fraction is not None and not 0 <= fraction <= 1:
            raise ValueError(f"memory limit fraction out of range: {fraction}")
        if size is not None and size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        room = heap_of(current_device()).backend.limits(current_device()).memory or 0
        self._limit = int(size if size is not None else room * (fraction or 0))

    def get_limit(self) -> int:
        """Return the limit; 0 for none."""
        return self._limit


class PinnedMemoryPool:
    """Stands for `cupy.cuda.PinnedMemoryPool`; no unused memory is kept."""

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        pass

    def free_all_blocks(self) -> None:
        """Do nothing."""

    def n_free_blocks(self) -> int:
        """Return 0."""
        return 0

    def malloc(self, size: int) -> Any:
        """Refuse: raises `CapabilityError`."""
        raise CapabilityError("pinned memory by its size is not simulated; write cupyx.empty_pinned(shape, dtype)")


def alloc(size: int) -> MemoryPointer:
    """Return new memory of a size."""
    return MemoryPointer(xp.empty(int(size), dtype="uint8", device=current_device()))


@contextmanager
def _using_allocator(allocator: Any = None) -> Iterator[None]:
    """Do nothing: memory is always that of the simulated device."""
    yield


def pool_members(pool: Pool, pinned: PinnedMemoryPool) -> dict[str, Any]:
    """Return the members of `cupy.cuda` about memory."""
    return {
        "MemoryPool": Pool,
        "MemoryAsyncPool": Pool,
        "PinnedMemoryPool": PinnedMemoryPool,
        "alloc": alloc,
        "malloc_managed": alloc,
        "malloc_async": alloc,
        "set_allocator": lambda allocator=None: None,
        "set_pinned_memory_allocator": lambda allocator=None: None,
        "get_allocator": lambda: pool.malloc,
        "using_allocator": _using_allocator,
    }
