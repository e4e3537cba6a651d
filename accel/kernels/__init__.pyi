# Written by ci/stubs. Do not edit.
from accel.dtypes import bf16 as bf16
from accel.dtypes import boolean as boolean
from accel.dtypes import c64 as c64
from accel.dtypes import c128 as c128
from accel.dtypes import f16 as f16
from accel.dtypes import f32 as f32
from accel.dtypes import f64 as f64
from accel.dtypes import i8 as i8
from accel.dtypes import i16 as i16
from accel.dtypes import i32 as i32
from accel.dtypes import i64 as i64
from accel.dtypes import u8 as u8
from accel.dtypes import u16 as u16
from accel.dtypes import u32 as u32
from accel.dtypes import u64 as u64
from accel.kernels.annotations import Static as Static
from accel.kernels.functions import Func as Func
from accel.kernels.functions import func as func
from accel.kernels.language import accumulator as accumulator
from accel.kernels.language import async_copy as async_copy
from accel.kernels.language import async_wait as async_wait
from accel.kernels.language import atomic_add as atomic_add
from accel.kernels.language import atomic_compare as atomic_compare
from accel.kernels.language import atomic_exchange as atomic_exchange
from accel.kernels.language import atomic_max as atomic_max
from accel.kernels.language import atomic_min as atomic_min
from accel.kernels.language import barrier as barrier
from accel.kernels.language import block_index as block_index
from accel.kernels.language import block_size as block_size
from accel.kernels.language import fma as fma
from accel.kernels.language import grid as grid
from accel.kernels.language import grid_size as grid_size
from accel.kernels.language import lane_index as lane_index
from accel.kernels.language import rsqrt as rsqrt
from accel.kernels.language import stack_allocation as stack_allocation
from accel.kernels.language import thread_index as thread_index
from accel.kernels.language import unroll as unroll
from accel.kernels.language import vector as vector
from accel.kernels.language import warp_all as warp_all
from accel.kernels.language import warp_any as warp_any
from accel.kernels.language import warp_ballot as warp_ballot
from accel.kernels.language import warp_shuffle as warp_shuffle
from accel.kernels.language import warp_shuffle_down as warp_shuffle_down
from accel.kernels.language import warp_shuffle_up as warp_shuffle_up
from accel.kernels.language import warp_shuffle_xor as warp_shuffle_xor
from accel.kernels.language import warp_size as warp_size
from accel.kernels.python_kernel import Kernel as Kernel
from accel.kernels.python_kernel import kernel as kernel
from accel.kernels.raw.raw_kernel import RawKernel as RawKernel
from accel.kernels.tuning import Tuned as Tuned
from accel.kernels.tuning import tune as tune
from accel.support.kernel_reports import KernelReport as KernelReport
from accel.views import AddressSpace as AddressSpace

__all__ = [
    "AddressSpace",
    "Func",
    "Kernel",
    "KernelReport",
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
