"""Storage of any device: the union of both classes, and allocation."""

from accel.abc.stream import Stream
from accel.device import Device
from accel.dtypes import DType
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage

__all__ = ["AnyStorage", "allocate"]

_CPU = Device.CPU

AnyStorage = HostStorage | DeviceStorage
"""A storage of the host or of an accelerator."""


def allocate(
    device: Device, size: int, dtype: DType, stream: Stream | None = None, *, cleared: bool = False
) -> AnyStorage:
    """Return managed memory of an available device, uninitialised or cleared; ``size`` is in elements.

    ``stream`` is the stream that uses it first; ignored if it is not a stream of the device itself.
    """
    kind, heap = HostStorage if device is _CPU else DeviceStorage, heap_of(device)
    own = stream is not None and stream.device is device and heap.has_streams
    return kind.allocated(heap, size, dtype, stream if own else None, cleared=cleared)
