"""Results of kernels in Python that depend on the order of iterations or threads: the check ``order`` on ``sim``."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from accel.backends.sim.kernels import sim_kernel
from accel.backends.sim.kernels.memories import Cells
from accel.backends.sim.kernels.orders import run_in_orders
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel import BufferView, LayoutTensor
from accel.dtypes import c64, f32, f64, i32
from accel.errors import KernelBoundsError, KernelOrderError, RaceError
from accel.kernels import (
    accumulator,
    atomic_add,
    atomic_exchange,
    atomic_max,
    atomic_min,
    barrier,
    block_index,
    block_size,
    grid,
    kernel,
    stack_allocation,
    thread_index,
)
from accel.layout import row_major
from accel.support.kernel_reports import observing
from accel.views import AddressSpace

NUMBERS = np.random.default_rng(5).random(128) * 10.0 ** np.arange(128).clip(0, 6)
HERE = Path(__file__)


@kernel
def add_all(x: BufferView[f32], total: BufferView[f32]):
    for i in range(x.size):
        atomic_add(total, 1, x[i])  # in float32


@kernel
def add_columns(x: LayoutTensor[f64, 2], totals: LayoutTensor[f64, 2]):
    for i, j in grid(x.shape):
        atomic_add(totals, (1, j), x[i, j])


@kernel
def add_threads(x: BufferView[f32], total: BufferView[f32]):
    i = block_index.x * block_size.x + thread_index.x
    if i < x.size:
        atomic_add(total, 0, x[i])  # by threads


@kernel
def add_blocks(x: BufferView[f32], total: BufferView[f32]):
    shared = stack_allocation(f32, 32, space=AddressSpace.SHARED)
    t = thread_index.x
    shared[t] = x[t]
    barrier()
    half = 16
    while half > 0:
        if t < half:
            shared[t] += shared[t + half]
        barrier()
        half //= 2
    if t == 0:
        total[0] = shared[0]


@kernel
def count(x: BufferView[i32], total: BufferView[i32], large: BufferView[f32]):
    for i in range(x.size):
        atomic_add(total, 0, x[i])
        atomic_max(large, 0, f32(x[i]))
        atomic_min(large, 1, f32(x[i]))


@kernel
def push(x: BufferView[f32], out: BufferView[f32], taken: BufferView[i32]):
    for i in range(x.size):
        at = atomic_add(taken, 0, 1)
        out[at] = x[i]  # at its place


@kernel
def last(out: BufferView[i32]):
    for i in range(100):
        atomic_exchange(out, 1, i)


@kernel
def scale(x: BufferView[f32]):
    for i in range(x.size):
        x[i] = x[i] * 3 + 0.1


@kernel
def sum_of(x: BufferView[f32]):
    s = accumulator(f32, 0)
    for i in range(x.size):
        s += x[i]
    return s


@kernel
def product_of(x: BufferView[f32]):
    p = accumulator(f32, 1)
    for i in range(x.size):
        p *= x[i]
    return p


@kernel
def largest_of(x: BufferView[f32]):
    m = accumulator(f32, -1)
    for i in range(x.size):
        m = max(m, x[i])
    return m


@kernel
def race(x: BufferView[f32]):
    for i in range(10):
        x[0] = f32(i)


@kernel
def outside(x: BufferView[f32]):
    for i in range(x.size):
        x[i + 1] = 1


def array(values, dtype, device="sim"):
    return accel.from_numpy(np.asarray(values, dtype)).to(device)


def launch(function, *arguments, seed=3, checks="order"):
    with accel.debug(kernels=checks), accel.using(sim_seed=seed):
        result = function(*[each[:] for each in arguments])
        return result.wait() if hasattr(result, "wait") else result


def reported(function, *arguments, **options):
    seen = []
    with observing(seen.extend), pytest.raises(KernelOrderError) as caught:
        launch(function, *arguments, **options)
    [report] = caught.value.reports
    assert seen == [report]
    assert report.check == "order"
    assert json.loads(json.dumps(report.json()))["kind"] == report.kind
    assert report.svg().startswith("<svg")
    return report


def line_of(text):
    return [text in line for line in HERE.read_text("utf-8").splitlines()].index(True) + 1


@pytest.mark.parametrize("seed", range(3))
def test_a_sum_of_floats_by_atomics_has_its_line_and_its_spread(seed):
    total = array([7, 0], "f4")
    report = reported(add_all, array(NUMBERS, "f4"), total, seed=seed)
    assert (report.kind, report.offset, report.size, report.count) == ("order-dependent sum", 4, 8, 1)
    assert report.place.action == "updates atomically"
    [frame] = report.place.frames
    assert (Path(frame.file).name, frame.line) == (HERE.name, line_of("# in float32"))
    assert f"updates it atomically at add_all ({HERE.name}:{frame.line})" in report.message
    low, high, ulps = re.search(r"total\[1\] is between (\S+) and (\S+), (\d+) ulps apart", report.message).groups()
    assert np.allclose([float(low), float(high)], NUMBERS.sum(), rtol=1e-5)
    assert np.float32(low).view("u4") + int(ulps) == np.float32(high).view("u4")


def test_the_first_result_is_kept_and_each_run_begins_from_the_same_memory():
    cells, begun = Cells("x", np.zeros(3, "f4")), []

    def again(order, writers):
        begun.append(cells.values.tolist())
        cells.values[:] = [1, len(begun), 0]
        return None, ()

    program = SimpleNamespace(name="k", explicit=False, results=(), sites=())
    with pytest.raises(KernelOrderError, match="1 element differs in 4 orders") as caught:
        run_in_orders(program, [cells], again, (1, 1, 1), (1, 1, 1))
    assert cells.values.tolist() == [1, 1, 0]
    assert begun == [[0, 0, 0]] * 5
    assert caught.value.reports[0].place.frames == ()  # no access of the last run was seen there


def test_an_element_of_a_tensor_has_its_number_in_memory():
    x, totals = array(np.outer(NUMBERS, [0, 1, 0]), "f8"), array(np.zeros((2, 3)), "f8")
    with accel.debug(kernels="order"), accel.using(sim_seed=1), pytest.raises(KernelOrderError) as caught:
        add_columns(LayoutTensor(x, row_major(128, 3)), LayoutTensor(totals, row_major(2, 3))).wait()
    [report] = caught.value.reports
    assert "the parameter totals: totals[4] is between" in report.message
    assert (report.offset, report.count) == (32, 1)


def test_threads_of_a_grid_are_named():
    report = reported(add_threads.on(grid=4, block=32), array(NUMBERS, "f4"), array([0], "f4"))
    assert (report.kind, report.grid, report.block) == ("order-dependent sum", (4, 1, 1), (32, 1, 1))
    assert report.place.frames[0].line == line_of("# by threads")
    assert re.search(r"thread \d+ of block \d+ updates it atomically", report.message)


def test_places_that_iterations_take_give_a_permutation():
    report = reported(push, array(NUMBERS, "f4"), array([0] * 128, "f4"), array([0], "i4"))
    assert report.kind == "order-dependent positions"
    assert report.place.frames[0].line == line_of("# at its place")
    assert report.other.frames[0].line == line_of("at = atomic_add(taken")


def test_the_last_writer_is_no_sum():
    report = reported(last, array([7, 7], "i4"))
    assert (report.kind, report.offset, report.count) == ("order-dependent result", 4, 1)
    assert "out[1] is between " in report.message
    assert "ulps" not in report.message


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20))
def test_integers_and_extremes_are_silent(values):
    total, large = array([5], "i4"), array([-np.inf, np.inf], "f4")
    launch(count, array(values, "i4"), total, large)
    assert total.to_numpy()[0] == np.add.reduce(np.array([5, *values], "i4"), dtype="i4")
    assert large.to_numpy().tolist() == [np.float32(max(values)), np.float32(min(values))]


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=20), st.integers(1, 20))
def test_sums_that_are_exact_are_silent_and_others_are_not(values, small):
    whole = np.array(values, "f4")
    total = array([0, 0], "f4")
    launch(add_all, array(whole, "f4"), total)
    assert total.to_numpy()[1] == whole.sum()
    with pytest.raises(KernelOrderError, match="1 element differs"):
        launch(add_all, array([1, *[2.0**-24] * 2 * small], "f4"), array([0, 0], "f4"))


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_elementwise_kernels_and_reductions_are_silent_and_run_once(device):
    if device == "cpu":
        pytest.importorskip("llvmlite")
    x = array(NUMBERS, "f4", device)
    expected = x.to_numpy() * np.float32(3) + np.float32(0.1)
    launch(scale, x)
    assert np.allclose(x.to_numpy(), expected, rtol=1e-6)
    assert np.isclose(launch(sum_of, x), expected.sum(), rtol=1e-5)
    assert launch(largest_of, x) == x.to_numpy().max()


def test_a_tree_in_shared_memory_is_silent():
    total = array([0], "f4")
    launch(add_blocks.on(grid=1, block=32), array(NUMBERS[:32], "f4"), total)
    assert np.isclose(total.to_numpy()[0], NUMBERS[:32].sum(), rtol=1e-5)


def test_a_product_that_is_returned_has_a_report():
    report = reported(product_of, array(1 + np.sin(NUMBERS) / 8, "f4"))
    assert report.kind == "order-dependent result"
    assert "in what it returns: " in report.message


def test_the_cpu_runs_as_without_the_check():
    pytest.importorskip("llvmlite")
    total = array([0, 0], "f4", "cpu")
    launch(add_all, array(NUMBERS, "f4", "cpu"), total)
    assert np.isclose(total.to_numpy()[1], NUMBERS.sum(), rtol=1e-5)


def test_loops_that_host_code_would_run_are_interpreted(monkeypatch):
    monkeypatch.setattr(sim_kernel, "_BUDGETS", {True: 100, False: 100})
    assert reported(add_all, array(NUMBERS, "f4"), array([0, 0], "f4")).kind == "order-dependent sum"


def test_without_debug_mode_lines_are_not_known():
    x, total = array(NUMBERS, "f4"), array([0, 0], "f4")
    with accel.using(kernel_checks="order"), pytest.raises(KernelOrderError, match="a line of add_all that only debug"):
        add_all(x[:], total[:]).wait()


def test_what_is_worse_comes_first():
    with pytest.raises(RaceError):
        launch(race, array([0], "f4"))
    with accel.using(kernel_checks="order"), pytest.raises(RaceError):
        race(array([0], "f4")[:]).wait()
    with pytest.raises(KernelBoundsError):
        launch(outside, array([0, 0], "f4"))


@kernel
def add_complex(x: BufferView[c64], total: BufferView[c64]):
    for i in range(x.size):
        total[i] = x[i] * x[i]


def test_complex_numbers_are_compared():
    total = array([0] * 8, "c8")
    launch(add_complex, array(NUMBERS[:8] * 1j, "c8"), total)
    assert np.allclose(total.to_numpy(), -(NUMBERS[:8] ** 2), rtol=1e-5)
