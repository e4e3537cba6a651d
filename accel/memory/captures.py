"""Captures: which streams record their work in a graph now, and the memory that this work uses.

**The invariant.** A stream is in `ACTIVE` from before it begins to record until it has ended. All submissions look
there before they give work to it, and those of other threads are refused. So a capture has the memory of all the work
that its stream records, in the order in which one thread submits it. `ACTIVE` is empty in nearly all programs: that is
all that fast paths test.

Recorded work is not under way, so it has no hazards. `Graph.launch` submits all of it as one piece of work.
"""

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from accel.abc.graphs import refuse_captured
from accel.abc.stream import Event, Stream, current_stream
from accel.device import Device
from accel.support.locks import in_child

__all__ = [
    "ACTIVE",
    "Capture",
    "CapturedUse",
    "capture_on",
    "captured_stream",
    "event_after",
    "refuse_allocation",
    "refuse_host_copy",
]

_CPU = Device.CPU
_HOST_COPY = (
    "copy from or to pageable memory of the host",
    "use memory of accel.memory.pinned(size, dtype, device), or copy between two launches of the graph",
)


class Used(Protocol):
    """A use of memory by some work, as `accel.memory.storage_work.Use`."""

    @property
    def storage(self) -> Any:
        """The memory, a storage."""
        ...

    @property
    def writing(self) -> bool:
        """Whether the work may write it."""
        ...

    @property
    def whole(self) -> bool:
        """Whether it writes each of its bytes."""
        ...


class CapturedUse(NamedTuple):
    """Memory that a graph uses; the fields are those of `accel.memory.storage_work.Use`."""

    storage: Any
    writing: bool
    whole: bool


class Capture:
    """The capture of a stream.

    Attributes
    ----------
    stream : Stream
        The stream.
    before : Event or None
        An event after all work that the stream was given before; None until it records.
    uses : dict
        What the recorded work uses, with handles of its own, which keep the memory alive.
    operations : int
        How many pieces of work were recorded.
    """

    __slots__ = ("_thread", "before", "operations", "stream", "uses")

    def __init__(self, stream: Stream) -> None:
        self.stream: Stream = stream
        self.before: Event | None = None
        self.uses: dict[tuple[int, int, int], CapturedUse] = {}
        self.operations: int = 0
        self._thread = threading.get_ident()

    @property
    def of_this_thread(self) -> bool:
        """Whether this thread captures."""
        return self._thread == threading.get_ident()

    def add(self, uses: Iterable[Used], between: Iterable[Any] = ()) -> None:
        """Add the memory that some work uses, and other memory between, which nothing else uses.

        Raises
        ------
        CapabilityError
            If the work uses memory of another device, or of the host that is not pinned for this one.
        """
        every = [*uses, *(CapturedUse(storage, True, True) for storage in between)]
        for use in every:
            self._refuse_elsewhere(use.storage)
        self.operations += 1
        for use in every:
            storage = use.storage
            key = id(storage.owner), storage._start, storage.nbytes
            known = self.uses.get(key)
            if known is None:
                self.uses[key] = CapturedUse(storage.__copy__(), use.writing, use.writing and use.whole)
            elif use.writing and not known.writing:  # the work has read it before: it does not replace what was there
                self.uses[key] = known._replace(writing=True)

    def _refuse_elsewhere(self, storage: Any) -> None:
        device = self.stream.device
        if storage.device is device:
            return
        if storage.device is _CPU:
            pinned_for = getattr(storage.owner.heap.source_of(storage.owner.block), "pinned_for", None)
            if pinned_for is not device:
                refuse_captured(self.stream, *_HOST_COPY)
            return
        refuse_captured(self.stream, f"use memory of {storage.device}", f"copy it to {device} between two launches")

    def release(self) -> None:
        """Release the handles."""
        while self.uses:
            self.uses.popitem()[1].storage.release()


ACTIVE: dict[Any, Capture] = {}
"""The captures that are under way, by their streams. Each change is one operation of the dictionary."""

in_child(ACTIVE.clear)


def capture_on(stream: Stream | None) -> Capture | None:
    """Return the capture of a stream by this thread; None if the stream is not captured.

    Raises
    ------
    CapabilityError
        If another thread captures it.
    """
    capture = ACTIVE.get(stream)
    if capture is not None and not capture.of_this_thread:
        refuse_captured(stream, "have work of another thread", "use a stream of this thread: accel.new_stream(device)")
    return capture


def captured_stream(device: Device) -> Stream | None:
    """Return the current stream of a device if it is captured; else None."""
    stream = current_stream(device)
    return stream if stream in ACTIVE else None


def event_after(stream: Stream) -> Event:
    """Return an event after all work that a stream was given to do, also while it records other work.

    Raises
    ------
    CapabilityError
        If another library captures the stream: no such event can be recorded now.
    """
    capture = ACTIVE.get(stream) if ACTIVE else None
    if capture is not None and capture.before is not None:
        return capture.before
    event = stream.record()
    if getattr(event, "captured", False):
        refuse_captured(
            stream, "be waited for", "end the capture before other streams or the host use what the stream has used"
        )
    return event


def refuse_allocation(device: Device, stream: Stream | None) -> None:
    """Raise if memory is allocated for a stream, by default the current one, that is captured.

    Raises
    ------
    CapabilityError
        As said.
    """
    used = current_stream(device) if stream is None else stream
    if used in ACTIVE:
        refuse_captured(used, "allocate memory", "allocate it before the capture, and fill it in the block")


def refuse_host_copy(device: Device) -> None:
    """Raise if the current stream of a device is captured, where the host reads or writes elements of the device.

    Raises
    ------
    CapabilityError
        As said.
    """
    used = current_stream(device)
    if used in ACTIVE:
        refuse_captured(used, *_HOST_COPY)
