"""Launches on the host by the code that is written for the types of a call."""

import json
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import accel
from accel import BufferView
from accel.dtypes import f32, i64, u64
from accel.errors import KernelBoundsError
from accel.kernels import kernel
from accel.kernels.launch_code import MISSED
from accel.memory.submission import Submission

from ..threads import run_at_once

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "kernels.py"


def _add(v: BufferView[f32], term: f32):
    for i in range(v.size):
        v[i] = v[i] + term


def _past_the_end(v: BufferView[f32], by: i64):
    for i in range(v.size):
        v[i + by] = 1


def _twice(v: BufferView[f32]):
    for i in range(v.size):
        v[i] = v[i] + 1
    for i in range(v.size):
        v[i] = v[i] * 2


def _integers(v: BufferView[i64], a: i64, b: u64):
    v[0] = a
    v[1] = i64(b >> u64(1))


def warm(made, *arguments):
    """Call a kernel once; return its fast launch for such arguments."""
    made(*arguments)
    return made._launchers[0]


@pytest.fixture
def recorded(monkeypatch):
    """The submissions that launches make: one for each that records its work."""
    result = []

    def count(launcher):
        def submission():
            result.append(launcher)
            return Submission()

        monkeypatch.setitem(launcher.__globals__, "Submission", submission)
        return result

    return count


def test_a_brief_launch_records_nothing(recorded):
    c, add = accel.zeros(8, "float32"), kernel(_add)
    launcher = warm(add, c[:], 1.0)
    result = recorded(launcher)
    assert launcher((c[:], 2.0)) is not MISSED
    assert c.to_numpy().tolist() == [3.0] * 8
    assert result == []


@pytest.mark.parametrize(("function", "size", "total"), [(_add, 5_000_000, 3.0), (_twice, 8, 14.0)])
def test_a_launch_that_may_be_long_is_recorded(recorded, function, size, total):
    c, result = accel.zeros(size, "float32"), kernel(function)
    arguments = (c[:], 1.0) if function is _add else (c[:],)
    launcher = warm(result, *arguments)
    submissions = recorded(launcher)
    launcher(arguments)
    launcher(arguments)
    assert len(submissions) == 2
    assert (c.to_numpy() == total).all()


def test_a_launch_waits_for_work_in_flight_on_its_memory():
    c, add = accel.zeros(8, "float32"), kernel(_add)
    warm(add, c[:], 1.0)
    stream, held = accel.new_stream("cpu"), threading.Event()
    stream.submit(held.wait)
    c.copy_from_async(accel.container(np.full(8, 5, "float32")), stream=stream)
    timer = threading.Timer(0.02, held.set)
    timer.start()
    add(c[:], 2.0)
    timer.join()
    assert c.to_numpy().tolist() == [7.0] * 8


def test_memory_that_was_released_is_refused_by_a_warm_launch_too():
    c, add = accel.zeros(8, "float32"), kernel(_add)
    view = c[:]
    launcher = warm(add, view, 1.0)
    c.release()
    assert launcher((view, 1.0)) is MISSED


def test_integers_of_64_bits_arrive_in_full():
    c, result = accel.zeros(2, "int64"), kernel(_integers)
    for _ in range(2):
        result(c[:], -(2**63), 2**64 - 1)
        assert c.to_numpy().tolist() == [-(2**63), 2**63 - 1]


@pytest.mark.parametrize("number", [np.float32(2), np.float64(2), np.int8(2), 2])
def test_a_number_of_another_type_is_launched_fast_too(number):
    c, add = accel.zeros(2, "float32"), kernel(_add)
    launcher = warm(add, c[:], 1.0)
    assert launcher((c[:], number)) is not MISSED
    assert c.to_numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("number", [np.float64(1e300), np.bool_(True), np.complex64(1), 2**60])
def test_a_number_that_may_not_fit_is_taken_by_the_general_way(number):
    launcher = warm(kernel(_add), accel.zeros(2, "float32")[:], 1.0)
    assert launcher((accel.zeros(2, "float32")[:], number)) is MISSED


def test_each_launch_explains_a_failed_check_in_the_same_words():
    c, result = accel.zeros(24, "float32"), kernel(debug=True)(_past_the_end)
    texts = []
    for _ in range(3):
        with pytest.raises(KernelBoundsError) as caught:
            result(c[8:16], 3)
        texts.append(str(caught.value))
    assert len(result._launchers) == 1
    assert "dtype float32, in memory of 24 elements" in texts[0]
    assert texts[0].splitlines()[-1] == texts[2].splitlines()[-1]
    assert texts[0].count("Out Of Range") == texts[2].count("Out Of Range") == 1
    assert c.to_numpy()[16:].tolist() == [0.0] * 8


def test_the_setting_of_debug_mode_decides_at_each_launch():
    c, result = accel.zeros(24, "float32"), kernel(_past_the_end)
    for _ in range(2):
        result(c[:16], 2)
        with accel.debug(), pytest.raises(KernelBoundsError):
            result(c[:16], 2)


def test_threads_launch_at_once_on_memory_of_their_own():
    add, together = kernel(_add), threading.Barrier(4)
    views = [accel.zeros(size, "float32")[:] for size in (16, 16, 200_000, 2_000_000)]

    def launch(view):
        together.wait()
        for _ in range(50):
            add(view, 1.0)

    run_at_once([partial(launch, view) for view in views])
    assert all((view.to_numpy() == 50).all() for view in views)


def test_threads_that_launch_on_the_same_memory_lose_no_launch():
    add, c = kernel(_add), accel.zeros(1_000_000, "float32")
    view = c[:]
    add(view, 0.0)
    run_at_once([lambda: [add(view, 1.0) for _ in range(50)]] * 3)
    assert (c.to_numpy() == 150).all()


@pytest.mark.slow
def test_the_benchmark_measures_every_goal():
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--quick", "launch", "sum", "debug", "first", "streams", "threads"],
        check=True,
        capture_output=True,
        text=True,
        timeout=200,
    )
    results = json.loads(done.stdout[done.stdout.index("{") :])["results"]
    goals = {name: {*part["goals"]} for name, part in results.items() if "goals" in part}
    assert goals == {
        "launch": {"launch", "a fresh slice more"},
        "sum": {"error", "times np.sum"},
        "debug": {"scale", "saxpy", "total", "stencil"},
        "first": {"cold, with imports", "warm, with imports"},
    }
    assert results["sum"]["goals"]["error"].startswith("met")
