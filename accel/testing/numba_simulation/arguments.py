"""Arrays as arguments of kernels: what numba-cuda does with `cuda.core.utils.StridedMemoryView`, which needs a GPU."""

import threading
from typing import Any, NamedTuple

import numpy as np
from cuda.core import Buffer
from cuda.core.utils import StridedMemoryView
from numba.cuda import api
from numba.cuda.args import InOut
from numba.cuda.args import wrap_arg as real_wrap_arg
from numba.cuda.cudadrv import devicearray, driver

__all__ = ["host_view", "taken_arrays", "view", "wrap_arg"]

_of_thread = threading.local()
_OF_DEVICE = frozenset((devicearray.DeviceNDArray, devicearray.DeviceRecord, devicearray.ManagedNDArray))


class HostView(NamedTuple):
    """An array of the host: where its first element is."""

    ptr: int


def host_view(value: Any, *, stream_ptr: Any = 0) -> HostView:
    """Return where an array of the host is; stands for `devicearray._make_strided_memory_view`."""
    return HostView(np.asanyarray(value).__array_interface__["data"][0])


def view(value: Any, stream: Any = 0, copy: bool = True, user_explicit: bool = False) -> tuple[Any, bool]:
    """Return an argument in the memory of a device, and whether it was copied there.

    Stands for `devicearray._to_strided_memory_view`.
    """
    if isinstance(value, StridedMemoryView):
        return value, False
    if driver.is_device_memory(value):
        return value._strided_memory_view_shim, False
    if isinstance(value, Buffer):
        memory = driver.MemoryPointer(api.current_context(), driver.binding.CUdeviceptr(int(value.handle)), value.size)
        return _View(devicearray.DeviceNDArray((value.size,), (1,), np.uint8, gpu_data=memory), value), False
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        _of_thread.__dict__.setdefault("arrays", []).append(value)
        return _View(api.from_cuda_array_interface(interface, owner=value)), False
    array, copied = devicearray.auto_device(value, stream=_stream(stream), copy=copy, user_explicit=user_explicit)
    return _View(array), copied


def taken_arrays() -> list[Any]:
    """Return the arrays of other libraries that this thread has prepared for its next launch.

    A program may drop them before the launch runs: CuPy's memory is used again in the order of the streams.
    """
    taken: list[Any] = _of_thread.__dict__.pop("arrays", [])
    return taken


class _OnDevice:
    """Stands for `numba.cuda.args.InOut` around an array of a device: a launch has many of them."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def to_device(self, retr: list[Any], stream: Any = 0) -> Any:
        """Return what a launch reads of the array."""
        return self._array._strided_memory_view_shim


def wrap_arg(value: Any, default: Any = InOut) -> Any:
    """Return an argument with how it is copied; stands for `numba.cuda.args.wrap_arg`."""
    return _OnDevice(value) if type(value) in _OF_DEVICE else real_wrap_arg(value, default)


class _View:
    """What a launch reads of an array, and the objects that keep the memory alive."""

    def __init__(self, array: Any, owner: Any = None) -> None:
        self._kept = array, owner
        view = array._strided_memory_view_shim
        self.ptr, self.shape, self.dtype, self.size, self._layout = (
            view.ptr,
            view.shape,
            view.dtype,
            view.size,
            view._layout,
        )


def _stream(stream: Any) -> Any:
    """Return a stream as numba-cuda's arrays take it; the default stream is waited for, as 0 is."""
    return stream if int(getattr(stream, "handle", stream) or 0) else 0
