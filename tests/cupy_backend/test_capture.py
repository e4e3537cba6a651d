"""While another library captures a stream, work within the device is recorded, and work with the host refused."""

import threading

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import CapabilityError

from ..kernels.raw_contract import kernel
from .standin.namespace import namespace

REFUSED = "captured into a graph"
SIZE = 1000


@pytest.fixture(autouse=True)
def machine(gpu_machine, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "array_api_compat.cupy", namespace(sys.modules["cupy"]))
    return gpu_machine


@pytest.fixture
def stream():
    stream = accel.new_stream("gpu")
    yield stream
    stream.close()


def ones():
    """Return an array that is complete."""
    array = xp.asarray(np.ones(SIZE, "float32"), device="gpu")
    accel.memory.heap_of(array.device).synchronize()
    return array


def check():
    """Assert that all works again."""
    x = ones()
    assert float(xp.sum(x + x)) == 2 * x.size
    assert set(accel.full(SIZE, 3, "int32", device="gpu").to_numpy()) == {3}


RECORDED = {
    "fill": (7, lambda c, d, stream: c.fill(7)),
    "fill of a part": (1.5, lambda c, d, stream: c[:].fill(1.5)),
    "copy": (3, lambda c, d, stream: c.copy_from(d)),
    "copy_from_async": (3, lambda c, d, stream: c.copy_from_async(d, stream=stream)),
    "kernel": (2, lambda c, d, stream: kernel("scale")(c, 2, over=SIZE)),
    "kernel on the stream": (2, lambda c, d, stream: kernel("scale")(c, 2, over=SIZE, stream=stream)),
}


@pytest.mark.parametrize("before", ["the stream", "another stream"])
@pytest.mark.parametrize(("result", "work"), RECORDED.values(), ids=RECORDED)
def test_work_within_the_device_is_recorded(result, work, before, stream):
    with stream if before == "the stream" else accel.new_stream("gpu"):
        c, d = (accel.full(SIZE, value, "float32", device="gpu") for value in (1, 3))
        work(c, d, accel.memory.current_stream(c.device))  # compiled now
        c.fill(1)
    accel.memory.heap_of(c.device).synchronize()
    if before == "another stream":  # the stream waits for what it has not used yet
        with stream:
            c.copy_from(c)
            kernel("scale")(d, 1, over=SIZE)
    stream.native.begin_capture()
    with stream:
        work(c, d, stream)
    graph = stream.native.end_capture()
    assert set(c.to_numpy()) == {1}
    graph.launch(stream.native)
    stream.synchronize()
    assert set(c.to_numpy()) == {result}
    check()


HOST = {
    "upload": lambda c, stream: c.copy_from(accel.zeros(SIZE, "float32")),
    "large upload": lambda c, stream: accel.empty(1 << 20, "float32", device="gpu").from_numpy(
        np.zeros(1 << 20, "float32")
    ),
    "asynchronous upload": lambda c, stream: c.copy_from_async(accel.zeros(SIZE, "float32"), stream=stream),
    "download": lambda c, stream: c.to_numpy(),
    "zeros": lambda c, stream: accel.zeros(SIZE, device="gpu"),
    "overlap": lambda c, stream: c[1:].copy_from(c[:-1]),
    "computation": lambda c, stream: xp.asarray(c) + 1,
}


@pytest.mark.parametrize("work", HOST.values(), ids=HOST)
def test_what_the_host_takes_part_in_or_needs_memory_is_refused_and_the_capture_goes_on(work, stream):
    with stream:
        c = accel.full(SIZE, 1, "float32", device="gpu")
    accel.memory.heap_of(c.device).synchronize()
    stream.native.begin_capture()
    with stream, pytest.raises(CapabilityError, match=REFUSED):
        work(c, stream)
    assert stream.native.end_capture().nodes == []
    assert set(c.to_numpy()) == {1}
    check()


def test_a_computation_on_a_stream_of_cupys_is_refused():
    import cupy

    x, native = ones(), cupy.cuda.Stream(non_blocking=True)
    native.begin_capture()
    with native, pytest.raises(CapabilityError, match=REFUSED):
        x + x
    assert native.end_capture().nodes == []
    check()


def test_an_export_while_cupys_stream_is_captured_is_refused():
    import cupy

    x, native, other = ones(), *(cupy.cuda.Stream(non_blocking=True) for _ in range(2))
    for captured, consumer in ((native, other), (other, other)):
        captured.begin_capture()
        with captured, pytest.raises(CapabilityError, match=REFUSED):
            x.__dlpack__(stream=consumer.ptr)
        assert captured.end_capture().nodes == []
    check()


def test_the_host_waits_for_what_another_stream_writes(stream):
    c, into = accel.empty(SIZE, "float32", device="gpu"), accel.zeros(SIZE, "float32", device="gpu")
    with accel.new_stream("gpu"):
        c.fill(3)
    stream.native.begin_capture()
    into.copy_from_async(c, stream=stream)
    graph = stream.native.end_capture()
    assert set(into.to_numpy()) == {0}
    graph.launch(stream.native)
    stream.synchronize()
    assert set(into.to_numpy()) == {3}


def test_a_captured_stream_cannot_wait_for_work_of_the_host(stream):
    host, busy = accel.new_stream("cpu"), threading.Event()
    event = host.submit(busy.wait)
    stream.native.begin_capture()
    with pytest.raises(CapabilityError, match=REFUSED):
        stream.wait_for(event)
    assert stream.native.end_capture().nodes == []
    busy.set()
    host.close()


def test_what_a_captured_stream_writes_cannot_be_used_before_the_capture_ends(stream):
    with stream:
        c = accel.full(SIZE, 1, "float32", device="gpu")
    other = accel.new_stream("gpu")
    stream.native.begin_capture()
    with pytest.raises(CapabilityError, match="captured"):
        c.to_numpy()
    with other, pytest.raises(CapabilityError, match="captured"):
        c.fill(2)
    assert stream.native.end_capture().nodes == []
    assert set(c.to_numpy()) == {1}


def test_an_event_of_a_captured_stream_is_nothing_to_wait_for(stream):
    stream.native.begin_capture()
    event = stream.record()
    assert event.done()
    event.wait()
    with pytest.raises(CapabilityError, match="captured"):
        accel.new_stream("gpu").wait_for(event)
    stream.native.end_capture()
    stream.record().wait()


@pytest.mark.parametrize("captured_by_accel", [True, False])
def test_arrays_that_two_streams_use_are_freed_while_one_of_them_is_captured(stream, captured_by_accel):
    other, c = accel.new_stream("gpu"), accel.zeros(SIZE, device="gpu")
    for captured in (stream, other):
        with stream:
            x = ones() + ones()
        accel.memory.heap_of(x.device).synchronize()
        with other:
            y = x + x
        if captured_by_accel:
            with accel.capture(captured) as graph:
                del x
                c.fill(3)
            graph.launch()
        else:
            captured.native.begin_capture()
            del x
            assert captured.native.end_capture().nodes == []
            c.fill(3)
        with stream:
            z = ones() * 5
        assert float(xp.sum(y)) == 4 * SIZE
        assert float(xp.sum(z)) == 5 * SIZE
        assert set(c.to_numpy()) == {3}
        del y, z
    c.release()
    other.close()
