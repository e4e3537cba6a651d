"""Streams, events and callbacks of the driver, on streams of simulated devices.

As in CUDA, the default stream of a device and the streams that numba-cuda makes wait for each other.
"""

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

from cuda.bindings import driver as bindings

from accel.abc import Event, Stream
from accel.device import Device
from accel.memory import new_stream
from accel.testing.cupy_simulation.places import blocking, default_native, giving
from accel.testing.numba_simulation.contexts import current_device
from accel.testing.numba_simulation.failures import DriverError, process, result, simulated

__all__ = [
    "StreamHandle",
    "finish_default",
    "giving_to",
    "keep_until_done",
    "release_late",
    "releasing_stream",
    "settle_device",
    "stream_of",
]

_LEGACY, _PER_THREAD = 1, 2
_NO_TIMING, _NON_BLOCKING = 2, 1


class StreamHandle(int):
    """A stream as numba-cuda holds it: its number, and the number again as ``value``."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


class _RecordedEvent:
    """An event of the driver: what was recorded last, if anything."""

    def __init__(self, *, timed: bool) -> None:
        self.timed = timed
        self.native: Event | None = None


_streams: dict[int, Stream] = {}
_events: dict[int, _RecordedEvent] = {}
_numbers = count(0x3000)
_of_thread = threading.local()


def stream_of(handle: Any) -> Stream:
    """Return a stream by its number; 0 is the default stream of the current device.

    Raises
    ------
    DriverError
        If there is none.
    """
    number = int(handle or 0)
    if number in (0, _LEGACY):
        return default_native(current_device())
    if number == _PER_THREAD:
        return _stream_of_thread(current_device())
    stream = _streams.get(number) or next((each for each in [*blocking] if id(each) == number), None)
    if stream is None:
        raise DriverError("ERROR_INVALID_HANDLE")
    return stream


def _stream_of_thread(device: Device) -> Stream:
    streams: dict[Device, Stream] = _of_thread.__dict__.setdefault("streams", {})
    return streams.get(device) or streams.setdefault(device, _new(device))


def _new(device: Device) -> Stream:
    stream = new_stream(device)
    blocking.add(stream)
    return stream


@contextmanager
def giving_to(handle: Any) -> Iterator[Stream]:
    """Give work to a stream, in CUDA's order of the default stream."""
    stream = stream_of(handle)
    with giving(stream):
        yield stream


def settle_device(device: Device) -> None:
    """Run the work that a device's default stream waits for; errors are left for the next wait."""
    default_native(device).record().settle()


def finish_default(device: Device) -> None:
    """Wait for the default stream and all that it waits for; raises the errors of their work."""
    default_native(device).synchronize()
    for stream in [*_streams.values()]:
        if stream.device is device and stream in blocking:
            stream.synchronize()


def releasing_stream(device: Device) -> Stream | None:
    """Return the stream that releases memory of a device after its work; None if nothing is to be waited for.

    Nobody waits for the default stream outside of blocks, so what it is to release there could stay for ever.
    """
    stream: Any = default_native(device)
    return stream if process.in_block or stream.tasks else None


def release_late(device: Device, kept: object) -> None:
    """Keep an object alive until the work that a device was given so far is done."""
    stream = releasing_stream(device)
    if stream is not None:
        keep_until_done(stream, kept)


def keep_until_done(stream: Any, kept: object) -> None:
    """Keep an object alive until the work that a stream was given so far is done."""
    stream.enqueued("a release", lambda operation, kept=kept: None)


@simulated
def cuStreamCreate(flags: int) -> StreamHandle:
    """Return a new stream."""
    device = current_device()
    stream = new_stream(device) if int(flags) & _NON_BLOCKING else _new(device)
    _streams[id(stream)] = stream
    return StreamHandle(id(stream))


@simulated
def cuStreamDestroy(handle: Any) -> None:
    """Forget a stream; its work is done nevertheless."""
    if _streams.pop(int(handle), None) is None:
        raise DriverError("ERROR_INVALID_HANDLE")


@simulated
def cuStreamSynchronize(handle: Any) -> None:
    """Wait for a stream; raises what its kernels did wrong."""
    with giving_to(handle) as stream:
        stream.synchronize()


@simulated
def cuStreamQuery(handle: Any) -> None:
    """Fail with ``NOT_READY`` if a stream has work."""
    with giving_to(handle) as stream:
        if not stream.record().done():
            raise DriverError("ERROR_NOT_READY")


@simulated
def cuStreamWaitEvent(handle: Any, event: Any, flags: int) -> None:
    """Let later work of a stream wait for an event."""
    native = _event(event).native
    if native is not None:
        with giving_to(handle) as stream:
            stream.wait_for(native)


@simulated
def cuStreamAddCallback(handle: Any, callback: Any, data: Any, flags: int) -> None:
    """Call a function when the work of a stream so far is done, in another thread; later work waits for it."""
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(int(callback))
    call_late(handle, lambda status: function(int(handle), status, int(data)))


def call_late(handle: Any, function: Callable[[int], object]) -> None:
    """Call a function with a status of CUDA when the work of a stream so far is done, in another thread."""
    before = stream_of(handle).record()
    with giving_to(handle) as stream:
        late: Any = stream
        after = late.submit("a callback", lambda operation: function(_status(before)))
    # A stream does its work while somebody waits for it; with callbacks programs wait for something else.
    threading.Thread(target=_settle, args=(after,), name="accel-callback", daemon=True).start()


def _settle(event: Event) -> None:
    with suppress(Exception):  # they are raised by the next wait of the program
        event.settle()


def _status(before: Event) -> int:
    return int(result("ERROR_UNKNOWN")) if before.failed else 0


def _event(handle: Any) -> _RecordedEvent:
    event = _events.get(int(handle))
    if event is None:
        raise DriverError("ERROR_INVALID_HANDLE")
    return event


@simulated
def cuEventCreate(flags: int) -> Any:
    """Return a new event."""
    number = next(_numbers)
    _events[number] = _RecordedEvent(timed=not int(flags) & _NO_TIMING)
    return bindings.CUevent(number)


@simulated
def cuEventDestroy(handle: Any) -> None:
    """Forget an event."""
    _event(handle)
    del _events[int(handle)]


@simulated
def cuEventRecord(handle: Any, stream: Any) -> None:
    """Record the work of a stream so far."""
    event = _event(handle)
    with giving_to(stream) as native:
        event.native = native.record(timed=event.timed)


@simulated
def cuEventQuery(handle: Any) -> None:
    """Fail with ``NOT_READY`` if the recorded work is not done."""
    native = _event(handle).native
    if native is not None and not native.done():
        raise DriverError("ERROR_NOT_READY")


@simulated
def cuEventSynchronize(handle: Any) -> None:
    """Wait for the recorded work; raises what its last kernel did wrong."""
    native = _event(handle).native
    if native is not None:
        native.wait()


@simulated
def cuEventElapsedTime(start: Any, end: Any) -> float:
    """Return the simulated milliseconds between two events."""
    began, ended = _event(start), _event(end)
    if began.native is None or ended.native is None or not (began.timed and ended.timed):
        raise DriverError("ERROR_INVALID_HANDLE")
    if not (began.native.done() and ended.native.done()):
        raise DriverError("ERROR_NOT_READY")
    return 1000.0 * (_ended(ended.native) - _ended(began.native))


def _ended(event: Event) -> float:
    assert event.ended is not None, "it is reached and was asked for its time"
    return event.ended
