"""Helpers for the tests of the ring."""

import gc
import sys
from contextlib import contextmanager

import numpy as np

from accel import Device
from accel.abc import Span
from accel.memory import heap_of
from accel.testing.blocks import host_span

PIECE, COUNT = 1000, 4
LONG = 1 << 20


def free_pieces(ring):
    return sum(map(len, ring._buffers.values()))


def nothing_is_lost(machine, ring):
    """Return whether the ring has all pinned memory, and after the next copy no more than it should keep."""
    gc.collect()  # an error keeps the variables of its frames alive
    ring._surplus(COUNT)
    return len(machine.pinned) == free_pieces(ring) <= COUNT


@contextmanager
def tracing(trace):
    """Call a function at each line that is executed."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def there_and_back(backend, block, data, stream, start=0):
    """Return bytes after a copy to the device and back; with a stream, after its work."""
    result = np.zeros_like(data)
    span = Span(block, start, data.nbytes)
    backend.copy(span, host_span(data), stream=stream)
    backend.copy(host_span(result), span, stream=stream)
    stream = stream or backend.default_stream(heap_of(Device("gpu")).device)
    stream.record().wait()
    return result


def hold_up(machine, stream, run=None, after=None):
    """Submit other work to a stream first."""
    with stream._driver.on(stream.device):
        machine.scheduler.submit(machine.scheduler.of(stream.native.ptr), run, after)


def fail(*arguments):
    raise ZeroDivisionError
