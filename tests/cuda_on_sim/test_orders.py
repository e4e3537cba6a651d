"""Results that depend on the order of the threads, though nothing races: the check ``order``."""

import json
import re

import numpy as np
import pytest
from accel.backends.sim import SimBackend, orders

import accel
from accel import RawKernel, xp
from accel.errors import CapabilityError, KernelLaunchError, KernelOrderError, KernelRaceError
from accel.memory import heap_of
from accel.support.kernel_reports import observing
from accel.testing.backend_service import serving

SOURCE = """\
extern "C" __global__ void sum(const float* x, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, x[i]);
}
extern "C" __global__ void sum_by_cas(const double* x, unsigned long long* total) {
    unsigned long long old = *(volatile unsigned long long*)total, seen;
    do {
        seen = old;
        old = atomicCAS(total, seen, __double_as_longlong(x[threadIdx.x] + __longlong_as_double(seen)));
    } while (seen != old);
}
extern "C" __global__ void count(const int* x, int* total, float* largest) {
    atomicAdd(total, x[threadIdx.x]);
    atomicMax((int*)largest, __float_as_int(float(x[threadIdx.x])));
}
extern "C" __global__ void push(const float* x, float* out, int* count) {
    int at = atomicAdd(count, 1);
    out[at] = x[threadIdx.x];
}
extern "C" __global__ void last(int* out) {
    atomicExch(out + 1, threadIdx.x);
}
__device__ float kept;
extern "C" __global__ void keep(const float* x) { atomicAdd(&kept, x[threadIdx.x]); }
extern "C" __global__ void increase(int* x) { x[threadIdx.x] += 1; }
extern "C" __global__ void race(int* x) { x[0] = threadIdx.x; }
extern "C" __global__ void allocate(unsigned long long* x) {
    x[threadIdx.x] = (unsigned long long)new int;
}
"""
NUMBERS = np.random.default_rng(5).random(128) * 10.0 ** np.arange(128).clip(0, 6)


def line_of(text):
    return [text in line for line in SOURCE.splitlines()].index(True) + 1


def launch(name, *arguments, threads=128, checks="order", seed=3):
    with accel.using(kernel_checks=checks, sim_seed=seed):
        RawKernel.from_source(SOURCE, name)(*arguments, grid=1, block=threads).wait()


def reported(name, *arguments, **options):
    with pytest.raises(KernelOrderError) as caught:
        launch(name, *arguments, **options)
    [report] = caught.value.reports
    assert report.check == "order"
    assert json.loads(json.dumps(report.json()))["kind"] == report.kind
    return report


def array(values, dtype):
    return xp.asarray(np.asarray(values, dtype), device="sim")


@pytest.mark.parametrize("seed", range(3))
def test_a_sum_of_floats_by_atomics_has_its_line_and_its_spread(seed):
    x, total = array(NUMBERS, "f4"), array([0], "f4")
    report = reported("sum", x, total, 128, seed=seed)
    assert report.kind == "order-dependent sum"
    assert report.place.action == "updates atomically"
    assert report.place.frames[0].line == line_of("atomicAdd(total, x[i])")
    assert "total[0] is between " in report.message
    assert " ulps apart" in report.message
    low, high = map(float, re.search(r"between (\S+) and (\S+), ", report.message).groups())
    assert np.allclose([low, high], NUMBERS.sum(), rtol=1e-5)  # not those of several runs together
    assert low < high


def test_a_sum_by_compare_and_swap_is_found_too():
    report = reported("sum_by_cas", array(NUMBERS, "f8"), array([0], "u8"))
    assert report.place.frames[0].line == line_of("old = atomicCAS(")


def test_sums_of_integers_and_maxima_are_the_same_in_all_orders():
    total, largest = array([5], "i4"), array([0], "f4")
    launch("count", array(range(128), "i4"), total, largest)
    assert (int(total[0]), float(largest[0])) == (5 + 127 * 64, 127)


def test_places_that_threads_take_by_an_atomic_give_a_permutation():
    x, out, count = array(NUMBERS, "f4"), array([0] * 128, "f4"), array([0], "i4")
    report = reported("push", x, out, count)
    assert report.kind == "order-dependent positions"
    assert report.place.frames[0].line == line_of("out[at] =")
    assert report.other is not None
    assert report.other.frames[0].line == line_of("int at = atomicAdd")
    assert "128 elements differ, which are the same values at other positions, " in report.message


def test_the_last_writer_is_no_sum():
    report = reported("last", array([7, 7], "i4"))
    assert (report.kind, report.offset, report.size, report.count) == ("order-dependent result", 4, 8, 1)
    assert "out[1] is between " in report.message
    assert "ulps" not in report.message


def test_variables_of_the_module_are_compared_and_restored():
    report = reported("keep", array(NUMBERS, "f4"))
    assert "the __device__ variable kept" in report.memory


@pytest.mark.parametrize("checks", ["order", "memory,order", "all,order"])
def test_the_work_is_done_once(checks):
    x = array(range(128), "i4")
    launch("increase", x, checks=checks)
    assert x.tolist() == [*range(1, 129)]


def test_a_race_is_reported_as_one():
    with pytest.raises(KernelRaceError):
        launch("race", array([0], "i4"))


def test_observers_see_the_report():
    seen = []
    with observing(seen.extend):
        report = reported("sum", array(NUMBERS, "f4"), array([0], "f4"), 128)
    assert seen == [report]


def test_what_cannot_run_again_is_refused(monkeypatch, tmp_path):
    # What the kernel keeps lives as long as the backend.
    with serving("sim", SimBackend()), pytest.raises(KernelLaunchError, match="keeps memory that malloc or new gave"):
        launch("allocate", array([0] * 4, "u8"), threads=4)
    monkeypatch.setattr(orders, "available_memory", lambda: 1)
    with pytest.raises(KernelLaunchError, match="the check order keeps two copies"):
        launch("increase", array(range(128), "i4"))
    monkeypatch.undo()
    (tmp_path / "main.cu").write_text("int main() {}")
    with accel.using(kernel_checks="order"), pytest.raises(CapabilityError, match="a program has other memory too"):
        heap_of(accel.Device("sim")).backend.run_program([tmp_path / "main.cu"])
