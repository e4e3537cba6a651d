"""The devices, and the stack of contexts that each thread has."""

import threading
from itertools import count
from typing import Any

from cuda.bindings import driver as bindings
from numba.cuda.cudadrv import driver

from accel.device import Device
from accel.memory import heap_of
from accel.testing.cuda_limits import attribute
from accel.testing.numba_simulation.failures import DriverError, simulated
from accel.testing.visible_devices import visible_devices

__all__ = ["current_device", "current_number", "device_of", "devices", "forget_devices", "number_of", "primary", "push"]

_VERSION = 13_000
_PRIMARY = 0x1000


class _Stack(threading.local):
    """The handles of the contexts of a thread, the current one last."""

    def __init__(self) -> None:
        self.handles: list[int] = []


_stack = _Stack()
_created: dict[int, int] = {}
"""The devices of contexts that are not primary, by handles."""
_numbers = count(0x2000)


class _Visible:
    """The devices that the program sees: as in CUDA, its environment is read at the first use of the driver."""

    def __init__(self) -> None:
        self.count: int | None = None
        self.devices: tuple[Device, ...] | None = None
        self.earlier: tuple[Device, ...] = ()


_visible = _Visible()


def forget_devices(count: int | None) -> None:
    """Let the devices be found anew, of so many."""
    _visible.count, _visible.devices = count, None


def devices() -> tuple[Device, ...]:
    """Return the simulated devices that the program sees, in the order of their numbers."""
    found = _visible.devices
    if found is None:  # several threads find the same
        found = visible_devices(_visible.count)
        _forget_others(found)
        _visible.devices = _visible.earlier = found
    return found


def _forget_others(visible: tuple[Device, ...]) -> None:
    """Remove numba-cuda's objects of numbers that meant other devices in an earlier block: they know their names."""
    same = {number for number, pair in enumerate(zip(visible, _visible.earlier, strict=False)) if pair[0] == pair[1]}
    kept = driver.driver.devices
    for number in {*kept} - same:
        kept.pop(number, None)


def number_of(device: Device) -> int:
    """Return the number of a device among those that the program sees."""
    return devices().index(device)


def device_of(number: Any) -> Device:
    """Return a device by its number.

    Raises
    ------
    DriverError
        If there is none.
    """
    every, index = devices(), int(number)
    if not 0 <= index < len(every):
        raise DriverError("ERROR_INVALID_DEVICE")
    return every[index]


def current_device() -> Device:
    """Return the device of the current context.

    Raises
    ------
    DriverError
        If this thread has none.
    """
    if not _stack.handles:
        raise DriverError("ERROR_INVALID_CONTEXT")
    return _device(_stack.handles[-1])


def current_number() -> int | None:
    """Return the number of the device whose primary context is the current one; None if none is."""
    handles = _stack.handles
    return handles[-1] - _PRIMARY if handles and handles[-1] not in _created else None


def primary(number: int) -> Any:
    """Return the primary context of a device."""
    return bindings.CUcontext(_PRIMARY + number)


def push(context: Any) -> None:
    """Make a context the current one of the thread."""
    _device(int(context))
    _stack.handles.append(int(context))


def _device(handle: int) -> Device:
    number = _created.get(handle, handle - _PRIMARY)
    if not 0 <= number < len(devices()):
        raise DriverError("ERROR_INVALID_CONTEXT")
    return device_of(number)


@simulated
def cuInit(flags: int) -> None:
    """There is nothing to initialise, if a device is visible."""
    if not devices():
        raise DriverError("ERROR_NO_DEVICE")


@simulated
def cuDriverGetVersion() -> int:
    """Return the version of CUDA that the simulated devices stand for."""
    return _VERSION


@simulated
def cuDeviceGetCount() -> int:
    """Return how many devices there are."""
    return len(devices())


@simulated
def cuDeviceGet(number: int) -> Any:
    """Return a device."""
    return bindings.CUdevice(number_of(device_of(number)))


@simulated
def cuDeviceGetAttribute(code: Any, device: Any) -> int:
    """Return an attribute of a device."""
    value = attribute(device_of(device), code.name.removeprefix("CU_DEVICE_ATTRIBUTE_"))
    if value is None:
        raise DriverError("ERROR_INVALID_VALUE")
    return value


@simulated
def cuDeviceCanAccessPeer(device: Any, peer: Any) -> int:
    """Return 1: simulated devices access the memory of each other."""
    return int(device_of(device) is not device_of(peer))


@simulated
def cuCtxEnablePeerAccess(context: Any, flags: int) -> None:
    """Do nothing: simulated devices always access the memory of each other."""
    _device(int(context))


@simulated
def cuCtxGetCurrent() -> Any:
    """Return the current context of the thread, or 0."""
    return bindings.CUcontext(_stack.handles[-1] if _stack.handles else 0)


@simulated
def cuCtxGetDevice() -> Any:
    """Return the device of the current context."""
    return bindings.CUdevice(number_of(current_device()))


@simulated
def cuCtxPushCurrent(context: Any) -> None:
    """Make a context the current one."""
    push(context)


@simulated
def cuCtxSetCurrent(context: Any) -> None:
    """Put a context in the place of the current one."""
    if _stack.handles:
        _stack.handles.pop()
    if int(context):
        push(context)


@simulated
def cuCtxPopCurrent() -> Any:
    """Remove the current context of the thread, and return it."""
    current_device()
    return bindings.CUcontext(_stack.handles.pop())


@simulated
def cuCtxCreate(*arguments: Any) -> Any:
    """Make a context that is not the primary one of its device, and make it the current one."""
    handle = next(_numbers)
    _created[handle] = number_of(device_of(arguments[-1]))
    push(handle)
    return bindings.CUcontext(handle)


@simulated
def cuCtxDestroy(context: Any) -> None:
    """Remove a context that `cuCtxCreate` made."""
    if int(context) not in _created:
        raise DriverError("ERROR_INVALID_CONTEXT")
    _stack.handles = [handle for handle in _stack.handles if handle != int(context)]
    del _created[int(context)]


@simulated
def cuDevicePrimaryCtxRetain(device: Any) -> Any:
    """Return the primary context of a device, which lives as long as the process."""
    return primary(number_of(device_of(device)))


@simulated
def cuDevicePrimaryCtxRelease(device: Any) -> None:
    """Do nothing: the primary context of a device lives as long as the process."""
    device_of(device)


@simulated
def cuDevicePrimaryCtxReset(device: Any) -> None:
    """Run the work of a device; numba-cuda has released what it owns there."""
    where = device_of(device)
    heap_of(where).backend.synchronize(where)


@simulated
def cuCtxSynchronize() -> None:
    """Wait for all work of the current device; raises what its kernels did wrong."""
    where = current_device()
    heap_of(where).backend.synchronize(where)


@simulated
def cuProfilerStart() -> None:
    """Do nothing: no profiler is attached."""


@simulated
def cuProfilerStop() -> None:
    """Do nothing: no profiler is attached."""
