"""The number of driver calls for one launch, one copy, one fill; each call costs the host about a microsecond."""

from collections import Counter

import pytest
from accel.backends.cupy.modules import Modules

import accel
from accel import Device, LayoutTensor, RawKernel
from accel.layout import row_major
from accel.memory import heap_of

from .standin.runtime import Runtime


def counting(counter, name, function):
    """Return a function that counts its calls under a name."""

    def counted(*arguments, **keywords):
        counter[name] += 1
        return function(*arguments, **keywords)

    return counted


@pytest.fixture
def calls(monkeypatch):
    """How often each driver function was called; request this fixture before the machine."""
    counter = Counter()
    for name in [name for name in vars(Runtime) if not name.startswith("_") and name != "module"]:
        monkeypatch.setattr(Runtime, name, counting(counter, name, getattr(Runtime, name)))
    compiled = Modules._compiled
    monkeypatch.setattr(Modules, "_compiled", lambda *given: counting(counter, "launchKernel", compiled(*given)))
    return counter


@pytest.fixture
def add():
    """A kernel with an argument of each kind."""
    return RawKernel.from_source(
        'extern "C" __global__ void add(const float* a, accel::View<float, 2> b, float c) { b(0, 0) += c * a[0]; }'
    )


def matrix():
    return LayoutTensor(accel.zeros(64, "float32", device="gpu"), row_major(8, 8))


def total_of(calls, work):
    """Return how many calls some work needs when it is repeated."""
    work()
    heap_of(Device("gpu")).synchronize()
    calls.clear()
    work()
    return sum(calls.values())


def test_a_launch_on_the_default_stream(calls, gpu_machine, add):
    a, b = matrix(), matrix()
    assert total_of(calls, lambda: add(a, b, 2, grid=1)) <= 7, calls
    assert calls["launchKernel"] == calls["eventRecord"] == 1


def test_a_launch_on_a_stream_that_is_named_is_timed_too(calls, gpu_machine, add):
    a, b, stream = matrix(), matrix(), accel.new_stream("gpu")
    assert total_of(calls, lambda: add(a, b, 2, grid=1, stream=stream)) <= 13, calls
    assert (calls["launchKernel"], calls["eventRecord"]) == (1, 2)


def test_launches_in_flight_make_the_next_one_no_dearer(calls, gpu_machine, add):
    """A kernel does not query the events of all earlier kernels that read the same memory."""
    a, b = matrix(), matrix()
    calls.clear()
    for _ in range(200):
        add(a, b, 2, grid=1)
    assert sum(calls.values()) <= 200 * 9, calls


@pytest.mark.parametrize(
    ("turned", "does"), [(False, "memcpyAsync"), (True, "launchKernel")], ids=["flat", "transposed"]
)
def test_a_small_copy(calls, gpu_machine, turned, does):
    a, b = matrix(), matrix()
    source = b.transpose() if turned else b
    assert total_of(calls, lambda: a.copy_from(source)) <= 3, calls
    assert (calls[does], calls["eventRecord"]) == (1, 0)


def test_a_fill(calls, gpu_machine):
    a = matrix()
    assert total_of(calls, lambda: a.fill(3)) <= 3, calls
    assert (calls["launchKernel"], calls["eventRecord"]) == (1, 0)
