"""Graphs on the stand-in for CuPy, for CUDA and ROCm."""

import threading

import pytest
from accel.backends.cupy.driver import Driver

import accel
from accel import Device
from accel.errors import CapabilityError
from accel.memory import heap_of

from ..memory import graph_laws
from ..threads import run_at_once


@pytest.fixture
def device(gpu_machine):
    return Device("gpu")


class TestGraphs(graph_laws.Graphs):
    pass


class TestRandomGraphs(graph_laws.RandomGraphs):
    examples = 10


class TestRawGraphs(graph_laws.RawGraphs):
    pass


class TestPinnedGraphs(graph_laws.PinnedGraphs):
    pass


def test_a_stream_that_waits_for_work_of_the_host_is_not_captured(device):
    stream, host, busy = accel.new_stream(device), accel.new_stream("cpu"), threading.Event()
    stream.wait_for(host.submit(busy.wait))
    with pytest.raises(CapabilityError, match=r"waits for work of the host; before the capture, write synchronize\(\)"):
        accel.capture(stream).__enter__()
    busy.set()
    stream.synchronize()
    with accel.capture(stream) as graph:
        pass
    graph.launch().wait()
    stream.close()
    host.close()


def test_memory_that_others_free_meanwhile_is_reused_after_the_capture(device):
    stream, other = accel.new_stream(device), accel.new_stream(device)
    with stream:
        x = accel.full(1000, 1, "int64", device=device)
    y = accel.zeros(1000, "int64", device=device)
    y.copy_from_async(x, stream=other)
    with accel.capture(stream) as graph:
        run_at_once([x.release])
        y.fill(3)
    with stream:
        accel.full(1000, 7, "int64", device=device).release()
    assert set(y.to_numpy()) == {1}
    graph.launch()
    assert set(y.to_numpy()) == {3}
    y.release()
    graph.release()
    stream.close()
    other.close()


def test_a_capture_that_begins_while_another_thread_asks_whether_the_stream_is_idle_is_valid(device, monkeypatch):
    stream, x, begun = accel.new_stream(device), accel.zeros(4, "int64", device=device), threading.Event()
    heap = heap_of(device)
    graphs, threads = [], []

    def capture():
        with accel.capture(stream) as graph:
            begun.set()
            x.fill(3)
        graphs.append(graph)

    def finished(driver, native):
        if not threads:
            threads.append(threading.Thread(target=capture))
            threads[0].start()
            begun.wait(0.2)
        return before(driver, native)

    before = Driver.finished
    with heap.gate.lock:
        opened = heap.opened(stream)
    monkeypatch.setattr(Driver, "finished", finished)
    assert opened.may_be_done
    threads[0].join()
    with x, graphs.pop() as graph:
        graph.launch().wait()
        assert x.to_numpy().tolist() == [3] * 4
    stream.close()
