"""`direct_allocator`: allocation and release of a device's memory, in one function each, in the usual case.

Each call of another function of Python would take a twentieth of their time, and so they repeat what others do:
`Driver.is_ready`, `Driver.relaxed`, `Driver.usable`, `is_pooled` and the constructor of a block.
"""

from accel.abc import Block, DirectAllocator
from accel.abc.stream import current_streams
from accel.support.locks import process

from .capture_modes import capture_mode
from .driver import Driver
from .memory import MOST, DeviceBlock
from .streams import CupyStream

__all__ = ["direct_allocator"]


def direct_allocator(driver: Driver, default: CupyStream) -> DirectAllocator:  # noqa: C901
    """Return functions that allocate and free memory for the default stream of a device, while that is current."""
    device, native_stream, new_blocks, cuda = default.device, default.native, default.new_blocks, driver.cuda
    index, new, streams, here = device._index, object.__new__, current_streams.get, capture_mode
    get_device, get_current_stream, memset, exchange = (
        driver.get_device,
        driver.get_current_stream,
        driver.memset,
        driver.exchange,
    )
    pooled = driver.pooled_type

    def allocate(nbytes: int, cleared: bool) -> Block | None:
        if streams() or index not in driver.of_thread.ready or get_device() != index:
            return None
        if get_current_stream() is not native_stream or not default.direct or not 0 < nbytes <= MOST:
            return None
        if cleared and default.handle:  # that of each thread, which may be captured
            return None
        mode = here.own
        if mode.relaxed:  # this is a signal handler in the midst of such a call
            return None
        try:
            if exchange is None:
                native = cuda.alloc(nbytes)
            else:
                mode.relaxed = True
                exchange(mode.pointer)
                try:
                    native = cuda.alloc(nbytes)
                finally:
                    exchange(mode.pointer)
                    mode.relaxed = False
            pointer = native.ptr
            if cleared:
                memset(pointer, 0, nbytes, 0)
        except Exception:
            return None  # the general way says why
        block: DeviceBlock = new(DeviceBlock)
        block.pointer = pointer
        block.nbytes = nbytes
        block.native = native
        block.device = device
        block.stream = default
        block.users = block.cupy_streams = None
        block.lent = False
        block.ready = default.allocated = default.stamp
        new_blocks.number += 1
        return block

    def free(block: Block) -> bool:
        if type(block) is not DeviceBlock:  # others use it too
            return False
        own, native = block.stream, block.native
        if own is None or not own.direct:
            return False
        if driver._process is not process.token or not (native is None or type(native.mem) is pooled):
            return False
        block.native = None  # CuPy's pool reuses the bytes on their own stream
        return True

    return DirectAllocator(allocate, free)
