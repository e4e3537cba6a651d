"""Graphs on the host and on the simulated device: `graph_laws`, and what fails in a launch."""

import numpy as np
import pytest

import accel
from accel.errors import CapabilityError, KernelBoundsError
from accel.memory import heap_of

from . import graph_laws


class TestGraphs(graph_laws.Graphs):
    pass


class TestRandomGraphs(graph_laws.RandomGraphs):
    pass


class _OnSim:
    @pytest.fixture
    def device(self):
        return accel.Device.SIM


class TestRawGraphs(_OnSim, graph_laws.RawGraphs):
    pass


class TestPinnedGraphs(_OnSim, graph_laws.PinnedGraphs):
    pass


@accel.kernel(debug=True)
def shifted(target, source):
    for i in range(target.size):
        target[i] = source[i + 1]


@accel.kernel
def total(values):
    result = accel.accumulator("int64")
    for i in range(values.size):
        result += values[i]
    return result


def test_a_failed_operation_fails_the_launch_and_what_reads_its_result(device):
    x, y, stream = accel.zeros(4, device=device), accel.zeros(4, device=device), accel.new_stream(device)
    with accel.capture(stream) as graph:
        x.fill(1)
        shifted.on(stream)(y, x)
    for _ in range(2):
        event = graph.launch()
        with pytest.raises(KernelBoundsError, match="got index 4"):
            event.wait()
        assert event.failed
        for each in (x, y):  # a launch is one piece of work: nothing that it writes is known to be right
            with pytest.raises(KernelBoundsError):
                each.to_numpy()
    for each in (x, y):
        each.fill(2)
        assert set(each.to_numpy()) == {2}


def test_a_kernel_that_returns_numbers_cannot_be_recorded(device):
    x, stream = accel.zeros(4, "int64", device=device), accel.new_stream(device)
    assert total(x) == 0
    with pytest.raises(CapabilityError, match="recorded in a graph"), accel.capture(stream):
        total(x)
    with pytest.raises(CapabilityError, match="recorded in a graph"), accel.capture(stream):
        total.on(stream)(x)
    assert total(x) == 0


def test_functions_of_arrays_are_refused_on_an_accelerator():
    x, stream = accel.xp.ones(4, device="sim"), accel.new_stream("sim")
    with pytest.raises(CapabilityError, match="cannot have a function of arrays"), accel.capture(stream):
        x + x


def test_a_default_stream_cannot_be_captured():
    block = accel.capture(heap_of(accel.Device.SIM).stream)
    with pytest.raises(CapabilityError, match=r"default stream of sim cannot be captured; write accel\.new_stream"):
        block.__enter__()


def test_memory_of_another_device_is_refused():
    x, y, stream = accel.zeros(4, device="sim"), accel.zeros(4, device="sim:1"), accel.new_stream("sim")
    with pytest.raises(CapabilityError, match="cannot use memory of sim:1"), accel.capture(stream):
        x.copy_from_async(y, stream=stream)
    with (
        pytest.raises(CapabilityError, match="cannot copy from or to pageable memory of the host"),
        accel.capture(stream),
    ):
        x.copy_from(accel.zeros(4))


def test_a_launch_on_a_timed_stream_is_timed(device):
    x, timed = accel.zeros(4, device=device), accel.new_stream(device, timed=True)
    with accel.capture(timed) as graph:
        x.fill(1)
        x.copy_from_async(x, stream=timed)
    for _ in range(2):
        event = graph.launch(stream=timed)
        event.wait()
        assert event.began is not None
        assert event.ended is not None
        assert event.began <= event.ended
    assert set(x.to_numpy()) == {1}


def test_a_function_of_the_user_on_a_stream_of_the_host_is_recorded():
    stream, calls = accel.new_stream("cpu"), []
    with accel.capture(stream) as graph:
        stream.submit(lambda: calls.append(len(calls)))
    assert not calls
    graph.launch()
    graph.launch().wait()
    assert calls == [0, 1]


def test_a_copy_of_a_numpy_array_reads_it_at_each_launch():
    array, x, stream = np.zeros(4), accel.zeros(4), accel.new_stream("cpu")
    with accel.capture(stream) as graph:
        x.copy_from(accel.from_numpy(array))
    array[:] = 5
    graph.launch()
    assert set(x.to_numpy()) == {5}


PROGRAM = """
import os, sys
import accel
@accel.kernel
def scale(values, factor):
    for i in range(values.size):
        values[i] = values[i] * factor
device = sys.argv[1]
x, stream = accel.full(4, 1, "int64", device=device), accel.new_stream(device)
with accel.capture(stream) as graph:
    scale(x, 3)
graph.launch().wait()
"""
IN_A_CHILD = """
if os.fork() == 0:
    try:
        graph.launch().wait()
        print(x.to_numpy().tolist())
    except RuntimeError as error:
        print(error)
    sys.stdout.flush()
    os._exit(0)
os.wait()
graph.launch()
print(x.to_numpy().tolist(), flush=True)
"""
FORK_IN_THE_BLOCK = """
with accel.capture(stream) as again:
    scale(x, 2)
    if os.fork() == 0:
        try:
            accel.zeros(3)
            print("the child works", flush=True)
        finally:
            os._exit(0)
    os.wait()
again.launch()
print(x.to_numpy().tolist(), flush=True)
"""
EXIT_IN_THE_BLOCK = """
again = accel.capture(stream)
again.__enter__()
scale(x, 2)
print("the end", flush=True)
"""


@pytest.fixture
def run(python, tmp_path, device):
    """Run a program in a process of its own, for a device; kernels are in files. Return the lines that it prints."""

    def run(program):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM + program)
        code = f"import runpy, sys; sys.argv = ['', {str(device)!r}]; runpy.run_path({str(file)!r})"
        return python(code).splitlines()

    return run


def test_a_child_of_a_fork(run, device):
    child = "a simulated device cannot be used across a fork; start processes with 'spawn'"
    assert run(IN_A_CHILD) == [str([9] * 4) if str(device) == "cpu" else child, str([9] * 4)]


def test_a_fork_in_a_capture(run):
    assert run(FORK_IN_THE_BLOCK) == ["the child works", str([6] * 4)]


def test_the_end_of_the_process_in_a_capture(run):
    assert run(EXIT_IN_THE_BLOCK) == ["the end"]
