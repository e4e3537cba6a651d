# Written by ci/stubs. Do not edit.
from builtins import bool as _bool
from typing import Any

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
from accel.kernels.language import warp_ballot as warp_ballot
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

def atomic_add(memory: Any, index: Any, value: Any) -> Any:
    """Add to an element at once for all threads, and return the old element.

    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
    """

def atomic_compare(memory: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set an element if it equals ``expected``, at once for all threads, and return the old element.

    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    expected : number
        What the element is compared with.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
    """

def atomic_exchange(memory: Any, index: Any, value: Any) -> Any:
    """Set an element at once for all threads, and return the old element.

    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
    """

def atomic_max(memory: Any, index: Any, value: Any) -> Any:
    """Replace an element by the maximum with a value at once for all threads, and return the old element.

    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
    """

def atomic_min(memory: Any, index: Any, value: Any) -> Any:
    """Replace an element by the minimum with a value at once for all threads, and return the old element.

    Parameters
    ----------
    memory : array, view or shared memory
        Where the element is.
    index : int or tuple of int
        The coordinates of the element.
    value : number
        The number.

    Returns
    -------
    number
        The old element.
    """

def warp_all(condition: Any) -> _bool:
    """Return whether a condition holds for all threads of the warp.

    Parameters
    ----------
    condition : bool
        The condition.

    Returns
    -------
    bool
        Whether it holds.
    """

def warp_any(condition: Any) -> _bool:
    """Return whether a condition holds for a thread of the warp.

    Parameters
    ----------
    condition : bool
        The condition.

    Returns
    -------
    bool
        Whether it holds.
    """

def warp_shuffle(value: Any, lane: int) -> Any:
    """Return the value of another lane; all threads of the warp call it together, as all ``warp_`` functions.

    Parameters
    ----------
    value : number
        The number.
    lane : int
        The number of the lane.

    Returns
    -------
    number
        The value there.
    """

def warp_shuffle_down(value: Any, by: int) -> Any:
    """Return the value of the lane ``by`` above, or the own value if there is none.

    Parameters
    ----------
    value : number
        The number.
    by : int
        How many lanes.

    Returns
    -------
    number
        The value there.
    """

def warp_shuffle_up(value: Any, by: int) -> Any:
    """Return the value of the lane ``by`` below, or the own value if there is none.

    Parameters
    ----------
    value : number
        The number.
    by : int
        How many lanes.

    Returns
    -------
    number
        The value there.
    """

def warp_shuffle_xor(value: Any, mask: int) -> Any:
    """Return the value of the lane whose number is the own one xor a mask.

    Parameters
    ----------
    value : number
        The number.
    mask : int
        The bits that differ.

    Returns
    -------
    number
        The value there.
    """
