"""Memory on any device, and copies of it to any other."""

from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.memory.block import Span
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.storage import Storage
from accel.memory.stream import Stream

__all__ = ["AnyStorage", "allocate", "copied", "copy_elements"]

_CPU = Device.CPU
_BYTE = as_dtype("uint8")

AnyStorage = HostStorage | DeviceStorage
"""Either kind of storage; there is no third."""


def allocate(device: Device, size: int, dtype: DType, stream: Stream | None = None) -> AnyStorage:
    """Return managed, uninitialised memory of an available device; ``size`` is in elements."""
    kind = HostStorage if device is _CPU else DeviceStorage
    return kind.allocated(heap_of(device), size, dtype, stream)


def copied(source: Storage, device: Device, stream: Stream | None = None) -> AnyStorage:
    """Return managed memory of a device with the elements of the source."""
    target = allocate(device, source.size, source.dtype, stream)
    try:
        copy_elements(target, source, stream)
    except BaseException:
        target.release()
        raise
    return target


def copy_elements(target: Storage, source: Storage, stream: Stream | None = None) -> None:
    """Copy between two storages of equal size and dtype; without a stream, it is done on return.

    Raises
    ------
    ReadOnlyError
        If the target must not change.
    """
    target.refuse_read_only()
    into, out_of = target.__accel_operand__().span, source.__accel_operand__().span
    if into.nbytes:
        _copy(heap_of(target.device), into, heap_of(source.device), out_of, stream)


def _copy(target: Heap, into: Span, source: Heap, out_of: Span, stream: Stream | None) -> None:
    host = heap_of(Device.CPU)
    if target is host or source is host or target.backend is source.backend:
        worker = source if target is host else target
        worker.backend.copy(into, out_of, stream=stream)
        if stream is None:
            worker.synchronize()
        return
    # Neither backend knows the other's memory: the bytes pass through the host.
    with HostStorage.allocated(host, into.nbytes, _BYTE) as staging:
        passing = staging.__accel_operand__().span
        _copy(host, passing, source, out_of, None)
        _copy(target, into, host, passing, None)
