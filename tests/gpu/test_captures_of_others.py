"""Captures of other libraries in the mode "global": accel's work in this thread and in others leaves them valid."""

import threading
from contextlib import contextmanager

import numpy as np
import pytest

import accel
from accel.memory import heap_of

from ..kernels.raw_contract import kernel

SIZE = 1000
LARGE = 1 << 22


@pytest.fixture
def cupy(device):
    import cupy

    with cupy.cuda.Device(device.index):
        yield cupy


@contextmanager
def captured_elsewhere(cupy, device):
    """Capture a stream of CuPy in another thread, in the mode "global", and assert in the end that it is valid."""
    begun, end, graphs = threading.Event(), threading.Event(), []

    def capture():
        with cupy.cuda.Device(device.index):
            stream = cupy.cuda.Stream(non_blocking=True)
            stream.begin_capture(cupy.cuda.runtime.streamCaptureModeGlobal)
            begun.set()
            try:
                cupy.cuda.runtime.memsetAsync(x.pointer, 3, SIZE, stream.ptr)
                end.wait()
            finally:
                try:
                    graphs.append((stream.end_capture(), stream))
                except Exception as error:
                    graphs.append(error)

    x = accel.zeros(SIZE, "uint8", device=device)
    heap_of(device).synchronize()
    thread = threading.Thread(target=capture)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        end.set()
        thread.join()
    (result,) = graphs
    if isinstance(result, Exception):
        raise result
    graph, stream = result
    graph.launch(stream)
    stream.synchronize()
    assert set(x.to_numpy()) == {3}
    x.release()


def _launches(x, stream):
    for _ in range(40):  # so many that finished work is looked for
        kernel("scale")(x, 1, over=SIZE, stream=stream).wait()


def _transfers(x, stream):
    y = accel.zeros(SIZE, "float32", device=x.device)
    transfers = [y.copy_from_async(x, stream=stream) for _ in range(40)]
    assert all(each.wait() is None and each.done() for each in transfers)


def _host_copies(x, stream):
    large = np.ones(LARGE, "float32")
    y = accel.container(large, device=x.device)
    assert np.array_equal(y.to_numpy(), large)
    x.from_numpy(large[:SIZE])
    assert set(x.to_numpy()) == {1}


def _allocations(x, stream):
    for factor in range(1, 8):
        accel.zeros(factor * LARGE + 1, "float32", device=x.device).release()


def _first_launch(x, stream):
    name = f"only_here_{threading.get_ident()}"
    source = f'extern "C" __global__ void {name}(float* x) {{ x[threadIdx.x] = 5; }}'
    accel.RawKernel.from_source(source)(x, grid=1, block=SIZE)
    assert set(x.to_numpy()) == {5}


WORK = {
    "launches": _launches,
    "transfers": _transfers,
    "host copies": _host_copies,
    "allocations": _allocations,
    "the first launch of a kernel": _first_launch,
    "pinned memory": lambda x, stream: accel.memory.pinned(LARGE, device=x.device).release(),
    "an event": lambda x, stream: (stream.record().done(), stream.record().wait()),
    "a stream": lambda x, stream: stream.synchronize(),
    "trim": lambda x, stream: accel.memory.trim(x.device),
    "a new stream": lambda x, stream: accel.new_stream(x.device).close(),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_work_beside_a_capture_of_another_thread(cupy, device, work):
    with accel.full(SIZE, 1, "float32", device=device) as x, accel.new_stream(device) as stream:
        kernel("scale")(x, 1, over=SIZE)
        heap_of(device).synchronize()
        with captured_elsewhere(cupy, device):
            work(x, stream)
        stream.synchronize()


def test_work_on_a_stream_that_its_user_captures(cupy, device):
    x, y = (accel.full(SIZE, value, "float32", device=device) for value in (1, 0))
    stream, other, scale = accel.new_stream(device), accel.new_stream(device), kernel("scale")
    z = accel.zeros(SIZE, "float32", device=device)
    with stream:
        y.copy_from(x)
        scale(x, 1, over=SIZE)
        x.fill(2.5)
        x.fill(1)
    heap_of(device).synchronize()
    stream.native.begin_capture(cupy.cuda.runtime.streamCaptureModeGlobal)
    with stream:
        for _ in range(4):
            scale(x, 2, over=SIZE, stream=stream)
            y.copy_from(x)
            y.copy_from_async(x, stream=stream)
            transfers = [z.copy_from_async(z, stream=other) for _ in range(40)]  # which are looked for meanwhile
            scale(y, 3, over=SIZE)
            x[1:3].fill(0)
    graph = stream.native.end_capture()
    assert all(each.wait() is None for each in transfers)
    assert (set(x.to_numpy()), set(y.to_numpy())) == ({1}, {1})
    graph.launch(stream.native)
    stream.synchronize()
    expected = np.full(SIZE, 16)
    expected[1:3] = 0
    assert x.to_numpy().tolist() == expected.tolist()
    assert y.to_numpy().tolist() == (3 * expected).tolist()
    stream.close()
    other.close()
