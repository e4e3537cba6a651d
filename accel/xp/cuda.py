"""The names of `cupy.cuda` that programs use, for programs that read ``accel.xp`` as ``cupy``, on every device.

Numbers of devices are those of the type of the default device: on a machine without a GPU, ``Device(0)`` is the host.
The order between streams is that of accel, which orders copies and kernels on the same memory by itself.
"""

from accel.xp.cuda_devices import Device, is_available, runtime
from accel.xp.cuda_streams import Event, Stream, get_current_stream, get_elapsed_time

__all__ = ["Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "is_available", "runtime", "stream"]

for _class in (Device, Event, Stream):
    _class.__module__ = __name__  # where users find them


class stream:  # noqa: N801 - CuPy's name
    """The names of `cupy.cuda.stream`."""

    Event, Stream = Event, Stream
    get_current_stream, get_elapsed_time = staticmethod(get_current_stream), staticmethod(get_elapsed_time)
