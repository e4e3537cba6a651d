"""Loops, reductions, threads and checks in kernels of Python: their text for GPUs, on the processor."""

from math import fsum

import ml_dtypes
import numpy as np
import pytest
from accel.backends.cupy.device_code import device_source, launched
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.errors import CapabilityError
from accel.ir import Assign, Atomic, Binary, Compare, Frame, If, Loop, Number, Once, Reduction

from .example_programs import (
    COLLATZ,
    DEBUG,
    SAXPY,
    TRANSPOSED,
    atomic,
    checked_copies,
    copied,
    grid,
    reduced,
    shuffled,
    votes,
)
from .on_processor import ALL
from .pieces import POSITION, at, const, index, load, local, loop, program, store, view
from .programs import run_text

BF16 = np.dtype(ml_dtypes.bfloat16)
seeds = pytest.mark.parametrize("seed", range(3))
warps = pytest.mark.parametrize("warp", [32, 64])


def ids(dtype):
    return np.dtype(dtype).name


@settings(max_examples=20)
@given(st.integers(0, 3000), st.sampled_from([1, 2, -1, -3]), st.sampled_from([32, 64]))
def test_views_have_any_strides_and_sizes(size, step, bits):
    x, y = (np.arange(size * 3, dtype="f4") for _ in range(2))
    x, y = x[: size * abs(step) : abs(step)][:: np.sign(step)], y[:size]
    expected = 2 * x + y
    assert run_text(SAXPY, [x, y, 2], bits=bits) == (None, ())
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("bits", [32, 64])
def test_branches_and_loops_without_a_count(bits):
    counts = np.zeros(2000, "i8")
    run_text(COLLATZ, [counts], bits=bits)
    assert counts.tolist() == [collatz(n) for n in range(2000)]


def collatz(n):
    steps = 0
    if n % 5 == 0:
        return -1
    while n != 1 and steps < 21:
        n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
    return steps


@pytest.mark.parametrize("steps", [(1, 1), (2, 3), (-1, 1), (1, -2)])
def test_a_loop_over_several_axes_has_the_ranges_of_python(steps):
    target = np.zeros((40, 12), "i8")
    run_text(grid(steps), [target], bits=32)
    expected = np.zeros_like(target)
    for i in range(1, 40, steps[0]):
        for j in range(0, 9, steps[1]):
            weights, total, last = [k + i for k in range(5)], i * 100, -7
            for last in range(4, j, -2):
                total += weights[last]
            expected[i, j] = total * 1000 + last
    np.testing.assert_array_equal(target, expected)


INTEGERS = ["i1", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", BF16, "f4", "f8"]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, "c8", "c16"], ids=ids)
def test_reductions(dtype):
    dtype = np.dtype(dtype)
    operations = ["add"] if dtype.kind == "c" else ["add", "min", "max"]
    random = np.random.default_rng(0)
    reduce = reductions(dtype, operations)
    for size in (0, 1, 255, 5000):
        values = (random.normal(size=size) * 100).astype("i8" if dtype.kind in "iu" else dtype).astype(dtype)
        start = np.array([3]).astype(dtype)[0]
        failure, (total, *ends) = run_text(reduce, [values, start], seed=size)
        numbers = np.append(values, start)
        assert failure is None
        assert ends == ([] if dtype.kind == "c" else [numbers.min(), numbers.max()])
        if dtype.kind in "iu":
            assert total == numbers.astype("i8").sum().astype(dtype)
        else:
            exact = complex(fsum(numbers.real.astype("f8")), fsum(numbers.imag.astype("f8")))
            assert abs(complex(total) - exact) <= float(ml_dtypes.finfo(numbers.real.dtype).eps) * abs(exact)


def reductions(dtype, operations):
    """Return a program with several reductions of a view, all from one number on."""
    values, totals = view("values", dtype), [local(op, dtype) for op in operations]
    body = [Assign(total, Binary(total.name, load(values), total, dtype)) for total in totals]
    reduced = tuple([Reduction(total, total.name) for total in totals])
    begin = Once(tuple([Assign(total, local("start", dtype)) for total in totals]), Frame((), tuple(totals)))
    parameters = [values, Number("start", dtype)]
    step = loop(values, *body, reductions=reduced)
    return program("reduce", parameters, begin, step, frame=tuple(totals), results=tuple(totals))


def stored(begin, scale, **rest):
    """Return a program that reduces a view to two totals, which it stores, one of them scaled."""
    values, into, most, total = view("values", "i8"), view("into", "i8"), local("most", "i8"), local("total", "i8")
    totals, one = (total, most), const(1, "i8")
    body = Assign(total, index("add", total, load(values))), Assign(most, Binary("max", most, load(values), one.dtype))
    last = store(into, index("mul", scale, total), const(0)), store(into, most, const(1))
    return program(
        "stored",
        [values, into, Number("by", np.dtype("i8"))],
        Once((Assign(total, begin), Assign(most, const(-5, "i8"))), Frame((), totals)),
        loop(values, *body, reductions=(Reduction(total, "add"), Reduction(most, "max"))),
        Once(last, Frame(totals, ())),
        frame=totals,
        **rest,
    )


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 5000])
def test_totals_that_begin_with_constants_need_no_step_before_and_none_after(size, bits):
    x, by = np.random.default_rng(size).integers(-9, 9, size), np.int64(3)
    for begin, launches in ((const(7, "i8"), (1,)), (local("by", "i8"), range(3))):
        each, into = stored(begin, local("by", "i8")), np.zeros(2, "i8")
        assert launched(each) == launches
        assert run_text(each, [x, into, by], bits=bits) == (None, ())
        start = 7 if launches == (1,) else 3
        assert into.tolist() == [3 * (start + x.sum()), max([-5, *x.tolist()])]
    assert launched(stored(const(7, "i8"), const(1, "i8"), debug=True)) == range(3)


