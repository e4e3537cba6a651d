"""Memory of the driver: of simulated devices, pinned, mapped and managed."""

import ctypes
import threading
from bisect import bisect
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from cuda.bindings import driver as bindings

from accel.abc import Block, ExternalAllocation, Operand, Span, Stream
from accel.device import Device
from accel.dtypes import as_dtype
from accel.errors import OutOfMemoryError
from accel.memory import heap_of
from accel.support.locks import open_after_fork
from accel.testing.numba_simulation.contexts import current_device, devices
from accel.testing.numba_simulation.failures import DriverError, refuse, simulated
from accel.testing.numba_simulation.streams import (
    finish_default,
    giving_to,
    release_late,
    releasing_stream,
    settle_device,
)

__all__ = ["all_simulated", "as_simulated", "free", "free_host", "set_pointer", "unregister"]

_BYTE = as_dtype("uint8")
_ALIGNMENT = 4096
_POISON = 0xFF
_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class HostMemory(NamedTuple):
    """Memory of the host that the driver knows.

    Attributes
    ----------
    content : array
        Its bytes.
    device : Device
        The device for which it was allocated.
    memory : object
        The same bytes as memory of the device: they are mapped.
    pinned : Block or None
        The block, if it is to be freed as pinned memory.
    """

    content: _Bytes
    device: Device
    memory: Any
    pinned: Block | None = None


_lock = open_after_fork(threading.RLock())
_allocated: dict[int, tuple[Device, Block]] = {}
_host: dict[int, HostMemory] = {}
_managed: dict[int, HostMemory] = {}
"""Tables by addresses; each change is one statement, so finalisers may run at any time."""


def _backend(device: Device) -> Any:
    return heap_of(device).backend


def _containing(table: dict[int, HostMemory], address: int, nbytes: int) -> HostMemory | None:
    """Return the memory of a table that contains some bytes."""
    starts = sorted(table)
    before = bisect(starts, address) - 1
    memory = table.get(starts[before]) if before >= 0 else None
    return memory if memory is not None and address + nbytes <= starts[before] + memory.content.nbytes else None


def as_simulated(address: int) -> int:
    """Return the simulated address for an address of managed memory, or else the address itself."""
    known = _containing(_managed, address, 1) if _managed else None
    return address if known is None else int(known.memory.pointer) + address - int(known.memory.host)


def all_simulated(values: Sequence[Any]) -> Sequence[Any]:
    """Return values of which the integers may be addresses of managed memory, with simulated addresses."""
    return [as_simulated(each) if type(each) is int else each for each in values] if _managed else values


@simulated
def cuMemAlloc(nbytes: int) -> Any:
    """Return the address of new memory of the current device.

    Raises
    ------
    DriverError
        If no bytes are asked for.
    """
    if int(nbytes) <= 0:
        raise DriverError("ERROR_INVALID_VALUE")
    device = current_device()
    return bindings.CUdeviceptr(_allocate(device, int(nbytes)))


def _allocate(device: Device, nbytes: int) -> int:
    allocate = partial(_backend(device).allocate, device, nbytes, alignment=256, stream=None)
    try:
        block = allocate()
    except OutOfMemoryError:  # memory is released late
        settle_device(device)
        block = allocate()
    _allocated[block.pointer] = device, block
    return int(block.pointer)


@simulated
def cuMemFree(pointer: Any) -> None:
    """Release memory after the work that may use it."""
    free(int(pointer))


def free(address: int) -> None:
    """Release memory of a device, or managed memory, after the work that may use it."""
    managed = _managed.pop(address, None)
    if managed is not None:
        release_late(managed.device, managed)
        return
    device, block = _allocated.pop(address, (None, None))
    if device is None:
        raise DriverError("ERROR_INVALID_VALUE")
    _backend(device).free(block, stream=releasing_stream(device))


@simulated
def cuMemGetInfo() -> tuple[int, int]:
    """Return how many bytes of the current device are free, and how many it has."""
    device = current_device()
    settle_device(device)
    room = _backend(device).free_memory(device)
    return room.free, room.total


@simulated
def cuMemGetAddressRange(pointer: Any) -> tuple[Any, int]:
    """Return where the memory that contains an address begins, and how large it is."""
    address = int(pointer)
    known = _containing(_managed, address, 1)
    if known is not None:
        return bindings.CUdeviceptr(int(known.memory.host)), known.content.nbytes
    memory = _backend(current_device()).memory_at(address, 1)
    if memory is None:
        raise DriverError("ERROR_INVALID_VALUE")
    return bindings.CUdeviceptr(memory.pointer), int(memory.nbytes)


