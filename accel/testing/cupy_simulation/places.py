"""The current device, stream, and order of the default stream, as CUDA has them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

from accel.abc import Event, Stream
from accel.config import current, enter, leave
from accel.device import Device
from accel.memory import heap_of
from accel.support.locks import open_after_fork

__all__ = [
    "blocking",
    "current_device",
    "current_native",
    "default_native",
    "device_of",
    "forget_used",
    "giving",
    "let_go",
    "number_of",
    "show",
    "take_up",
    "use",
    "visible",
]

_used: ContextVar[tuple[dict[str, Any] | None, Stream | None]] = ContextVar("accel_cupy_used", default=(None, None))
_lock = open_after_fork(threading.Lock())


_visible: list[tuple[Device, ...]] = [()]


def show(devices: tuple[Device, ...]) -> None:
    """Set the devices that the program sees, in the order of their numbers."""
    _visible[0] = devices


def visible() -> tuple[Device, ...]:
    """Return the devices that the program sees.

    Raises
    ------
    RuntimeError
        If there are none.
    """
    if not _visible[0]:
        raise RuntimeError(
            "cudaErrorNoDevice: no CUDA-capable device is detected; CUDA_VISIBLE_DEVICES or devices=0 hides all of the "
            "simulated devices"
        )
    return _visible[0]


def device_of(number: int) -> Device:
    """Return a device by its number.

    Raises
    ------
    RuntimeError
        If there is none.
    """
    devices = visible()
    if not 0 <= number < len(devices):
        raise RuntimeError(f"cudaErrorInvalidDevice: invalid device ordinal {number}; there are {len(devices)} devices")
    return devices[number]


def number_of(device: Device) -> int:
    """Return the number of a device; after the block, in which it was visible, that of the simulated device."""
    return _visible[0].index(device) if device in _visible[0] else device.index


def current_device() -> Device:
    """Return the current device, which is simulated."""
    visible()
    return Device(current().device)


def default_native(device: Device) -> Stream:
    """Return the default stream of a device."""
    backend: Any = heap_of(device).backend
    stream: Stream = backend.default_stream(device)
    return stream


def current_native(device: Device) -> Stream:
    """Return the current stream of a device."""
    stream = heap_of(device).stream
    assert stream is not None, "a simulated device has streams"
    return stream


class _DefaultOrder:
    """CUDA's order of the default stream of a device: it and the blocking streams wait for each other.

    A wait of the default stream is none of its own work, so it does not order two other streams. Each change is made
    while the lock of the module is held.
    """

    def __init__(self, default: Stream) -> None:
        self._default = default
        self._waits: Event | None = None
        self._work: Event | None = None

    def let_wait(self, stream: Stream) -> None:
        """Let later work of a stream wait for the default stream."""
        self._look()
        if self._work is not None:
            stream.wait_for(self._work)

    def wait_for(self, stream: Stream) -> None:
        """Let later work of the default stream wait for a stream."""
        self._look()
        self._default.wait_for(stream.record())
        self._waits = self._default.record()

    def _look(self) -> None:
        last = self._default.record()
        if last is not self._waits:
            self._work = last


_orders: dict[Device, _DefaultOrder] = {}
blocking: "WeakSet[Stream]" = WeakSet()
"""The streams that wait for the default stream; those made with ``non_blocking=True`` do not."""


def take_up(stream: Stream) -> None:
    """Make a blocking stream wait for the default stream before its next work."""
    _ordered(stream, _DefaultOrder.let_wait)


def let_go(stream: Stream) -> None:
    """Make the default stream wait for the work of a blocking stream."""
    _ordered(stream, _DefaultOrder.wait_for)


def _ordered(stream: Stream, do: Any) -> None:
    if stream in blocking:
        with _lock:
            order = _orders.get(stream.device)
            if order is None:
                order = _orders[stream.device] = _DefaultOrder(default_native(stream.device))
            do(order, stream)


@contextmanager
def giving(stream: Stream) -> Iterator[None]:
    """Give work to a stream that may not be the current one."""
    now = current_native(stream.device)
    if stream is now:
        yield
        return
    let_go(now)
    take_up(stream)
    try:
        yield
    finally:
        let_go(stream)
        take_up(now)


def use(device: Device | None = None, stream: Stream | None = None) -> None:
    """Make a device or a stream the current one of this thread, until another is used."""
    settings, used = _used.get()
    if device is not None:
        if settings is not None:
            leave(settings)
        settings = {"device": device}
        enter(settings)
    if stream is not None:
        let_go(current_native(stream.device))
        if used is not None:
            used.__exit__(None, None, None)
        take_up(stream)
        used = stream.__enter__()
    _used.set((settings, used))


def forget_used() -> None:
    """Forget the device and the stream that this thread uses."""
    settings, used = _used.get()
    if settings is not None:
        leave(settings)
    if used is not None:
        let_go(used)
        used.__exit__(None, None, None)
    _used.set((None, None))
