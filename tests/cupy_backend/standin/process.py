"""The stand-in as the CuPy of a whole process, with the functions that `ci/gpu` calls besides the backend."""

import sys
from functools import partial
from importlib.machinery import ModuleSpec

import numpy as np
from accel.backends.cupy.kernel_calls import Arguments

from ...gpu_code.on_processor import three
from .machine import Machine
from .module import modules
from .namespace import namespace

__all__ = ["install"]


def install(flavour="cuda", **faults):
    """Make the process import a machine as CuPy; faults are attributes of the machine."""
    machine = Machine(flavour, memory=1 << 29)
    for name, value in faults.items():
        setattr(machine, name, value)
    sys.modules.update(modules(machine))
    import cupy

    _compute(cupy, machine)
    sys.modules["array_api_compat.cupy"] = namespace(cupy)
    return machine


def _compute(cupy, machine):
    """Add the functions that the tests and benchmarks for real devices call directly."""

    def values_of(array):
        machine.scheduler.drive_stream(machine.scheduler.current())
        return array._values

    def ascontiguousarray(array):
        result = cupy.ndarray(array.shape, array.dtype)
        values_of(result)[...] = values_of(array)
        return result

    def put(array, arr, stream=None):
        values_of(array)[...] = arr

    def get(array, stream=None, order="C", out=None, blocking=True):
        out[...] = values_of(array)

    cupy.ndarray.set, cupy.ndarray.get = put, get
    cupy.__spec__ = ModuleSpec("cupy", None)
    cupy.__version__ = "0"
    cupy.ascontiguousarray = ascontiguousarray
    cupy.copyto = lambda into, out_of: into.__setitem__(..., out_of)
    cupy.array_equal = lambda one, other: np.array_equal(values_of(one), values_of(other))
    cupy.sum = lambda array: values_of(array).sum()
    cupy.RawKernel = partial(_raw_kernel, cupy)
    cupy.cuda.MemoryAsyncPool = lambda: machine.pool
    cupy.cuda.set_allocator = lambda allocator: None


def _raw_kernel(cupy, code, name):
    function = cupy.RawModule(code=code, options=()).get_function(name).kernel

    def launch(grid, block, arguments):
        values = [each.data.ptr if isinstance(each, cupy.ndarray) else each for each in arguments]
        packed = Arguments.of([np.uint64(each) if isinstance(each, int) else each for each in values])
        cupy.cuda.driver.launchKernel(function.ptr, *three(grid), *three(block), 0, 0, packed.table, 0)

    return launch