@simulated
def cuPointerGetAttribute(attribute: Any, pointer: Any) -> Any:
    """Return the address as a device sees it; other attributes are not simulated."""
    if attribute != bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        raise refuse(f"the attribute {attribute.name} of memory", "ask the array for its device")
    return bindings.CUdeviceptr(int(pointer))


@simulated
def cuMemHostAlloc(nbytes: int, flags: int) -> int:
    """Return the address of new pinned memory, which is mapped for the current device too."""
    device = current_device()
    if int(nbytes) <= 0:
        raise DriverError("ERROR_INVALID_VALUE")
    block = _backend(device).allocate_pinned(device, int(nbytes))
    _host[block.pointer] = HostMemory(block.native, device, _mapped(device, block.native), block)
    return int(block.pointer)


@simulated
def cuMemFreeHost(pointer: Any) -> None:
    """Release pinned memory after the work that may use it."""
    free_host(int(pointer))


def free_host(address: int) -> None:
    """Release pinned memory after the work that may use it."""
    known = _host.pop(address, None)
    if known is None or known.pinned is None:
        raise DriverError("ERROR_INVALID_VALUE")
    _backend(known.device).free_pinned(known.device, known.pinned)
    release_late(known.device, known)


@simulated
def cuMemHostRegister(pointer: Any, nbytes: int, flags: int) -> None:
    """Pin memory of the host."""
    address = int(pointer)
    if int(nbytes) <= 0:
        raise DriverError("ERROR_INVALID_VALUE")
    if _containing(_host, address, 1) is not None:
        raise DriverError("ERROR_HOST_MEMORY_ALREADY_REGISTERED")
    content, device = _bytes_at(address, int(nbytes)), current_device()
    _host[address] = HostMemory(content, device, _mapped(device, content))


@simulated
def cuMemHostUnregister(pointer: Any) -> None:
    """Let memory of the host be ordinary again, when no work uses it any more."""
    unregister(int(pointer))


def unregister(address: int) -> None:
    """Let memory of the host be ordinary again, when no work uses it any more."""
    known = _host.pop(address, None)
    if known is None:
        raise DriverError("ERROR_HOST_MEMORY_NOT_REGISTERED")
    for device in devices():
        with suppress(RuntimeError):  # a finaliser may run inside of the work that would have to be waited for
            settle_device(device)


@simulated
def cuMemHostGetDevicePointer(pointer: Any, flags: int) -> Any:
    """Return the address by which a device uses memory of the host."""
    address = int(pointer)
    known = _containing(_host, address, 1)
    if known is None:
        raise DriverError("ERROR_INVALID_VALUE")
    return bindings.CUdeviceptr(known.memory.pointer + address - known.memory.host)


@simulated
def cuMemAllocManaged(nbytes: int, flags: int) -> Any:
    """Return the address of new managed memory, the same for the host and for devices."""
    if int(nbytes) <= 0:
        raise DriverError("ERROR_INVALID_VALUE")
    device = current_device()
    try:
        room = np.full(int(nbytes) + _ALIGNMENT, _POISON, np.uint8)
    except MemoryError:
        raise DriverError("ERROR_OUT_OF_MEMORY") from None
    start = -_address(room) % _ALIGNMENT
    content = room[start : start + int(nbytes)]
    address = _address(content)
    _managed[address] = HostMemory(content, device, _mapped(device, content))
    return bindings.CUdeviceptr(address)


def _mapped(device: Device, content: _Bytes) -> Any:
    return _backend(device).spaces[device.index].mapped(_address(content), content.nbytes)


def _address(content: _Bytes) -> int:
    address: int = content.__array_interface__["data"][0]
    return address


def _bytes_at(address: int, nbytes: int) -> _Bytes:
    return np.frombuffer(memoryview((ctypes.c_char * nbytes).from_address(address)), np.uint8)


def _device_span(pointer: Any, nbytes: int) -> Span:
    """Return bytes of a device, or of managed memory."""
    address = as_simulated(int(pointer))
    try:
        block = _backend(current_device()).adopt(ExternalAllocation(nbytes, pointer=address))
    except ValueError:
        raise DriverError("ERROR_INVALID_VALUE") from None
    return Span(block, 0, nbytes)


def _host_span(content: _Bytes) -> Span:
    return Span(Block(_address(content), content.nbytes, content), 0, content.nbytes)


def _host_bytes(pointer: Any, nbytes: int) -> tuple[_Bytes, bool]:
    """Return bytes of the host, and whether they are pinned."""
    address = int(pointer)
    for table in (_host, _managed):
        known = _containing(table, address, nbytes)
        if known is not None:
            start = address - _address(known.content)
            return known.content[start : start + nbytes], True
    return _bytes_at(address, nbytes), False


