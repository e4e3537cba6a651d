"""The names of `cupy.cuda` that programs use, for programs that read ``accel.xp`` as ``cupy``, on every device.

Numbers of devices are those of the type of the default device: on a machine without a GPU, ``Device(0)`` is the host.
The order between streams is that of accel, which orders copies and kernels on the same memory by itself.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from time import perf_counter
from typing import Any, ClassVar, Self

from accel import config
from accel.abc import Event as NativeEvent
from accel.abc import Stream as NativeStream
from accel.abc.optional import ReportsRoom
from accel.device import Device as AccelDevice
from accel.errors import CapabilityError
from accel.memory import current_stream, heap_of, new_stream

__all__ = ["Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "is_available", "runtime", "stream"]

_used: ContextVar[dict[str, Any] | None] = ContextVar("accel_cuda_used", default=None)
"""The settings that this thread or task entered by ``Device.use()``."""


def is_available() -> bool:
    """Tell whether the default device is another one than the host.

    Returns
    -------
    bool
        Whether it is a GPU, or a simulated device.

    Examples
    --------
    >>> import accel.xp as xp
    >>> with xp.default_device("sim"):
    ...     xp.cuda.is_available()
    True
    """
    return AccelDevice.default() is not AccelDevice.CPU


class Device:
    """A device by its number, as `cupy.cuda.Device`; the default device inside its ``with`` block.

    Parameters
    ----------
    device : int or Device, optional
        The number of the device, or a device; by default the current one.

    Examples
    --------
    >>> import accel.xp as xp
    >>> with xp.cuda.Device(0):
    ...     x = xp.ones(3)
    """

    def __init__(self, device: "int | Device | None" = None) -> None:
        default = AccelDevice.default()
        index = default.index if device is None else int(device)
        self._device = AccelDevice(f"{default.type}:{index}")
        self._entered: list[AbstractContextManager[config.Settings]] = []

    @property
    def __accel_device__(self) -> AccelDevice:
        return self._device

    @property
    def id(self) -> int:
        """The number of the device among those of its type."""
        return self._device.index

    @property
    def mem_info(self) -> tuple[int, int]:
        """How many bytes are free, and how many there are."""
        backend = heap_of(self._device).backend
        if not isinstance(backend, ReportsRoom):
            raise CapabilityError(
                f"{self._device} does not tell how much memory is free; write accel.memory.snapshot()"
            )
        room = backend.free_memory(self._device)
        return room.free, room.total

    def use(self) -> None:
        """Make this the default device of the thread, inside the blocks that are open and after them."""
        earlier, settings = _used.get(), {"device": self._device}
        if earlier is not None:
            config.leave(earlier)
        config.enter(settings)
        _used.set(settings)

    def synchronize(self) -> None:
        """Wait for all work of the device."""
        heap_of(self._device).synchronize()

    def __enter__(self) -> Self:
        block = config.using(device=str(self._device))
        block.__enter__()
        self._entered.append(block)
        return self

    def __exit__(self, *error: object) -> None:  # CuPy's can be called without an error
        self._entered.pop().__exit__(None, None, None)

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other._device is self._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<xp.cuda.Device {self.id}: {self._device}>"


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


class stream:  # noqa: N801 - CuPy's name
    """The names of `cupy.cuda.stream`."""

    Event, Stream = Event, Stream
    get_current_stream, get_elapsed_time = staticmethod(get_current_stream), staticmethod(get_elapsed_time)


class runtime:  # noqa: N801 - CuPy's name
    """The names of `cupy.cuda.runtime` that have a meaning on every device."""

    @staticmethod
    def getDeviceCount() -> int:
        """Return how many devices there are of the type of the default one.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("cpu"):
        ...     xp.cuda.runtime.getDeviceCount()
        1
        """
        return len(AccelDevice.available(AccelDevice.default().type))

    @staticmethod
    def getDevice() -> int:
        """Return the number of the default device.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.getDevice()
        0
        """
        return AccelDevice.default().index

    @staticmethod
    def setDevice(device: int) -> None:
        """Make a device the default one of the thread.

        Parameters
        ----------
        device : int
            The number of the device.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.setDevice(0)  # doctest: +SKIP
        """
        Device(device).use()

    @staticmethod
    def deviceSynchronize() -> None:
        """Wait for all work of the default device.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.deviceSynchronize()
        """
        Device().synchronize()

    @staticmethod
    def memGetInfo() -> tuple[int, int]:
        """Return how many bytes of the default device are free, and how many there are.

        Returns
        -------
        tuple of int
            The free bytes, and all.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("sim"):
        ...     free, total = xp.cuda.runtime.memGetInfo()
        >>> free <= total
        True
        """
        return Device().mem_info

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:
        """Return the name and the memory of a device.

        Parameters
        ----------
        device : int
            The number of the device.

        Returns
        -------
        dict of str to Any
            The name, as bytes, and the bytes of its memory.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("sim"):
        ...     xp.cuda.runtime.getDeviceProperties(0)["name"]
        b'sim'
        """
        where = Device(device)
        return {"name": str(where._device).encode(), "totalGlobalMem": where.mem_info[1]}