def test_a_sum_of_float64_is_more_accurate_than_by_pairs():
    values = np.tile([1e16, 1.0, -1e16, 1.0], 5000)
    assert run_text(reduced("f8"), [values, 0.0])[1][0] == 10_000


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("dtype", FLOATS, ids=ids)
def test_the_smallest_and_the_largest_number_are_nan_if_there_is_one(op, dtype):
    values = np.ones(1000, dtype)
    values[700] = np.nan
    assert np.isnan(run_text(reduced(dtype, op), [values, 1])[1][0])


def test_infinite_numbers_in_a_sum():
    for dtype in ("f4", "f8"):
        assert run_text(reduced(dtype), [np.array([1, np.inf, 2], dtype), 0])[1][0] == np.inf
        assert np.isnan(run_text(reduced(dtype), [np.array([-np.inf, np.inf], dtype), 0])[1][0])


def test_several_reductions_of_one_loop_and_bounds_from_a_step_before():
    values, least, total, n = view("values", "f4"), local("least", "f4"), local("total", "i8"), local("n")
    body = (
        If(Compare("lt", load(values), const(0, "f4")), (Assign(total, index("add", POSITION, total)),)),
        Assign(least, Binary("min", least, load(values), np.dtype("f4"))),
    )
    begin = Assign(n, const(900)), Assign(least, const(5, "f4")), Assign(total, const(7))
    reductions = Reduction(total, "add"), Reduction(least, "min")
    both = program(
        "both",
        [values],
        Once(begin, Frame((), (n, least, total))),
        Loop((POSITION,), (const(10),), (n,), (const(1),), body, reductions, Frame((n,))),
        frame=(n, least, total),
        results=(total, least),
    )
    x = np.random.default_rng(3).normal(size=1000).astype("f4")
    negative = np.flatnonzero(x[10:900] < 0) + 10
    assert run_text(both, [x]) == (None, (7 + negative.sum(), min(5, x[10:900].min())))


@seeds
def test_checks_keep_the_first_failure_and_count_all(seed):
    for shift in (0, 5, -3):
        x, out = np.arange(1000, dtype="f4"), np.zeros(1000, "f4")
        # Iterations of others read and store an element: a race, unless each has its own.
        failure, _ = run_text(DEBUG, [x, out, shift], seed=seed, checks="memory,init,sync" if shift else ALL)
        ahead = np.arange(1000) + shift
        inside = (ahead >= 0) & (ahead < 1000)
        expected = np.where(inside, ahead, 0) + 1.0
        expected[ahead[inside]] += 100
        # An element may be stored before or after the addition of another iteration.
        if shift == 0:
            np.testing.assert_array_equal(out, expected)
            assert failure is None
            continue
        assert failure.failures == 2 * abs(shift)
        assert failure.site in {0, 2}
        assert (failure.axis, failure.extent, failure.offset) == (0, 1000, 3 if failure.site == 0 else 0)
        assert failure.at == failure.iteration + shift
        assert not inside[failure.iteration]


@seeds
@warps
def test_threads_share_memory_and_wait_for_each_other(warp, seed):
    x = np.random.default_rng(0).normal(size=(21, 30)).astype("f4")
    turned = np.zeros((30, 21), "f4")
    run_text(TRANSPOSED, [x, turned], grid=(4, 3, 1), block=(8, 8, 1), seed=seed, warp=warp)
    np.testing.assert_array_equal(turned, x.T)


@warps
@pytest.mark.parametrize("kind", ["index", "up", "down", "xor"])
def test_shuffles(kind, warp):
    for lane in (0, 1, 5, 33, 100, -1):
        values = np.arange(320, dtype="f8")
        expected = values.copy()
        for block in expected.reshape(2, 160):
            for start in range(0, 160, warp):
                part = block[start : start + warp].copy()
                own = np.arange(len(part))
                there = {"index": own * 0 + lane, "up": own - lane, "down": own + lane, "xor": own ^ lane}[kind]
                block[start : start + warp] = part[np.where((there >= 0) & (there < len(part)), there, own)]
        run_text(shuffled(kind, "f8"), [values, lane], grid=(2, 1, 1), block=(160, 1, 1), warp=warp)
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "c8", "c16"])
def test_shuffles_of_every_size(dtype):
    values = np.arange(64).astype(dtype)
    expected = np.concatenate([part[np.arange(32) ^ 3] for part in values.reshape(2, 32)])
    run_text(shuffled("xor", dtype), [values, 3], grid=(1, 1, 1), block=(64, 1, 1))
    np.testing.assert_array_equal(values, expected)