def _copy(target: Span, source: Span, stream: Stream) -> None:
    _backend(stream.device).copy(target, source, stream=stream)


def set_pointer(variable: Any, address: int, stream: Stream) -> None:
    """Set a variable of a kernel to an address of a device, as kernels have it: that of the host's memory."""
    memory = _backend(stream.device).memory_at(address, 1)
    content = np.array([address - memory.pointer + memory.host], np.uint64).view(np.uint8)
    block = _backend(stream.device).adopt(ExternalAllocation(8, native=variable))
    _copy(Span(block, 0, 8), _host_span(content), stream)


@simulated
def cuMemcpyHtoD(target: Any, source: Any, nbytes: int) -> None:
    """Copy from the host to a device, at once."""
    if int(nbytes):
        into, (content, _) = _device_span(target, int(nbytes)), _host_bytes(source, int(nbytes))
        with giving_to(0) as stream:
            _copy(into, _host_span(content), stream)
        finish_default(current_device())


@simulated
def cuMemcpyDtoH(target: Any, source: Any, nbytes: int) -> None:
    """Copy from a device to the host, at once."""
    if int(nbytes):
        (content, _), of = _host_bytes(target, int(nbytes)), _device_span(source, int(nbytes))
        with giving_to(0) as stream:
            _copy(_host_span(content), of, stream)
    finish_default(current_device())


@simulated
def cuMemcpyDtoD(target: Any, source: Any, nbytes: int) -> None:
    """Copy between devices or within one."""
    _copy_within(target, source, nbytes, 0)


@simulated
def cuMemcpyHtoDAsync(target: Any, source: Any, nbytes: int, handle: Any) -> None:
    """Copy from the host late, if the memory there is pinned; else what it holds now is copied."""
    if int(nbytes):
        into, (content, pinned) = _device_span(target, int(nbytes)), _host_bytes(source, int(nbytes))
        with giving_to(handle) as stream:
            _copy(into, _host_span(content if pinned else content.copy()), stream)


@simulated
def cuMemcpyDtoHAsync(target: Any, source: Any, nbytes: int, handle: Any) -> None:
    """Copy to the host late, if the memory there is pinned; else at once, as CUDA does."""
    if int(nbytes):
        (content, pinned), of = _host_bytes(target, int(nbytes)), _device_span(source, int(nbytes))
        with giving_to(handle) as stream:
            _copy(_host_span(content), of, stream)
            if not pinned:
                stream.synchronize()


@simulated
def cuMemcpyDtoDAsync(target: Any, source: Any, nbytes: int, handle: Any) -> None:
    """Copy between devices or within one, late."""
    _copy_within(target, source, nbytes, handle)


def _copy_within(target: Any, source: Any, nbytes: int, handle: Any) -> None:
    if int(nbytes):
        into, of = _device_span(target, int(nbytes)), _device_span(source, int(nbytes))
        with giving_to(handle) as stream:
            _copy(into, of, stream)


@simulated
def cuMemsetD8(target: Any, value: int, nbytes: int) -> None:
    """Set bytes of a device; at once if they are the host's too, as CUDA does."""
    _fill(target, value, nbytes, 0)
    address = as_simulated(int(target))
    if any(_overlaps(each.memory, address) for each in (*_host.values(), *_managed.values())):
        finish_default(current_device())


@simulated
def cuMemsetD8Async(target: Any, value: int, nbytes: int, handle: Any) -> None:
    """Set bytes of a device, late."""
    _fill(target, value, nbytes, handle)


def _overlaps(memory: Any, address: int) -> bool:
    return bool(memory.pointer <= address < memory.pointer + memory.nbytes)


def _fill(target: Any, value: int, nbytes: int, handle: Any) -> None:
    if int(nbytes):
        span = _device_span(target, int(nbytes))
        with giving_to(handle) as stream:
            operand = Operand(span, 0, _BYTE, (span.nbytes,), (1,))
            _backend(stream.device).fill(operand, np.uint8(int(value) & 0xFF), stream=stream)


def _refused_ipc(*arguments: Any) -> Any:
    raise refuse(
        "sharing memory between processes (CUDA IPC)", "copy the array to the host, or use threads of one process"
    )


for _name in ("cuIpcGetMemHandle", "cuIpcOpenMemHandle", "cuIpcCloseMemHandle"):
    _refused_ipc.__name__ = _name
    simulated(_refused_ipc)
