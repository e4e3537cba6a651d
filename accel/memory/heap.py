"""`Heap`: the memory of one device, its books, and the gate through which bytes come and go.

Counts, books and the backend's `allocate` and `free` are all touched with the gate closed behind one. A garbage
collection or a signal can run other code inside that region, in the same thread, which gives memory back: it leaves a
note, and whoever opens the gate does what it says. So does a finaliser that finds anybody inside: it does not wait.

The gate is only ever closed by ``with``, which alone cannot lose a lock to an interrupt.
"""

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from accel.device import Device
from accel.errors import DeviceUnavailableError
from accel.locks import across_forks
from accel.memory.backend import Backend, SupportsStreams
from accel.memory.block import Block
from accel.memory.external import ExternalAllocation
from accel.memory.stream import Event, Stream, current_stream
from accel.registry import NoBackendError, providers

__all__ = ["Flight", "Heap", "heap_of", "heaps"]


Note = Callable[[], ExternalAllocation | None]
"""A change of the books; returns external memory whose last use it ended, to be finished with the gate open."""


class Holder(Protocol):
    """Who answers for a block: an owner."""

    held: Block | None


class Releasable(Protocol):
    """What work in flight holds: a pin."""

    def release(self) -> None:
        """Let go."""
        ...


class Pinnable(Protocol):
    """What work uses: a storage."""

    def pin(self) -> Releasable:
        """Keep the bytes alive until the pin is released."""
        ...


class Flight(NamedTuple):
    """Work on a stream of the device, and what it holds until it is over."""

    event: Event
    pins: tuple[Releasable, ...]


class Heap:
    """The memory of one device.

    Attributes
    ----------
    live_bytes, peak_bytes : int
        Bytes allocated now, and the most there were at one time.
    live_blocks : int
        Blocks allocated now.
    pinned_blocks : int
        Blocks kept alive by exports only: their last handle was released.
    """

    __slots__ = (
        "_many",
        "_streams",
        "backend",
        "busy",
        "device",
        "gate",
        "left",
        "live_blocks",
        "live_bytes",
        "peak_bytes",
        "pinned_blocks",
        "under_way",
    )

    def __init__(self, device: Device, backend: Backend) -> None:
        self.device = device
        self.backend = backend
        self._streams = backend if isinstance(backend, SupportsStreams) else None
        self.gate = across_forks(threading.RLock())
        self.busy = False
        self.left: deque[Note] = deque()
        # Each is mapped to False, so that to take one out is also to learn whether it was there.
        self.under_way: dict[Flight, bool] = {}
        self._many = 16
        self.live_bytes = self.peak_bytes = self.live_blocks = self.pinned_blocks = 0

    def allocate(
        self, nbytes: int, alignment: int = 1, stream: Stream | None = None, holder: Holder | None = None
    ) -> Block:
        """Return uninitialised bytes of this device, and give them to a holder that then answers for them."""
        if self.left or self.under_way:
            self.reap()
        with self.gate:
            before, self.busy = self.busy, True
            try:
                block = self.backend.allocate(self.device, nbytes, alignment=alignment, stream=stream)
                # No call from here on: an interrupt finds all of this done, or nothing.
                self.live_blocks += 1
                self.live_bytes += block.nbytes
                if self.live_bytes > self.peak_bytes:  # noqa: PLR1730 - max() is a call
                    self.peak_bytes = self.live_bytes
                if holder is not None:
                    holder.held = block
            finally:
                self.busy = before
        if self.left:
            self.drain()
        return block

    def free(self, block: Block) -> None:
        """Give a block back; the gate is held by the caller."""
        self.live_blocks -= 1
        self.live_bytes -= block.nbytes
        self.backend.free(block, stream=None)

    def do(self, note: Note) -> None:
        """Act with the gate closed behind one; what a deleter raises is raised here."""
        if self.busy and self.gate._is_owned():  # type: ignore[attr-defined]
            self.left.append(note)
            return
        self._act(note)
        if self.left:
            self.drain()

    def do_or_leave(self, note: Note) -> None:
        """Act as `do` if nobody is inside, else leave a note: for finalisers."""
        if self.busy:
            self.left.append(note)
        else:
            self._act(note)

    def _act(self, note: Note) -> None:
        with self.gate:
            before, self.busy = self.busy, True
            try:
                ended = note()
            finally:
                self.busy = before
        if ended is not None and ended.deleter is not None:
            ended.finish()

    def take_off(self, flight: Flight) -> None:
        """Remember what work holds; when there is twice as much as there was, let go of what is over."""
        self.under_way[flight] = False
        if len(self.under_way) > self._many:
            self.reap()
            self._many = 2 * len(self.under_way) + 16

    def reap(self) -> None:
        """Let go of what work in flight held, if that is over, and do what finalisers left behind."""
        for flight in list(self.under_way):
            if flight.event.done():
                self.land(flight)
        self.drain()

    def land(self, flight: Flight) -> None:
        """Let go of what one piece of work held; doing so again is harmless."""
        if self.under_way.pop(flight, True):  # another thread may have been first
            return
        for pin in flight.pins:
            pin.release()

    def drain(self) -> None:
        """Do what finalisers left behind, unless this thread is inside the gate itself."""
        while self.left and not (self.busy and self.gate._is_owned()):  # type: ignore[attr-defined]
            try:
                note = self.left.popleft()
            except IndexError:  # another thread took the last one
                return
            _LateAct(partial(self._act, note))

    def synchronize(self) -> None:
        """Wait for the device, and give back what finalisers left behind."""
        self.backend.synchronize(self.device)
        self.reap()

    def carry_out(self, work: Callable[[], object], *used: Pinnable) -> None:
        """Give the device some work and wait for that alone; what it uses stays until it is over.

        An interrupt ends the wait, and not the work.
        """
        event = None
        try:
            work()
            event = self.latest()
            if event is None:
                self.backend.synchronize(self.device)
            else:
                event.wait()
        except BaseException as error:
            if event is None and not isinstance(error, Exception):  # an interrupt, and the work may be under way
                event = self.latest()
            if event is not None and not event.done():
                self.take_off(Flight(event, tuple(each.pin() for each in used)))
            raise
        self.reap()

    def latest(self) -> Event | None:
        """Return the event after what was submitted without a stream; None where such work is done at once."""
        if self._streams is None:
            return None
        return (current_stream(self.device) or self._streams.default_stream(self.device)).record()


class _LateAct:
    """Acts when collected, at once: what a deleter raises goes to `sys.unraisablehook`."""

    __slots__ = ("act",)

    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act

    def __del__(self) -> None:
        self.act()


_heaps: dict[Device, Heap] = {}
_new_heap = across_forks(threading.Lock())


def heap_of(device: Device) -> Heap:
    """Return the heap of an available device.

    Raises
    ------
    DeviceUnavailableError
        If no backend serves it.
    """
    heap = _heaps.get(device)
    return _make_heap(device) if heap is None else heap


def heaps() -> tuple[Heap, ...]:
    """Return the heaps used so far in this process."""
    return tuple(_heaps.values())


def _make_heap(device: Device) -> Heap:
    try:
        provider = providers.get(device.type)
    except NoBackendError as error:
        raise DeviceUnavailableError(f"there is no memory on {device}: {error}") from None
    if not isinstance(provider, Backend):
        raise DeviceUnavailableError(f"there is no memory on {device}: {provider.name} is not a whole backend")
    with _new_heap:
        if device not in _heaps:
            _heaps[device] = Heap(device, provider)
        return _heaps[device]
