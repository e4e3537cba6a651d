"""Blocks on the memory of CuPy's arrays, of which it is known on which stream CuPy reuses it."""

from typing import Any

from accel.device import Device

from .device_streams import DeviceStreams
from .driver import Driver
from .memory import DeviceBlock
from .result_memory import ResultMemory
from .streams import CupyStream

__all__ = ["block_of"]


def block_of(driver: Driver, streams: DeviceStreams, device: Device, array: Any) -> DeviceBlock | None:
    """Return a block on the memory of an array that is no view.

    None if that is memory of a container or of others, or if a stream that is none of accel's reuses it.
    """
    stream, flags = _stream_of(driver, streams, array.data.mem, device), array.flags
    if stream is None or not (flags.c_contiguous or flags.f_contiguous):
        return None
    block = DeviceBlock(array.data.ptr, array.nbytes, array.data, device, stream)
    block.ready = stream.stamp  # what computed the array
    return block


def _stream_of(driver: Driver, streams: DeviceStreams, memory: Any, device: Device) -> CupyStream | None:
    """Return the stream on which CuPy reuses memory: its default one for all that has no owner."""
    if not isinstance(memory, driver.unowned_type):
        return streams.default(device)
    owner = memory._owner
    return streams.made_on(device, owner.stream) if type(owner) is ResultMemory else None
