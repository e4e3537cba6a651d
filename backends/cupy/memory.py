"""`DeviceBlock`: GPU memory that CuPy allocates, and the streams that must finish with it before it is reused."""

import sys
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from accel.abc import Block, ExternalAllocation, Room
from accel.device import Device
from accel.errors import CapabilityError, DeviceLostError, LayoutError, OutOfMemoryError
from accel.support.locks import open_after_fork

from .driver import Driver
from .pools import allocator_name, free_bytes, is_pooled
from .streams import CupyStream

__all__ = [
    "ALIGNMENT",
    "MOST",
    "DeviceBlock",
    "LentBlock",
    "SharedBlock",
    "adopted",
    "allocated",
    "allocation",
    "cleared",
    "give_back",
    "index_at",
    "memory_of",
    "room",
    "temporary",
]

ALIGNMENT = 256
"""Alignment in bytes that the drivers guarantee, and CuPy's pool keeps."""

MOST = 1 << 48
"""The most bytes that are asked for: the arithmetic of CuPy's pool would overflow."""
_first_uses = open_after_fork(threading.Lock())
"""Held while a block gets its set of CuPy's streams: of two threads that are first, both uses count."""
_OUT_OF_MEMORY = 2


class DeviceBlock(Block):
    """Bytes of a GPU.

    They are from CuPy's current allocator, and return to it in the order of the stream that allocated them. CuPy's pool
    reuses a freed block for the next request on the stream that allocated it, and does not know about
    other streams.

    Attributes
    ----------
    device : Device
        The device.
    stream : CupyStream or None
        The stream that allocated it, and for which CuPy's pool reuses it; None for memory made elsewhere.
    users : set of CupyStream, or None
        The other streams with work on it; None if there are none.
    cupy_streams : set of cupy.cuda.Stream, or None
        The streams on which CuPy computed with it; None if it did not.
    lent : bool
        Whether there is a CuPy array on it, so that any stream may have used it.
    ready : int
        The stamp of ``stream`` at the allocation: its work up to there may have used the bytes before.
    """

    __slots__ = ("cupy_streams", "device", "lent", "ready", "stream", "users")
    stream: CupyStream | None

    def __init__(self, pointer: int, nbytes: int, native: Any, device: Device, stream: CupyStream | None) -> None:
        self.pointer = pointer
        self.nbytes = nbytes
        self.native = native
        self.device = device
        self.stream = stream
        self.users: set[CupyStream] | None = None
        self.cupy_streams: set[Any] | None = None
        self.lent = False
        self.ready = -1

    def use_by_cupy(self, native: Any) -> None:
        """Record that CuPy computes with the bytes on a stream of its own class."""
        if self.stream is not None and self.stream.native is native:
            return
        self.__class__ = SharedBlock
        if self.cupy_streams is None:
            streams: set[Any] = set()
            with _first_uses:  # no call between these: another thread, or a signal handler, may be first
                if self.cupy_streams is None:
                    self.cupy_streams = streams
        self.cupy_streams.add(native)

    def use(self, stream: CupyStream) -> None:
        """Record that a stream gets work on the bytes; it waits for `ready` first."""
        if self.stream is None or stream is self.stream or (self.users is not None and stream in self.users):
            return
        stream.come_after(self.stream, self.ready)
        self.__class__ = SharedBlock
        if self.users is None:
            streams: set[CupyStream] = set()
            with _first_uses:  # as above
                if self.users is None:
                    self.users = streams
        self.users.add(stream)

    def lend(self) -> None:
        """Record that any stream may use the bytes."""
        self.__class__ = SharedBlock
        self.lent = True


class SharedBlock(DeviceBlock):
    """A block that is used not only by the stream that allocated it; each becomes one at the first such use.

    Only these have a finaliser, which would cost each allocation a twentieth of its time. CuPy's pool reuses the bytes
    of other blocks in the right order by itself.
    """

    __slots__ = ()

    def __del__(self) -> None:
        # A block still has its bytes here only if an interrupt prevented that it was freed.
        if self.native is not None and self.stream is not None and not sys.is_finalizing():
            give_back(self.stream._driver, self, ())


