"""`DeviceStreams`: the streams of all devices, and the submission of work on some memory to the right one."""

from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

from accel.abc import Block, Stream, current_stream
from accel.device import Device
from accel.errors import DeviceMismatchError
from accel.support.locks import process

from .driver import Driver
from .events import EventPool
from .memory import DeviceBlock, memory_of
from .streams import CupyStream, NewBlocks, Waits

__all__ = ["DeviceStreams"]

StreamCall = Callable[[CupyStream], object]
"""Work for a stream: called with the stream, it submits operations to the driver."""


_Native = tuple[Any, Waits]
"""A CuPy stream, and what it waits for."""


class _Streams:
    """The streams of one device.

    Each CuPy stream is referred to from here. So it is still whole when a garbage collection finds its `CupyStream`
    together with memory that is freed after it.

    Attributes
    ----------
    alive : dict
        The CuPy stream of each `CupyStream`.
    idle : deque
        The CuPy streams of those that are gone.
    """

    __slots__ = ("alive", "idle")

    def __init__(self) -> None:
        self.alive: dict[ref[CupyStream], _Native] = {}
        self.idle: deque[_Native] = deque()

    def add(self, stream: CupyStream, native: Any, waits: Waits) -> None:
        """Add a stream that was made."""
        self.alive[ref(stream, self._end)] = native, waits

    def _end(self, gone: ref[CupyStream]) -> None:
        self.idle.append(self.alive.pop(gone))


