"""`new_stream`: streams of any device."""

from accel.abc.stream import CurrentStream, Stream
from accel.device import DeviceLike, resolve
from accel.memory.heap import KNOWN_HEAPS, heap_of
from accel.memory.thread_stream import ThreadStream

__all__ = ["new_stream"]


def new_stream(device: DeviceLike | None = None, *, timed: bool = False) -> Stream:
    """Return a new stream: its work is done in order, concurrently with other streams.

    Parameters
    ----------
    device : Device or str, optional
        The device; by default `Device.default`. A stream of the CPU has a thread of its own.
    timed : bool, default: False
        Whether its events and transfers know when their work began and ended. On a GPU this takes some microseconds
        for each piece of work.

    Returns
    -------
    Stream
        The stream; in a ``with`` block it is the current one.

    Raises
    ------
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.

    Examples
    --------
    >>> import accel
    >>> stream = accel.new_stream("cpu")
    >>> target = accel.empty(3)
    >>> target.copy_from_async(accel.zeros(3), stream=stream).wait()
    >>> target.to_numpy()
    array([0., 0., 0.])
    """
    target = resolve(device)
    heap = KNOWN_HEAPS.get(target) or heap_of(target)
    stream = heap.new_stream() or ThreadStream(target)
    if timed and isinstance(stream, CurrentStream):  # others decide for themselves
        stream.timed = True
    return stream
