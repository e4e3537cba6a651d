"""The pools that CuPy allocates from: its default one, and that of the allocator that a program has chosen."""

from functools import partial
from typing import Any

from .driver import Driver

__all__ = ["Wrapped", "allocator_name", "free_bytes", "is_pooled", "trim"]


class Wrapped(partial[Any]):
    """The allocator of a computation; its first argument is the one that it calls."""


def free_bytes(driver: Driver) -> int:
    """Return how many bytes the pools keep on the current device that nothing uses."""
    return sum(_free_bytes(pool) for pool in _pools(driver))


def trim(driver: Driver) -> int:
    """Return the free memory of the pools on the current device to the driver; return its bytes."""
    freed = 0
    for pool in _pools(driver):
        if pool is not driver.cupy.get_default_memory_pool():
            # Memory whose release is still to come in the order of a stream is not free.
            driver.relaxed(driver.runtime.deviceSynchronize)
        before = _free_bytes(pool)
        driver.relaxed(pool.free_all_blocks)
        freed += before - _free_bytes(pool)  # the free parts of chunks that are partly in use stay
    return freed


def allocator_name(driver: Driver) -> str:
    """Return the words for where CuPy allocates, for messages."""
    allocator = _allocator(driver)
    pool = getattr(allocator, "__self__", None)
    if pool is driver.cupy.get_default_memory_pool():
        return "CuPy's pool"
    name = type(pool).__name__ if _is_pool(pool) else getattr(allocator, "__qualname__", repr(allocator))
    return f"the allocator that CuPy was given, {name}"


def is_pooled(driver: Driver, native: Any) -> bool:
    """Return whether a pointer is of a pool of CuPy's own, to which it returns without a call of the driver."""
    return type(native.mem) is driver.pooled_type


def _allocator(driver: Driver) -> Any:
    """Return CuPy's current allocator, also within a computation of accel."""
    allocator = driver.cuda.get_allocator()
    while isinstance(allocator, Wrapped):
        allocator = allocator.args[0]
    return allocator


def _pools(driver: Driver) -> list[Any]:
    """Return CuPy's default pool, from which earlier memory may be, and that of its current allocator if it has one."""
    default = driver.cupy.get_default_memory_pool()
    pool = getattr(_allocator(driver), "__self__", None)
    return [default, pool] if pool is not default and _is_pool(pool) else [default]


def _is_pool(value: Any) -> bool:
    return hasattr(value, "free_all_blocks") and hasattr(value, "free_bytes")


def _free_bytes(pool: Any) -> int:
    try:
        free: int = pool.free_bytes()
    except RuntimeError:  # of the driver's pool, which older drivers do not tell
        return 0
    return free
