"""While a stream is being captured into a graph, accel refuses work on it, since that would not be done now."""

from contextlib import contextmanager

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import CapabilityError

from ..kernels.raw_contract import kernel
from .standin.namespace import namespace

REFUSED = r"captured|Capture.*; call accel before begin_capture\(\) or after end_capture\(\)"


@pytest.fixture(autouse=True)
def machine(gpu_machine, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "array_api_compat.cupy", namespace(sys.modules["cupy"]))
    return gpu_machine


def ones():
    """Return an array that is complete."""
    array = xp.asarray(np.ones(1000, "float32"), device="gpu")
    accel.memory.heap_of(array.device).synchronize()
    return array


@contextmanager
def captured(native):
    """Capture a CuPy stream; nothing may be captured."""
    native.begin_capture()
    yield
    assert native.end_capture() == []


def check():
    """Assert that all works again."""
    x = ones()
    assert float(xp.sum(x + x)) == 2 * x.size
    assert set(accel.full(1000, 3, "int32", device="gpu").to_numpy()) == {3}


def test_a_computation_on_a_stream_of_cupys_is_refused():
    import cupy

    x, native = ones(), cupy.cuda.Stream(non_blocking=True)
    with native, captured(native), pytest.raises(CapabilityError, match=REFUSED):
        x + x
    check()


def test_an_export_while_cupys_stream_is_captured_is_refused():
    import cupy

    x, native = ones(), cupy.cuda.Stream(non_blocking=True)
    with native, captured(native), pytest.raises(CapabilityError, match=REFUSED):
        x.__dlpack__(stream=cupy.cuda.Stream(non_blocking=True).ptr)
    check()


WORK = {
    "fill": lambda c, stream: c.fill(7),
    "copy": lambda c, stream: c.copy_from_async(accel.zeros(1000, "float32", device="gpu"), stream=stream),
    "upload": lambda c, stream: c.copy_from(accel.zeros(1000, "float32")),
    "download": lambda c, stream: c.to_numpy(),
    "kernel": lambda c, stream: kernel("scale")(c, 2, over=1000, stream=stream),
    "computation": lambda c, stream: xp.asarray(c) + 1,
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_work_on_a_stream_of_accel_is_refused(work):
    c, stream = accel.full(1000, 1, "float32", device="gpu"), accel.new_stream("gpu")
    accel.memory.heap_of(c.device).synchronize()
    with stream:
        pass
    with captured(stream.native), stream, pytest.raises(CapabilityError, match=REFUSED):
        work(c, stream)
    assert set(c.to_numpy()) == {1}
    stream.close()
    check()


def test_a_copy_of_what_another_stream_writes_is_refused_and_the_capture_goes_on():
    c, into, stream = (
        accel.empty(1000, "float32", device="gpu"),
        accel.zeros(1000, "float32", device="gpu"),
        accel.new_stream("gpu"),
    )
    with accel.new_stream("gpu"):
        c.fill(3)
    with captured(stream.native), pytest.raises(CapabilityError, match=REFUSED):
        into.copy_from_async(c, stream=stream)
    assert set(into.to_numpy()) == {0}
    into.copy_from_async(c, stream=stream).wait()
    assert set(into.to_numpy()) == {3}


def test_an_export_to_a_stream_that_is_captured_is_refused_and_the_capture_goes_on():
    import cupy

    x, native = ones(), cupy.cuda.Stream(non_blocking=True)
    with captured(native), pytest.raises(CapabilityError, match=REFUSED):
        x.__dlpack__(stream=native.ptr)
    check()


def test_a_captured_stream_records_no_event_which_would_never_be_reached():
    stream = accel.new_stream("gpu")
    stream.native.begin_capture()
    with pytest.raises(CapabilityError, match=REFUSED):
        stream.record()
    stream.native.end_capture()
    stream.record().wait()
