"""`Event` and `Stream` of `accel.xp.cuda`: CuPy's names of our streams."""

from time import perf_counter
from typing import ClassVar, Self

from accel.abc import Event as NativeEvent
from accel.abc import Stream as NativeStream
from accel.device import Device as AccelDevice
from accel.memory import current_stream, heap_of, new_stream
from accel.xp.cuda_devices import Device

__all__ = ["Event", "Stream", "get_current_stream", "get_elapsed_time"]


class Event:
    """A point in a stream, as `cupy.cuda.Event`.

    Parameters
    ----------
    block : bool, default False
        Without effect.
    disable_timing : bool, default False
        Whether the event does not know when it was reached.
    interprocess : bool, default False
        Without effect.
    """

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self._native: NativeEvent | None = None
        self._time: float | None = None
        self._timed = not disable_timing

    def record(self, stream: "Stream | None" = None) -> None:
        """Record the work of a stream so far, by default of the current one.

        Parameters
        ----------
        stream : Stream, optional
            The stream.
        """
        self._native = (stream or get_current_stream())._recorded(timed=self._timed)
        self._time = perf_counter()

    @property
    def done(self) -> bool:
        """Whether the work is done."""
        return self._native is None or self._native.done()

    def synchronize(self) -> None:
        """Wait for the work."""
        if self._native is not None:
            self._native.wait()

    @property
    def _ended(self) -> float | None:
        return self._time if self._native is None else self._native.ended


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Return the milliseconds between two events.

    Parameters
    ----------
    start_event : Event
        The earlier event.
    end_event : Event
        The later event.

    Returns
    -------
    float
        The time in milliseconds.

    Raises
    ------
    RuntimeError
        If one of them is not recorded, or not reached.

    Examples
    --------
    >>> import accel.xp as xp
    >>> start, end = xp.cuda.Event(), xp.cuda.Event()
    >>> start.record()
    >>> end.record()
    >>> xp.cuda.get_elapsed_time(start, end) >= 0
    True
    """
    started, ended = start_event._ended, end_event._ended
    if started is None or ended is None:
        raise RuntimeError("the time between events is known once both are reached; write end_event.synchronize()")
    return 1000.0 * (ended - started)


class Stream:
    """A queue of work on the default device, as `cupy.cuda.Stream`; the current one inside its ``with`` block.

    Parameters
    ----------
    null : bool, default False
        Whether this is the queue of the whole device.
    non_blocking : bool, default False
        Without effect.
    ptds : bool, default False
        Without effect.
    """

    null: ClassVar["Stream"]

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False) -> None:
        self._native = None if null else new_stream()

    @classmethod
    def _of(cls, native: NativeStream) -> "Stream":
        stream = cls.__new__(cls)
        stream._native = native
        return stream

    def _recorded(self, *, timed: bool = False) -> NativeEvent | None:
        """Return an event after the work so far; None if all of it is done when a call returns, as on the host."""
        stream = self._native or heap_of(AccelDevice.default()).stream
        return None if stream is None else stream.record(timed=timed)

    def synchronize(self) -> None:
        """Wait for all work of the stream; of ``Stream.null`` for all of the device."""
        if self._native is None:
            heap_of(AccelDevice.default()).synchronize()
        else:
            self._native.synchronize()

    @property
    def done(self) -> bool:
        """Whether all work of the stream is done."""
        event = self._recorded()
        return event is None or event.done()

    def record(self, event: Event | None = None) -> Event:
        """Record the work so far in an event.

        Parameters
        ----------
        event : Event, optional
            The event; by default a new one.
        """
        recorded = event or Event()
        recorded.record(self)
        return recorded

    def wait_event(self, event: Event) -> None:
        """Let later work of the stream wait for an event.

        Parameters
        ----------
        event : Event
            The event.
        """
        if event._native is None:
            return
        if self._native is None:
            event.synchronize()
        else:
            self._native.wait_for(event._native)

    def __enter__(self) -> Self:
        if self._native is not None:
            self._native.__enter__()
        return self

    def __exit__(self, *error: object) -> None:  # CuPy's can be called without an error
        if self._native is not None:
            self._native.__exit__(None, None, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._native is self._native

    def __hash__(self) -> int:
        return hash(id(self._native))

    def __repr__(self) -> str:
        return f"<xp.cuda.Stream of {self._native or 'the device'}>"


Stream.null = Stream(null=True)


def get_current_stream(device_id: int | None = None) -> Stream:
    """Return the current stream of a device, by default of the default one.

    Parameters
    ----------
    device_id : int, optional
        The number of the device.

    Returns
    -------
    Stream
        The stream.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.cuda.get_current_stream() == xp.cuda.Stream.null
    True
    """
    native = current_stream(Device(device_id)._device)
    return Stream.null if native is None else Stream._of(native)