class LentBlock(NamedTuple):
    """The owner of the memory of a CuPy array on a block; keeps the block and another object alive."""

    block: DeviceBlock
    keep: object
    readonly: bool


def allocated(driver: Driver, nbytes: int, alignment: int, stream: CupyStream) -> DeviceBlock:
    """Return uninitialised bytes, for first use on a stream.

    Raises
    ------
    ValueError
        If the alignment is no power of two.
    OutOfMemoryError
        If there is no room.
    """
    device = stream.device
    if alignment != 1 and (alignment <= 0 or alignment & (alignment - 1)):
        raise ValueError(f"an alignment is a power of two; found {alignment}")
    if not nbytes:
        return DeviceBlock(0, 0, None, device, stream)
    slack = alignment if alignment > ALIGNMENT else 0
    with driver.on(device):
        native = allocation(driver, nbytes + slack, stream)
    if slack:
        native += -native.ptr % alignment
    block = DeviceBlock(native.ptr, nbytes, native, device, stream)
    block.ready = stream.allocated = stream.stamp
    stream.new_blocks.number += 1
    return block


def cleared(driver: Driver, block: DeviceBlock, stream: CupyStream) -> DeviceBlock:
    """Let the stream that has just allocated a block clear it, and return it."""
    if block.nbytes:
        if stream.handle:
            driver.refuse_capture(stream.native)
        if stream.direct:
            stream.set_bytes(block.pointer, 0, block.nbytes)
        else:
            stream.submit(partial(driver.memset, block.pointer, 0, block.nbytes, stream.handle))
        block.ready = stream.allocated = stream.stamp
    return block


def allocation(driver: Driver, nbytes: int, stream: CupyStream) -> Any:
    """Return a CuPy pointer to bytes from the pool, for use on a stream, whose device is current.

    Raises
    ------
    OutOfMemoryError
        If there is no room.
    """
    try:
        return _allocated_on(driver, nbytes, stream)
    except Exception as error:
        raise _failure(driver, error, nbytes, stream.device) from None


def _allocated_on(driver: Driver, nbytes: int, stream: CupyStream) -> Any:
    if nbytes > MOST:  # the pool's arithmetic would overflow
        raise MemoryError
    before = driver.get_current_stream()
    if before is stream.native or before.ptr == stream.handle:
        return driver.relaxed(driver.cuda.alloc, nbytes)
    # Not `with stream.native:`, which forgets a stream that was made current by its method `use`.
    stream.native.use()
    try:
        return driver.relaxed(driver.cuda.alloc, nbytes)
    finally:
        before.use()


def _failure(driver: Driver, error: Exception, nbytes: int, device: Device) -> Exception:
    """Return the error to raise for one of an allocation: by CuPy, by an allocator of others, or by the driver."""
    full = isinstance(error, MemoryError) and not isinstance(error, OutOfMemoryError)
    if full or (isinstance(error, driver.runtime.CUDARuntimeError) and error.status == _OUT_OF_MEMORY):
        return _out_of_memory(driver, nbytes, device)
    return driver.translated(error, device)


def temporary(driver: Driver, nbytes: int, stream: CupyStream) -> Any:
    """Return memory as `allocation` does, for work that is now submitted to the stream.

    The pool may reuse it for the next work of the stream; if the stream is captured by accel, the graph keeps it.

    Raises
    ------
    CapabilityError
        If another library captures the stream: no one would keep it.
    """
    if stream.deferred is None:
        if stream.handle:
            driver.refuse_capture(stream.native)
        return allocation(driver, nbytes, stream)
    memory = allocation(driver, nbytes, stream)
    block = DeviceBlock(memory.ptr, nbytes, memory, stream.device, stream)
    block.ready = stream.stamp  # of the event before the capture
    stream.kept.append(block)
    return memory


def _out_of_memory(driver: Driver, nbytes: int, device: Device) -> OutOfMemoryError:
    with driver.on(device):
        free, total, _ = room(driver)
    return OutOfMemoryError(
        f"{nbytes} bytes were asked for on {device}: {free} of its {total} bytes are free, some in fragments of "
        f"{allocator_name(driver)}; release what is no longer used, or work in smaller pieces"
    )


