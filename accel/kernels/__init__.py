"""Kernels: Python functions compiled for a device's memory, and kernels in CUDA or HIP."""

from accel.dtypes import boolean, c64, c128, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from accel.kernels.annotations import Static
from accel.kernels.functions import Func, func
from accel.kernels.language import (
    accumulator,
    async_copy,
    async_wait,
    atomic_add,
    atomic_compare,
    atomic_exchange,
    atomic_max,
    atomic_min,
    barrier,
    block_index,
    block_size,
    fma,
    grid,
    grid_size,
    lane_index,
    rsqrt,
    stack_allocation,
    thread_index,
    unroll,
    vector,
    warp_all,
    warp_any,
    warp_ballot,
    warp_shuffle,
    warp_shuffle_down,
    warp_shuffle_up,
    warp_shuffle_xor,
    warp_size,
)
from accel.kernels.python_kernel import Kernel, kernel
from accel.lazy import LazyNames
from accel.views import AddressSpace

_LAZY = {
    "RawKernel": "accel.kernels.raw",
    "Tuned": "accel.kernels.tuning",
    "bf16": "accel.dtypes",
    "tune": "accel.kernels.tuning",
}

__all__ = [
    "AddressSpace",
    "Func",
    "Kernel",
    "RawKernel",
    "Static",
    "Tuned",
    "accumulator",
    "async_copy",
    "async_wait",
    "atomic_add",
    "atomic_compare",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "barrier",
    "bf16",
    "block_index",
    "block_size",
    "boolean",
    "c64",
    "c128",
    "f16",
    "f32",
    "f64",
    "fma",
    "func",
    "grid",
    "grid_size",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "lane_index",
    "rsqrt",
    "stack_allocation",
    "thread_index",
    "tune",
    "u8",
    "u16",
    "u32",
    "u64",
    "unroll",
    "vector",
    "warp_all",
    "warp_any",
    "warp_ballot",
    "warp_shuffle",
    "warp_shuffle_down",
    "warp_shuffle_up",
    "warp_shuffle_xor",
    "warp_size",
]


_names = LazyNames(__name__, _LAZY, __all__)
__getattr__, __dir__ = _names.fetch, _names.listed
