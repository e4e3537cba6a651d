"""`KernelHeap`: what kernels in C++ take by ``malloc`` and ``new``, on one device."""

import ctypes

__all__ = ["KernelHeap"]


class KernelHeap:
    """The heap of a device. What kernels do not free stays in use, as on a GPU.

    A process has one runtime for each compiler that it uses, and each keeps its own part of the heap.
    """

    def __init__(self) -> None:
        self._parts: dict[str, tuple[ctypes.CDLL, int]] = {}

    def address(self, runtime: ctypes.CDLL) -> int:
        """Return the address of the part that a runtime keeps."""
        part = self._parts.get(runtime._name)
        if part is None:
            runtime.accel_sim_new_heap.restype = ctypes.c_void_p
            part = self._parts.setdefault(runtime._name, (runtime, runtime.accel_sim_new_heap() or 0))
        return part[1]

    @property
    def used(self) -> int:
        """Bytes in use."""
        return sum(_used(runtime, address) for runtime, address in [*self._parts.values()])


def _used(runtime: ctypes.CDLL, address: int) -> int:
    function = runtime.accel_sim_heap_used
    function.restype = ctypes.c_uint64
    return int(function(ctypes.c_void_p(address)))
