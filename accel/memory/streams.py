"""Streams by device: new ones, and those that are used when none is given."""

from accel.abc.optional import SupportsStreams
from accel.abc.stream import Stream
from accel.device import DeviceLike, resolve
from accel.memory.heap import heap_of
from accel.memory.thread_stream import ThreadStream

__all__ = ["new_stream"]


def new_stream(device: DeviceLike | None = None) -> Stream:
    """Return a new stream: work submitted to it is done in order, beside all other streams.

    Parameters
    ----------
    device : Device or str, optional
        Whose; by default `Device.default`. A stream of the CPU has a thread of its own.

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
    found = resolve(device)
    backend = heap_of(found).backend
    return backend.new_stream(found) if isinstance(backend, SupportsStreams) else ThreadStream(found)
