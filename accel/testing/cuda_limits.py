"""What a simulated device says of itself: the limits of kernels are those of NVIDIA's GPUs since Hopper."""

from accel.config import current
from accel.device import Device
from accel.memory import heap_of

__all__ = ["COMPUTE_CAPABILITY", "MAX_THREADS", "attribute", "blocks_at_once"]

COMPUTE_CAPABILITY = 9, 0
MAX_THREADS = 1024
_PROCESSORS, _THREADS, _BLOCKS = 8, 2048, 32
"""Multiprocessors; threads and blocks of one of them, as the simulated device counts them for cooperative launches."""
_SHARED, _STATIC, _RESERVED = 227 * 1024, 48 * 1024, 1024

_ATTRIBUTES = {
    "MAX_THREADS_PER_BLOCK": MAX_THREADS,
    "MAX_BLOCK_DIM_X": 1024,
    "MAX_BLOCK_DIM_Y": 1024,
    "MAX_BLOCK_DIM_Z": 64,
    "MAX_SHARED_MEMORY_PER_BLOCK": _STATIC,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": _SHARED,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": _SHARED + _RESERVED,
    "RESERVED_SHARED_MEMORY_PER_BLOCK": _RESERVED,
    "TOTAL_CONSTANT_MEMORY": 64 * 1024,
    "MAX_REGISTERS_PER_BLOCK": 65_536,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 65_536,
    "MULTIPROCESSOR_COUNT": _PROCESSORS,
    "MAX_THREADS_PER_MULTIPROCESSOR": _THREADS,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": _BLOCKS,
    "COMPUTE_CAPABILITY_MAJOR": COMPUTE_CAPABILITY[0],
    "COMPUTE_CAPABILITY_MINOR": COMPUTE_CAPABILITY[1],
    "CLOCK_RATE": 1_000_000,
    "MEMORY_CLOCK_RATE": 1_000_000,
    "GLOBAL_MEMORY_BUS_WIDTH": 64,
    "L2_CACHE_SIZE": 1 << 20,
    "MAX_PITCH": (1 << 31) - 1,
    "TEXTURE_ALIGNMENT": 512,
    "CAN_MAP_HOST_MEMORY": 1,
    "CONCURRENT_KERNELS": 1,
    "ASYNC_ENGINE_COUNT": 2,
    "UNIFIED_ADDRESSING": 1,
    "MANAGED_MEMORY": 1,
    "CONCURRENT_MANAGED_ACCESS": 1,
    "PAGEABLE_MEMORY_ACCESS": 0,
    "COOPERATIVE_LAUNCH": 1,
    "STREAM_PRIORITIES_SUPPORTED": 0,
    "GPU_OVERLAP": 1,
    "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": 2,
    "INTEGRATED": 0,
    "KERNEL_EXEC_TIMEOUT": 0,
    "COMPUTE_MODE": 0,
    "ECC_ENABLED": 0,
    "TCC_DRIVER": 0,
    "PCI_DOMAIN_ID": 0,
    "MEMORY_POOLS_SUPPORTED": 0,
}


def attribute(device: Device, name: str) -> int | None:
    """Return an attribute of a device by CUDA's name; None if a simulated device has no such."""
    grid = heap_of(device).backend.limits(device).grid
    own = {
        "WARP_SIZE": current().sim_warp,
        "MAX_GRID_DIM_X": grid[0],
        "MAX_GRID_DIM_Y": grid[1],
        "MAX_GRID_DIM_Z": grid[2],
        "PCI_BUS_ID": device.index,
        "PCI_DEVICE_ID": device.index,
    }
    return own.get(name, _ATTRIBUTES.get(name))


def blocks_at_once(threads: int, shared: int) -> int:
    """Return how many blocks one multiprocessor runs at once."""
    warp = current().sim_warp
    by_threads = _THREADS // max(-(-threads // warp) * warp, 1)
    return min(by_threads, (_SHARED + _RESERVED) // (shared + _RESERVED), _BLOCKS) if threads <= MAX_THREADS else 0
