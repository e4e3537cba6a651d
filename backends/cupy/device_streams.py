"""`DeviceStreams`: the streams of all devices, and how work on some memory gets to the right one of them."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import finalize, ref

from accel.abc import Block, Event, Stream, current_stream
from accel.device import Device
from accel.errors import DeviceMismatchError
from accel.locks import open_after_fork

from .driver import Driver
from .events import Clock
from .memory import DeviceBlock, memory_of
from .streams import CupyStream

__all__ = ["DeviceStreams"]

StreamCall = Callable[[CupyStream], object]
"""What a stream is given to do, and is told."""


class DeviceStreams:
    """The streams of the devices of one backend.

    Memory is taken and given back with the gate of its heap closed, and what happens there must wait for no lock that a
    collection may find closed: so what it reads here is replaced as a whole, and never changed.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._lock = open_after_fork(threading.RLock())
        self._made: dict[Device, tuple[ref[CupyStream], ...]] = {}
        self._defaults: dict[Device, CupyStream] = {}
        self._clocks: dict[Device, Clock] = {}
        self._reused: defaultdict[Device, list[Event]] = defaultdict(list)
        self._idle_natives: defaultdict[Device, deque[Any]] = defaultdict(deque)

    def new(self, device: Device) -> CupyStream:
        """Return a new stream of a device, which waits for no other."""
        native = self._native(device)
        made = CupyStream(self._driver, device, native, self._clock(device))
        finalize(made, self._idle_natives[device].append, native).atexit = False
        with self._lock:
            alive = (each for each in self._made.get(device, ()) if each() is not None)
            self._made[device] = (*alive, ref(made))
        self.wait_for_reused(made)
        return made

    def default(self, device: Device) -> CupyStream:
        """Return the stream on which a device works when none is given or current: CuPy's default one."""
        found = self._defaults.get(device)
        if found is None:
            native = self._driver.cupy.cuda.Stream.null
            made = CupyStream(self._driver, device, native, self._clock(device))
            found = self._defaults.setdefault(device, made)
        return found

    def all(self, device: Device) -> list[CupyStream]:
        """Return all streams of a device."""
        made = [each() for each in self._made.get(device, ())]
        return [self.default(device), *(stream for stream in made if stream is not None)]

    def stream_for(self, stream: Stream | None, *devices: Device) -> CupyStream:
        """Return the stream that is meant for work on some devices; without one, that which is current.

        Raises
        ------
        DeviceMismatchError
            If it is a stream of another device, or of another backend.
        """
        found = stream or current_stream(devices[0]) or self.default(devices[0])
        if not isinstance(found, CupyStream) or found.device not in devices:
            here = " or ".join(map(str, devices))
            raise DeviceMismatchError(
                f"{found!r} is no stream of {here}; write stream=accel.new_stream('{devices[0]}')"
            )
        return found

    def submit(
        self, work: StreamCall, stream: Stream | None, *used: Block, lead: Device | None = None, blocks: bool = False
    ) -> None:
        """Give work on blocks to the stream that is meant; those of the other devices involved keep step with it.

        Parameters
        ----------
        work : callable
            Called with the stream, when its device is current.
        stream : Stream, optional
            By default that which is current on the device of the first block.
        *used : Block
            What the work reads and writes; those of the host order nothing.
        lead : Device, optional
            The device whose stream must do the work, whichever was meant.
        blocks : bool
            Whether the work takes its time on the host, and must not hold up the caller.
        """
        known = [block for block in map(memory_of, used) if block is not None]
        queue, *others = self._involved(stream, known, lead)
        for other in others:
            queue.wait_for(other.record())
        for block in known:
            block.use(queue)
        queue.submit(lambda: work(queue), timed=stream is not None, blocks=blocks)
        if others:
            done = queue.record()
            for other in others:
                other.wait_for(done)

    def lend(self, block: DeviceBlock) -> None:
        """Let all streams have a block, for CuPy does not say which one it uses; those made later have it anyway."""
        for stream in self.all(block.device):
            block.use(stream)

    def remember_reused(self, block: DeviceBlock) -> None:
        """Remember what must be over before a new block is used on other streams than its own."""
        self._forget_reached(block.device)
        if block.ready is not None:
            self._reused[block.device].append(block.ready)

    def wait_for_reused(self, stream: CupyStream) -> None:
        """Let a stream have all blocks that there are, whoever may still have to let go of their bytes."""
        self._forget_reached(stream.device)
        for event in tuple(self._reused[stream.device]):
            stream.wait_for(event)

    def _forget_reached(self, device: Device) -> None:
        fresh = self._reused[device]
        for event in tuple(fresh):
            if event.done():
                with suppress(ValueError):  # another thread was first
                    fresh.remove(event)

    def _involved(self, stream: Stream | None, blocks: list[DeviceBlock], lead: Device | None) -> list[CupyStream]:
        """Return the stream that does the work, and those that keep step."""
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

    def _native(self, device: Device) -> Any:
        """Return a stream of CuPy's: that of a `CupyStream` which is gone, if there is one.

        CuPy's pool keeps blocks by the handles of streams, and the driver may give the handle of a stream that is gone
        to a new one, whose work does not come after the old one's last use of the blocks. So none of them goes.
        """
        with self._driver.on(device):
            try:
                return self._idle_natives[device].popleft()
            except IndexError:
                return self._driver.cupy.cuda.Stream(non_blocking=True)

    def _clock(self, device: Device) -> Clock:
        found = self._clocks.get(device)
        return found or self._clocks.setdefault(device, Clock(self._driver, device))
