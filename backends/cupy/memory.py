"""`DeviceBlock`: bytes of a GPU from CuPy's pool, and which streams must have used them before they go back to it."""

import sys
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from accel.abc import Block, Event, ExternalAllocation, Room
from accel.device import Device
from accel.errors import DeviceLostError, OutOfMemoryError

from .driver import Driver
from .streams import CupyStream

__all__ = [
    "ALIGNMENT",
    "DeviceBlock",
    "LentBlock",
    "adopted",
    "allocated",
    "give_back",
    "index_at",
    "memory_of",
    "room",
    "taken",
]

ALIGNMENT = 256
"""What the drivers promise, and CuPy's pool keeps."""

_MOST = 1 << 48


class DeviceBlock(Block):
    """Bytes of a GPU.

    CuPy's pool gives a block that was freed to the next who asks on the same stream, and knows of no other stream.

    Attributes
    ----------
    device : Device
        Whose.
    stream : CupyStream or None
        On which it was allocated; None for memory made elsewhere.
    users : set of CupyStream
        The other streams that were given work on it.
    cupy_streams : set of cupy.cuda.Stream
        Those on which CuPy computed with it.
    lent : bool
        Whether CuPy was given an array on it, so that any stream may have used it.
    ready : Event or None
        What the stream was given before that may still use the bytes, for those who had them before; None if nothing.
    """

    __slots__ = ("cupy_streams", "device", "lent", "ready", "stream", "users")

    def __init__(self, pointer: int, nbytes: int, native: Any, device: Device, stream: CupyStream | None) -> None:
        super().__init__(pointer, nbytes, native)
        self.device = device
        self.stream = stream
        self.users: set[CupyStream] = set()
        self.cupy_streams: set[Any] = set()
        self.lent = False
        self.ready: Event | None = None

    def __del__(self) -> None:
        # Only a block that an interrupt kept from being given back still has its bytes.
        if self.native is not None and self.stream is not None and not sys.is_finalizing():
            give_back(self.stream._driver, self, ())

    def use(self, stream: CupyStream) -> None:
        """Let a stream have the bytes, and remember that it is given work on them."""
        if self.stream is None or stream is self.stream or stream in self.users:
            return
        if self.ready is not None:
            stream.wait_for(self.ready)
        self.users.add(stream)


class LentBlock(NamedTuple):
    """What owns the memory of a CuPy array on a block, and keeps something alive."""

    block: DeviceBlock
    keep: object


def allocated(driver: Driver, nbytes: int, alignment: int, stream: CupyStream) -> DeviceBlock:
    """Return uninitialised bytes, to be used on a stream first.

    Raises
    ------
    ValueError
        If the alignment is no power of two.
    OutOfMemoryError
        If there is no room.
    """
    if alignment <= 0 or alignment & (alignment - 1):
        raise ValueError(f"an alignment is a power of two; found {alignment}")
    if not nbytes:
        return DeviceBlock(0, 0, None, stream.device, stream)
    slack = alignment if alignment > ALIGNMENT else 0
    with driver.on(stream.device):
        native = taken(driver, nbytes + slack, stream)
        native += -native.ptr % alignment
    block = DeviceBlock(native.ptr, nbytes, native, stream.device, stream)
    block.ready = None if stream.idle else stream.record()
    return block


def taken(driver: Driver, nbytes: int, stream: CupyStream) -> Any:
    """Return a pointer of CuPy's to bytes from the pool, to be used on a stream; its device is current.

    Raises
    ------
    OutOfMemoryError
        If there is no room.
    """
    cuda = driver.cupy.cuda
    if nbytes > _MOST:  # the arithmetic of a pool would overflow
        raise _out_of_memory(driver, nbytes, stream.device)
    try:
        with stream.native:
            return cuda.alloc(nbytes)
    except cuda.memory.OutOfMemoryError:
        raise _out_of_memory(driver, nbytes, stream.device) from None


def _out_of_memory(driver: Driver, nbytes: int, device: Device) -> OutOfMemoryError:
    free, total, _ = room(driver)
    return OutOfMemoryError(
        f"{nbytes} bytes were asked for on {device}: {free} of its {total} bytes are free, some of them in pieces that "
        f"CuPy's pool keeps; release what is no longer used, or work in smaller pieces"
    )


def room(driver: Driver) -> Room:
    """Return what the current device can still give, with what CuPy's pool keeps."""
    free, total = driver.runtime.memGetInfo()
    return Room(free + driver.cupy.get_default_memory_pool().free_bytes(), total)


def give_back(driver: Driver, block: DeviceBlock, after: Iterable[CupyStream]) -> None:
    """Give bytes back to the pool when all streams have used them that were given work on them."""
    native, block.native = block.native, None
    if native is None or block.stream is None or not driver.usable:
        return
    own, kept = block.stream, [native]
    del native
    try:
        users = {*block.users, *after}
        for stream in users - {own}:
            own.wait_for(stream.record())
        with driver.on(own.device):
            for native_stream in block.cupy_streams - {own.native, *(stream.native for stream in users)}:
                own.append(partial(own.native.wait_event, native_stream.record()))
    except DeviceLostError:
        pass  # nothing is under way on it any more
    # The pool gives them to the next who asks on this stream, whose work then comes after what was waited for.
    own.append(kept.clear)


def adopted(driver: Driver, external: ExternalAllocation, known: Iterable[Device]) -> DeviceBlock:
    """Return a block over memory made elsewhere: by CuPy, or at an address of the driver's.

    Raises
    ------
    TypeError
        If the object is no memory of CuPy's.
    ValueError
        If no device has memory at the address.
    """
    devices = {device.index: device for device in known}
    native = external.native
    if native is None:
        return _at(driver, external, devices)
    if isinstance(native, driver.cupy.ndarray):
        # The lowest address, and not that of the first element, would matter with strides below 0.
        return DeviceBlock(native.data.ptr, native.nbytes, native, devices[native.device.id], None)
    if isinstance(native, driver.cupy.cuda.MemoryPointer):
        return DeviceBlock(native.ptr, external.nbytes, native, devices[native.device_id], None)
    raise TypeError(f"{type(native).__name__} is no memory of CuPy; write storage.get_buffer(), or a cupy.ndarray")


def _at(driver: Driver, external: ExternalAllocation, devices: dict[int, Device]) -> DeviceBlock:
    pointer = external.pointer or 0
    if not external.nbytes:
        return DeviceBlock(0, 0, None, devices[0], None)
    cuda = driver.cupy.cuda
    with driver.on(devices[0]):
        memory = cuda.UnownedMemory(pointer, external.nbytes, external.owner)
    device = devices.get(memory.device_id)
    if device is None:
        raise ValueError(f"no device of {driver.platform.name} has memory at {pointer:#x}")
    return DeviceBlock(pointer, external.nbytes, cuda.MemoryPointer(memory, 0), device, None)


def index_at(driver: Driver, address: int) -> int | None:
    """Return the ordinal of the device that has memory at an address, if the host cannot read it there."""
    if not driver.usable:
        return None
    try:
        found = driver.attributes(address)
    except driver.runtime.CUDARuntimeError:  # the device is lost, which is no reason to refuse memory of the host
        return None
    return None if found is None or found.hostPointer else int(found.device)


def memory_of(block: Block) -> DeviceBlock | None:
    """Return the block of a GPU that a block is; None for the host's."""
    return block if isinstance(block, DeviceBlock) else None
