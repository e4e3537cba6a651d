"""What Arrow's interfaces need on the host or on the device: bitmaps and offsets."""

from accel.device import Device
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.byte_copies import copy_elements
from accel.memory.host_storage import HostArray, HostStorage

__all__ = ["on_device", "on_host"]


def on_host(storage: AnyStorage) -> HostArray:
    """Return the elements of a storage on the host, once pending work on it is done; a copy if it is on a device."""
    if isinstance(storage, HostStorage):
        return storage.export()
    staging = HostStorage.new(storage.size, storage.dtype)
    copy_elements(staging, storage)
    return staging.export()


def on_device(storage: HostStorage, device: Device) -> AnyStorage:
    """Return the elements of host memory on a device; a copy unless that is the host."""
    if device is Device.CPU:
        return storage
    copied = allocate(device, storage.size, storage.dtype)
    copy_elements(copied, storage)
    return copied