@warps
def test_votes(warp):
    values, answers = np.random.default_rng(0).integers(-50, 130, 192), np.zeros((192, 4), "u8")
    values[:warp] = 200
    run_text(votes(), [values, answers], grid=(1, 1, 1), block=(192, 1, 1), warp=warp)
    yes = (values.reshape(-1, warp) > np.arange(warp)).repeat(warp, 0)
    bits = [sum(1 << int(lane) for lane in np.flatnonzero(row)) for row in yes]
    expected = np.array([yes.any(1), yes.all(1), bits, [warp] * 192], "u8").T
    np.testing.assert_array_equal(answers, expected)


@seeds
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
def test_asynchronous_copies(dtype, seed):
    source, target = np.arange(128).astype(dtype), np.zeros(128, dtype)
    run_text(copied(dtype), [source, target], grid=(2, 1, 1), block=(64, 1, 1), seed=seed)
    np.testing.assert_array_equal(target.reshape(2, 64), source.reshape(2, 64)[:, ::-1])


@pytest.mark.parametrize("dtype", ["f2", "c8"])
def test_asynchronous_copies_are_checked_at_both_ends(dtype):
    source, target = np.arange(1, 21).astype(dtype), np.full(20, 9, dtype)
    failure, _ = run_text(checked_copies(dtype), [source, target, 7], grid=(1, 1, 1), block=(20, 1, 1))
    # Four threads have no place in shared memory, twice; seven, with these, read past the end, which gives 0.
    assert failure.failures == 2 * 4 + 7
    np.testing.assert_array_equal(target, [*range(8, 21), *[0] * 7])


@pytest.mark.parametrize("dtype", ["u1", "i2", *INTEGERS, *FLOATS, "c8"], ids=ids)
def test_atomic_operations(dtype):
    dtype = np.dtype(dtype)
    names = ["add", "exchange", "compare"] if dtype.kind == "c" else ["add", "exchange", "compare", "min", "max"]
    views = [view(f"{what}{name}", dtype) for name in names for what in ("target", "old")]
    values, body = view("values", dtype), []
    for name, target, old in zip(names, views[::2], views[1::2], strict=True):
        was, expected = local(f"was{name}", dtype), const(0, dtype) if name == "compare" else None
        element = at(target, index("mod", POSITION, const(3)))
        body += [Atomic(name, target.name, element, load(values), was, expected), store(old, was)]
    numbers = np.random.default_rng(0).integers(0, 3, 500).astype(dtype)
    before = np.array([1, 0, 3, 9], dtype)
    arrays = [array for _ in names for array in (before.copy(), np.zeros(500, dtype))]
    run_text(program("atomic", [values, *views], loop(values, *body)), [numbers, *arrays], seed=5)
    for name, target, old in zip(names, arrays[::2], arrays[1::2], strict=True):
        assert target[3] == 9
        for place in range(3):
            check_atomic(name, before[place], numbers[place::3], target[place], old[place::3])


def check_atomic(name, before, numbers, after, replaced):
    if name == "add":
        total = numbers.sum(dtype="f4" if numbers.dtype == BF16 else None) + before
        assert after == total.astype(numbers.dtype)
    elif name == "exchange":
        assert sorted([*replaced, after], key=float_of) == sorted([*numbers, before], key=float_of)
    elif name == "compare":
        stored = numbers[replaced == 0]
        assert after == (before if before != 0 else next(filter(None, stored), before))
    else:
        assert after == (np.min if name == "min" else np.max)([before, *numbers])


def float_of(number):
    return complex(number).real


def test_what_a_gpu_cannot_do_is_refused():
    with pytest.raises(CapabilityError, match="atomic operation on target, whose elements have 16 bytes"):
        device_source(atomic("add", "c16"))
    with pytest.raises(CapabilityError, match="kernels on GPUs do not compute with float8_e5m2"):
        device_source(reduced(ml_dtypes.float8_e5m2))


def test_the_text_is_readable():
    text = device_source(SAXPY)
    assert "y_[mul(index_t(i_), y_stride0)] = (a_ * x_[mul(index_t(i_), x_stride0)]) + y_[" in text
    assert "atomic" not in text


def test_names_may_be_those_of_cpp_or_not_ascii():
    names = ["float", "threadIdx", "größe", "frame", "add"]
    views = [view(name, "i8") for name in names]
    double = program("double", views, loop(views[0], *[store(each, POSITION) for each in views]))
    arrays = [np.zeros(10, "i8") for _ in names]
    run_text(double, arrays)
    assert [array.tolist() for array in arrays] == [[*range(10)]] * len(names)
