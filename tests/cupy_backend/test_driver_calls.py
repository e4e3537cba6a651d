"""The number of driver calls for one launch, one copy, one fill; each call costs the host about a microsecond."""

import functools
from collections import Counter

import pytest

import accel
from accel import Device, LayoutTensor, RawKernel
from accel.kernels import kernel
from accel.layout import row_major
from accel.memory import heap_of

from .standin import cuda
from .standin.runtime import Runtime


def counting(counter, name, function):
    """Return a function that counts its calls under a name."""

    @functools.wraps(function)
    def counted(*arguments, **keywords):
        counter[name] += 1
        return function(*arguments, **keywords)

    return counted


@pytest.fixture
def calls(monkeypatch):
    """How often each driver function was called; request this fixture before the machine."""
    counter = Counter()
    for name, function in [*vars(Runtime).items()]:
        if callable(function) and not name.startswith("_"):
            monkeypatch.setattr(Runtime, name, counting(counter, name, function))
    driver = cuda._driver
    monkeypatch.setattr(
        cuda, "_driver", lambda machine: [counting(counter, each.__name__, each) for each in driver(machine)]
    )
    return counter


@pytest.fixture
def add():
    """A kernel with an argument of each kind."""
    return RawKernel.from_source(
        'extern "C" __global__ void add(const float* a, accel::View<float, 2> b, float c) { b(0, 0) += c * a[0]; }'
    )


@kernel
def add_to(a, b):
    for i in range(len(a)):
        a[i] += b[i]


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
    assert total_of(calls, lambda: add(a, b, 2, grid=1)) <= 2, calls
    assert (calls["launchKernel"], calls["eventRecord"]) == (1, 0)


@pytest.mark.parametrize("timed", [False, True])
def test_a_launch_on_a_stream_that_is_named_records_its_begin_and_its_end_if_it_is_timed(
    calls, gpu_machine, add, timed
):
    a, b, stream = matrix(), matrix(), accel.new_stream("gpu", timed=timed)
    for _ in range(20):  # events of finished reads are forgotten when there are sixteen
        add(a, b, 2, grid=1, stream=stream).wait()
    assert total_of(calls, lambda: add(a, b, 2, grid=1, stream=stream)) <= (12 if timed else 3), calls
    assert (calls["launchKernel"], calls["eventRecord"]) == (1, 2 * timed)
    assert calls["eventCreateWithFlags"] == 0, "events are used again"


@pytest.mark.parametrize("stream", [False, True], ids=["current", "named"])
def test_a_launch_of_a_kernel_in_python(calls, gpu_machine, stream):
    a, b = accel.zeros(64, "float32", device="gpu"), accel.zeros(64, "float32", device="gpu")
    launch = add_to.on(accel.new_stream("gpu")) if stream else add_to
    assert total_of(calls, lambda: launch(a, b)) <= 3, calls
    assert (calls["launchKernel"], calls["eventRecord"]) == (1, 0)


def test_work_in_flight_makes_the_next_no_dearer(calls, gpu_machine, add):
    """No event is queried for earlier work, whether it is of kernels, copies or allocations."""
    a, b, allocations, stream = matrix(), matrix(), [], accel.new_stream("gpu")
    add(a, b, 2, grid=1)
    a.copy_from(b)
    calls.clear()
    for _ in range(200):
        add(a, b, 2, grid=1)
        a.copy_from(b)
        allocations.append(accel.empty(64, "float32", device="gpu"))
    assert sum(calls.values()) <= 200 * 7, calls
    assert calls["eventQuery"] + calls["streamWaitEvent"] == 0, calls
    calls.clear()
    add(a, b, 2, grid=1, stream=stream)  # it may use all new memory, and waits once for all of it
    assert calls["streamWaitEvent"] <= 3, calls


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