class DeviceStreams:
    """The streams of the devices of one backend.

    Memory is allocated and freed while the lock of its heap is held. There, no lock may be waited for that a garbage
    collection could find held. So there is none: each change is one operation of a dictionary or a deque.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._made: defaultdict[Device, _Streams] = defaultdict(_Streams)
        self.defaults: dict[Device, CupyStream] = {}
        self._events: dict[Device, EventPool] = {}
        self._new_blocks: dict[Device, NewBlocks] = {}

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that are in use."""
        return tuple(self._new_blocks)

    def new(self, device: Device) -> CupyStream:
        """Return a new stream of a device; it does not wait for the default stream."""
        own = self._made[device]
        if self._driver._process is not process.token:  # as `Driver.usable`, without the call
            self._driver.refuse_fork()
        # CuPy streams are reused and never destroyed. CuPy's pool keeps its blocks by stream handle, and the driver may
        # reuse the handle of a destroyed stream for a new one. The new stream would then get blocks from the pool
        # without waiting for the last work of the old one.
        try:
            native, waits = own.idle.popleft()
        except IndexError:
            with self._driver.on(device):
                native, waits = self._driver.cupy.cuda.Stream(non_blocking=True), Waits()
        result = self._new_stream(device, native, waits)
        own.add(result, native, waits)
        if waits.caught_up == result.new_blocks.number:
            result.caught_up = waits.caught_up
        else:
            self.wait_for_reused(result)
        return result

    def default(self, device: Device) -> CupyStream:
        """Return the stream used when none is given or current: CuPy's default stream."""
        stream = self.defaults.get(device)
        if stream is None:
            native = self._driver.cupy.cuda.Stream.null
            result = self._new_stream(device, native)
            stream = self.defaults.setdefault(device, result)
        return stream

    def current(self, device: Device) -> CupyStream:
        """Return the stream of the innermost ``with stream:``, or else the default stream."""
        inner = current_stream(device)
        return self.defaults.get(device) or self.default(device) if inner is None else self.stream_for(inner, device)

    def all(self, device: Device) -> list[CupyStream]:
        """Return all streams of a device."""
        others = [each() for each in [*self._made[device].alive]]
        return [self.default(device), *(stream for stream in others if stream is not None)]

    def made_on(self, device: Device, native: Any) -> CupyStream | None:
        """Return the stream that a CuPy stream belongs to; None if that is none of accel's."""
        return next((each for each in self.all(device) if each.native == native), None)

    def stream_for(self, stream: Stream | None, *devices: Device) -> CupyStream:
        """Return the given stream; by default the current or the default stream of the first device.

        Raises
        ------
        DeviceMismatchError
            If it is not a stream of one of the devices, or is of another backend.
        """
        result = stream or current_stream(devices[0]) or self.default(devices[0])
        if type(result) is not CupyStream or result.device not in devices:
            here = " or ".join(map(str, devices))
            raise DeviceMismatchError(
                f"{result!r} is not a stream of {here}; write stream=accel.new_stream('{devices[0]}')"
            )
        return result

    def submit(
        self, work: StreamCall, stream: Stream | None, *used: Block, lead: Device | None = None, blocks: bool = False
    ) -> None:
        """Submit work on blocks to the right stream, ordered on the streams of the other devices involved too.

        Parameters
        ----------
        work : callable
            Called with the stream, while its device is current.
        stream : Stream, optional
            By default the current stream of the first block's device.
        *used : Block
            The blocks that the work reads and writes; those of the host do not matter.
        lead : Device, optional
            The device whose stream must do the work, even if ``stream`` is of another one.
        blocks : bool
            Whether ``work`` blocks on the host, so that another thread must call it.
        """
        device_blocks = [block for block in map(memory_of, used) if block is not None]
        queue, *others = self._involved(stream, device_blocks, lead)
        for other in others:
            queue.wait_for(other.record())
        for block in device_blocks:
            block.use(queue)
        queue.submit(lambda: work(queue), blocks=blocks)
        if others:
            done = queue.record()
            for other in others:
                other.wait_for(done)

    def direct_for(self, stream: Stream | None, *blocks: Block) -> CupyStream | None:
        """Return the current stream if it is `direct` and all blocks are of its device; else, or if one is given, None.

        The blocks may then be used on it.
        """
        first = blocks[0]
        if stream is not None or not isinstance(first, DeviceBlock):
            return None
        device = first.device
        queue = self.current(device)
        if not queue.direct:
            return None
        for block in blocks:
            if not isinstance(block, DeviceBlock) or block.device is not device:
                return None
            if block.stream is not queue:
                block.use(queue)
        return queue

    def events(self, device: Device) -> EventPool:
        """Return the driver's events of a device."""
        return self._events.get(device) or self._events.setdefault(device, EventPool(self._driver, device))

    def let_wait(self, device: Device, stream: Any, other: Any, memory: Any = None) -> None:
        """Make a CuPy stream wait for the present work of another; the device is current.

        A stream that accel captures has no work besides that before its capture, and waits at the end of it, until
        when memory is kept.

        Raises
        ------
        CapabilityError
            If another library captures one of the streams.
        """
        driver, captured = self._driver, self._captured(device)
        if stream in captured:
            captured[stream].append(partial(self.let_wait, device, stream, other, memory))
            return
        driver.refuse_capture(stream)
        if other in captured:
            _, event = captured[other].event_after(captured[other].stamp)
            event.hold_up(stream.ptr)  # type: ignore[attr-defined]
            return
        driver.refuse_capture(other)
        if not driver.finished(other):
            self.events(device).record(other).hold_up(stream.ptr)

    def _captured(self, device: Device) -> dict[Any, CupyStream]:
        """Return the streams that accel captures now, by CuPy's streams."""
        streams = (each() for each in [*self._made[device].alive])
        return {each.native: each for each in streams if each is not None and each.deferred is not None}

    def lend(self, block: DeviceBlock) -> None:
        """Record a use of a block by all streams, as CuPy may use any; a stream made later waits by itself."""
        for stream in self.all(block.device):
            block.use(stream)

    def wait_for_reused(self, stream: CupyStream) -> None:
        """Make a stream wait for the earlier work on all blocks, so that it may use any of them."""
        device, waits = stream.device, stream.waits
        number = stream.new_blocks.number
        # As `all` and `come_after`, without the calls.
        others = [each() for each in [*self._made[device].alive]]
        others.append(self.defaults.get(device))
        for other in others:
            if other is not None and other is not stream and waits.get(other._serial, -1) < other.allocated:
                stream.come_after(other, other.allocated)
        stream.caught_up = waits.caught_up = number

    def _involved(self, stream: Stream | None, blocks: list[DeviceBlock], lead: Device | None) -> list[CupyStream]:
        """Return the stream that does the work, and the streams of other devices that must be ordered with it."""
        first = blocks[0].device
        if lead in (None, first) and all(block.device is first for block in blocks):
            return [self.stream_for(stream, first)]
        devices = list(dict.fromkeys(block.device for block in blocks))
        choices = [(device,) for device in devices] if stream is None else [devices]
        streams = [self.stream_for(stream, *choice) for choice in choices]
        if lead is None:
            return streams
        leads = [each for each in streams if each.device is lead] or [self.default(lead)]
        return [*leads, *(each for each in streams if each.device is not lead)]

    def _new_stream(self, device: Device, native: Any, waits: Waits | None = None) -> CupyStream:
        new_blocks = self._new_blocks.get(device) or self._new_blocks.setdefault(device, NewBlocks())
        events = self._events.get(device) or self.events(device)
        return CupyStream(self._driver, device, native, events, new_blocks, waits)
