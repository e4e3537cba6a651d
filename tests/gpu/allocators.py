"""The allocators that a program may give to CuPy, by name; those of other libraries by functions that do as they do."""

import os
import warnings
from functools import partial

__all__ = ["ALLOCATORS", "install"]


def _asynchronous(cupy):
    return cupy.cuda.MemoryAsyncPool().malloc


def _managed(cupy):
    return cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc


class _Buffer:
    """Memory of a stream, as `rmm.DeviceBuffer`: freed in the order of the stream that it was made on."""

    def __init__(self, cupy, nbytes):
        self._runtime, self._stream, self.device = (
            cupy.cuda.runtime,
            cupy.cuda.get_current_stream().ptr,
            cupy.cuda.Device(),
        )
        try:
            self.address = self._runtime.mallocAsync(nbytes, self._stream)
        except self._runtime.CUDARuntimeError as error:
            raise MemoryError(f"std::bad_alloc: out_of_memory: {error}") from None

    def __del__(self):
        if hasattr(self, "address"):
            with self.device:
                self._runtime.freeAsync(self.address, self._stream)


def _of_rmm(cupy, nbytes):
    """Allocate as `rmm.allocators.cupy.rmm_cupy_allocator` does."""
    if not nbytes:
        return cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(0, 0, None, cupy.cuda.Device().id), 0)
    buffer = _Buffer(cupy, nbytes)
    memory = cupy.cuda.UnownedMemory(buffer.address, nbytes, buffer, buffer.device.id)
    return cupy.cuda.MemoryPointer(memory, 0)


def _of_functions(cupy):
    malloc, free = cupy.cuda.runtime.malloc, cupy.cuda.runtime.free
    return cupy.cuda.PythonFunctionAllocator(lambda size, _: malloc(size), lambda address, _: free(address)).malloc


ALLOCATORS = {
    "pool": lambda cupy: cupy.get_default_memory_pool().malloc,
    "async": _asynchronous,
    "managed": _managed,
    "rmm": lambda cupy: partial(_of_rmm, cupy),
    "functions": _of_functions,
}


def install():
    """Give CuPy the allocator that the environment variable ACCEL_GPU_ALLOCATOR names, if there is one."""
    name = os.environ.get("ACCEL_GPU_ALLOCATOR")
    if name:
        with warnings.catch_warnings():  # of CuPy, before the settings of pytest for them hold
            warnings.simplefilter("default")
            import cupy

        cupy.cuda.set_allocator(ALLOCATORS[name](cupy))