def room(driver: Driver) -> Room:
    """Return how much memory of the current device is free, including the free memory of the pools."""
    free, total = driver.runtime.memGetInfo()
    return Room(free + free_bytes(driver), total)


def give_back(driver: Driver, block: DeviceBlock, after: Sequence[CupyStream]) -> None:
    """Return bytes to the pool after the work on them of all streams."""
    driver.retry()
    _give_back(driver, block, after)


def _give_back(driver: Driver, block: DeviceBlock, after: Sequence[CupyStream]) -> None:
    native, block.native = block.native, None
    if native is None or block.stream is None or not driver.usable:
        return
    own, references = block.stream, [native]
    del native
    try:
        users = {*(block.users or ()), *after}
        for stream in users - {own}:
            own.come_after(stream, stream.stamp)
        with driver.on(own.device):
            for native_stream in (block.cupy_streams or set()) - {own.native, *(stream.native for stream in users)}:
                own.append(partial(own.events.record(native_stream).hold_up, own.handle))
    except DeviceLostError:
        pass  # a lost device does no more work
    except CapabilityError:  # another library captures one of the streams: nothing can wait for its earlier work now
        block.native = references.pop()
        driver.postponed.append(partial(_give_back, driver, block, after))
        return
    # They are reused on this stream, whose later work comes after the waits above.
    pooled = is_pooled(driver, references[0])
    own.append(references.clear if pooled else partial(_clear, driver, references, own.device))


def _clear(driver: Driver, references: list[Any], device: Device) -> None:
    """Free memory on the current device's stream: of all default streams, the one with the handle 0."""
    with driver.on(device):
        references.clear()


def adopted(driver: Driver, external: ExternalAllocation, candidates: Iterable[Device]) -> DeviceBlock:
    """Return a block over memory made elsewhere: by CuPy, or at a device address.

    Raises
    ------
    TypeError
        If the object is not memory of CuPy.
    LayoutError
        If it is an array that is contiguous neither in C nor in F order.
    ValueError
        If no device has memory at the address.
    """
    devices = {device.index: device for device in candidates}
    native = external.native
    if native is None:
        return _at(driver, external, devices)
    if isinstance(native, driver.cupy.ndarray):
        _refuse_gaps(native)
        return DeviceBlock(native.data.ptr, native.nbytes, native, devices[native.device.id], None)
    if isinstance(native, driver.cupy.cuda.MemoryPointer):
        return DeviceBlock(native.ptr, external.nbytes, native, devices[native.device_id], None)
    raise TypeError(f"{type(native).__name__} is not memory of CuPy; write storage.get_buffer(), or a cupy.ndarray")


def _refuse_gaps(array: Any) -> None:
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise LayoutError(
            f"a storage is contiguous, and the array has gaps or another order than C or F: its shape is "
            f"{array.shape}, its strides {array.strides}; write cupy.ascontiguousarray(x)"
        )


def _at(driver: Driver, external: ExternalAllocation, devices: dict[int, Device]) -> DeviceBlock:
    pointer = external.pointer or 0
    if not external.nbytes:
        return DeviceBlock(0, 0, None, devices[0], None)
    cuda = driver.cupy.cuda
    with driver.anywhere():
        memory = cuda.UnownedMemory(pointer, external.nbytes, external.owner)
    device = devices.get(memory.device_id)
    if device is None:
        raise ValueError(f"no device of {driver.platform.name} has memory at {pointer:#x}")
    return DeviceBlock(pointer, external.nbytes, cuda.MemoryPointer(memory, 0), device, None)


def index_at(driver: Driver, address: int) -> int | None:
    """Return the ordinal of the device that has memory at an address; None if the host can read it, or if unknown."""
    if not driver.usable:
        return None
    try:
        attributes = driver.attributes(address)
    except (driver.runtime.CUDARuntimeError, DeviceLostError):  # that must not make memory of the host unusable
        return None
    return None if attributes is None or attributes.hostPointer else int(attributes.device)


def memory_of(block: Block) -> DeviceBlock | None:
    """Return the block if it is memory of a GPU; None for memory of the host."""
    return block if isinstance(block, DeviceBlock) else None
