"""Storage of any device: the union of both classes, and allocation."""

from functools import partial
from typing import Any

import numpy as np

from accel.abc.stream import Stream
from accel.device import Device
from accel.dtypes import DType
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import KNOWN_HEAPS, heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.storage_work import Use, carry_out

__all__ = ["AnyStorage", "allocate", "fill_new"]

_CPU = Device.CPU

AnyStorage = HostStorage | DeviceStorage
"""A storage of the host or of an accelerator."""


def allocate(
    device: Device, size: int, dtype: DType, stream: Stream | None = None, *, cleared: bool = False
) -> AnyStorage:
    """Return managed memory of an available device, uninitialised or cleared; ``size`` is in elements.

    ``stream`` is the stream that uses it first; ignored if it is not a stream of the device itself.

    Parameters
    ----------
    device : Device
        The device.
    size : int
        The number of elements.
    dtype : numpy.dtype
        The dtype of the elements.
    stream : Stream, optional
        The stream that uses it first; None for the host.
    cleared : bool, default False
        Whether all bytes are set to 0.

    Returns
    -------
    AnyStorage
        The memory.
    """
    kind = HostStorage if device is _CPU else DeviceStorage
    heap = KNOWN_HEAPS.get(device) or heap_of(device)
    own = stream is not None and stream.device is device and heap.has_streams
    clearing = heap.clearing if cleared and heap.plain else None
    storage = kind.allocated(heap, size, dtype, stream if own else None, clearing)
    if cleared and clearing is None:
        fill_new(storage, np.zeros((), dtype)[()])
    return storage


def fill_new(storage: AnyStorage, value: Any) -> None:
    """Set every element of new memory, which only the caller has; release it if that fails."""
    if not storage.size:
        return
    heap = storage.owner.heap
    fill = partial(heap.backend.fill, storage.__accel_operand__(), value, stream=None)
    try:
        if heap.device is _CPU:
            fill()  # done on return, and no other work can use the memory yet
        else:
            carry_out(heap, (Use(storage, True, whole=True),), fill)
    except BaseException:
        storage.release()
        raise
