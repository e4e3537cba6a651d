"""Kernels mean what their functions mean in Python, on NumPy's scalars."""

import math
import operator
from enum import Enum, IntEnum
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import Layout
from accel.dtypes import f16, f32, f64, i8, i32, i64, u8, u64
from accel.kernels import accumulator, block_index, block_size, grid, stack_allocation, thread_index, unroll, vector
from accel.kernels.functions import func

from .execution import agree, module_of, run

BIG = 1 << 40
FACTOR = np.float32(1.5)
SHAPE = (2, 3)
Config = SimpleNamespace(N=3)


class Mode(Enum):
    ADD = "add"
    MULTIPLY = "multiply"


class Level(IntEnum):
    LOW = 2
    HIGH = 5


class Point(NamedTuple):
    x: float
    y: float = 2.0


ORIGIN = Point(0.5, 1.5)


@pytest.fixture
def numbers():
    return np.arange(1, 13, dtype=np.float32) / 3


@pytest.fixture
def integers():
    return np.array([0, 1, -1, 7, -8, 100, -128, 127, 3, 2, 5, 6], np.int64)


def test_loops_conditions_and_locals(numbers, integers):
    def kernel(v, w, out):
        for i in range(v.size):
            total, count = v[i], 0
            for j in range(i, 0, -2):
                if w[j] % 3 == 0:
                    continue
                if count > 2:
                    break
                total += v[j] * 0.5
                count += 1
            while total > 3:
                total = total / 2
            out[i] = total if i % 2 else -total + count

    agree(kernel, numbers, integers, np.zeros(12))


@func
def first_above(v, limit, start=0):
    for i in range(start, len(v)):
        if v[i] > limit:
            return i
    return -1


@func
def classified(x):
    if x > 0:
        if x > 100:
            return 3
        if x > 10:
            return 2
    elif x == 0:
        return 0
    y = x * 2
    return -1 if y < -8 else 1


@func
def nested(v, n):
    for i in range(n):
        for j in range(n):
            if v[i] + v[j] == 9:
                return i * 100 + j
            if v[i] > 50:
                out = -j
                if v[j] < 0:
                    return out
        if i == 4:
            break
    else_ = 7
    while True:
        else_ += 1
        if else_ > 10:
            return else_


def test_functions_return_early_from_branches_and_loops(integers):
    def kernel(v, out):
        for i in range(v.size):
            out[i] = first_above(v, v[i]) + 1000 * first_above(v, limit=v[i] - 1, start=2)
            out[i] += 10 * classified(v[i])
            out[i] -= nested(v, i + 1)

    agree(kernel, integers, np.zeros(12, np.int64))


@func
def bumped(v, i):
    v[i] += 1
    return v[i]


def test_effects_happen_in_the_order_of_python(integers):
    def kernel(v, out):
        out[0] = v[0] + bumped(v, 0) * v[0]
        v[bumped(v, 1)] = v[1]
        v[2] += bumped(v, 2)
        out[1] = v[3] > 100 and bumped(v, 3) > 0
        out[2] = v[3] > 0 or bumped(v, 3) > 0
        out[3] = bumped(v, 4) if v[4] > 0 else bumped(v, 5)
        out[4] = 0 < v[8] < bumped(v, 8) < bumped(v, 9) < bumped(v, 10)
        out[5], v[6], v[7] = v[6], bumped(v, 7), v[7]
        out[6] = not bumped(v, 10)

    agree(kernel, integers, np.zeros(12, np.int64))


def test_and_and_or_give_an_operand(integers, numbers):
    def kernel(v, w, out):
        for i in range(v.size):
            n = v[i] or 7
            m = v[i] and w[i]
            out[i] = n + m

    agree(kernel, integers, numbers, np.zeros(12))


def test_a_chain_evaluates_no_operand_after_one_that_fails(integers):
    def kernel(v, out):
        for i in range(v.size):
            out[i] = 0 <= v[i] < 12 and 0 <= v[v[i]] < v[i]

    agree(kernel, integers, np.zeros(12, np.bool_))


def test_tuples_named_tuples_and_swaps(numbers):
    def kernel(v, p):
        a, b = v[0], v[1]
        a, b = b, a + b
        pair = (a, (b, v[2]))
        q = Point(pair[1][0], y=pair[0])
        r = Point(1.0)
        for i in range(v.size):
            c, d = i * 1.5, 2
            for _ in range(3):
                c, d = d + c, c
            v[i] = q.x + q.y * c + r.x * p.y - ORIGIN.y + d + p.x

    agree(kernel, numbers, Point(3.0, 0.25))


def test_values_cross_from_one_step_to_another(numbers):
    def kernel(v, n):
        scale = n * 2.5
        first = v[0]
        for i in range(v.size):
            v[i] += first * scale
        last = v[n] + first
        m = n - 1
        for i in range(m):
            v[i] = last - scale
        return last, m, 5

    agree(kernel, numbers, 4)


def test_constants_from_globals_classes_enums_and_namespaces(numbers):
    def kernel(v, mode):
        for i in range(Config.N):
            v[i] = v[i] * FACTOR + math.pi * SHAPE[1] + Level.HIGH
            if mode is Mode.ADD:
                v[i] += Level.LOW.value
            if mode == "add" and SHAPE[0] == 2:
                v[i] += np.float32(0.25) + max(3, len(SHAPE))

    agree(kernel, numbers, "add")
    agree(kernel, numbers, "other")


def test_loops_over_tuples_are_repeated(numbers):
    def kernel(v):
        for _ in (0, 1, 2):
            for k in (1, 2, 4):
                v[0] += k * v[k]
            for a, b in ((v[0], 1), (v[1], 2)):
                v[b] += a
            t = (v[2], v[3])
            for x in t:
                v[4] -= x
                v[3] = 0.5

    agree(kernel, numbers)


def test_python_numbers_take_the_type_of_the_other_operand():
    def kernel(a, b, c, d, n, x):
        for i in range(a.size):
            a[i] = a[i] * 2 + 1.5 + i
            b[i] = b[i] * 3 + n
            c[i] = c[i] / 2 + d[i] * x
            d[i] = d[i] ** 2 // 3 % 5

    agree(
        kernel,
        np.arange(4, dtype=np.float16),
        np.arange(4, dtype=np.uint8),
        np.arange(4, dtype=np.float64),
        np.arange(4, dtype=np.int32),
        7,
        0.3,
    )


def test_comparisons_of_integers_are_exact():
    def kernel(a, b, out, n):
        for i in range(a.size):
            out[i] = 0
            if a[i] == n:
                out[i] += 1
            if b[i] > n:
                out[i] += 2
            if a[i] < 300:
                out[i] += 4
            if b[i] != -1:
                out[i] += 8
            if a[i] == i + 256:
                out[i] += 16
            if b[i] > out[i]:
                out[i] += 32

    a = np.array([44, 0, 255], np.uint8)
    b = np.array([1 << 63, 0, (1 << 64) - 1], np.uint64)
    for n in (300, 44, -1):
        agree(kernel, a, b, np.zeros(3, np.int64), n)


@pytest.mark.parametrize("dtype", [f16, f32, f64, i8, i32, i64, u8, u64])
@pytest.mark.parametrize("other", [f16, f32, f64, i8, i32, i64, u8, u64])
def test_arithmetic_has_the_types_of_numpy(dtype, other):
    def kernel(v, w):
        x, y = v[0], w[0]
        return x + y, x - y, x * y, x // y, x % y, -x, abs(y), x + 1, y * 2.5, x < y, min(x, y)

    x, y = np.array([7], dtype), np.array([3], other)
    _, results = run(kernel, x, y)
    a, b = x[0], y[0]
    with np.errstate(all="ignore"):
        wanted = a + b, a - b, a * b, a // b, a % b, -a, abs(b), a + 1, b * 2.5, a < b, np.minimum(a, b)
    assert [(x, x.dtype) for x in results] == [(np.asarray(x)[()], np.asarray(x).dtype) for x in wanted]


UNARY = (
    "cos sin tan exp exp2 expm1 log log10 log1p log2 sqrt cbrt cosh sinh tanh arctan arcsinh floor ceil trunc rint "
    "square sign isnan isfinite isinf signbit absolute fabs real imag conjugate"
)


@pytest.mark.parametrize("name", UNARY.split())
@pytest.mark.parametrize("dtype", [f32, f64, f16])
def test_functions_of_numpy_are_those_of_numpy(name, dtype, tmp_path):
    text = f"import numpy\ndef kernel(v, n):\n    return numpy.{name}(v[0]), numpy.{name}(v[n])\n"
    agree(module_of(text, tmp_path).kernel, np.array([0.75, 2.5], dtype), 1)


@pytest.mark.parametrize("name", ["sin", "sqrt", "floor", "ceil", "trunc", "log2", "isnan", "fabs", "erf"])
def test_functions_of_math_are_those_of_math(name, tmp_path):
    text = f"import math\ndef kernel(v, x):\n    return math.{name}(v[0]), math.{name}(x) + math.{name}(0.5)\n"
    kernel = module_of(text, tmp_path).kernel
    _, results = run(kernel, np.array([0.75]), 2.25)
    with np.errstate(all="ignore"):
        wanted = kernel(np.array([0.75]), 2.25)
    np.testing.assert_array_equal(results, wanted)


@pytest.mark.parametrize("dtype", [i8, i32, i64, u8, u64])
def test_the_bits_of_negative_numbers_are_counted_as_by_numpy(dtype):
    def kernel(v):
        return np.bitwise_count(v[0]), np.bitwise_count(v[1]), np.bitwise_count(v[2])

    limits = np.iinfo(dtype)
    agree(kernel, np.array([limits.min, limits.min + 1, limits.max], dtype))


def test_a_choice_of_equal_numbers_has_the_type_and_the_sign_of_each():
    def kernel(v):
        zero = 0.0 if v[0] > 1 else -0.0
        return zero, (v[1] > 1) and 0.0, (2 if v[0] > 1 else 2.0) * i32(3), 1 if v[0] > 1 else True

    _, results = run(kernel, np.array([1.0, 2.0]))
    assert [str(x) for x in results] == ["-0.0", "0.0", "6.0", "1"]


@settings(max_examples=100, deadline=None)
@given(st.floats(), st.sampled_from([i8, u8, i32, i64, u64]))
def test_known_floats_become_the_integers_that_others_become(number, dtype):
    def kernel(v):
        return dtype(number), dtype(v[0])

    _, (known, computed) = run(kernel, np.array([number]))
    assert known == computed


@pytest.mark.parametrize("dtype", [f16, f32, f64, u64])
def test_python_numbers_above_those_of_int64_take_the_type_of_the_other_operand_too(dtype):
    def kernel(v, out):
        out[0] = v[0] + 0x9E3779B97F4A7C15
        return v[0] * (1 << 63), v[0] < 1 << 63

    agree(kernel, np.array([3], dtype), np.zeros(1, dtype))


def test_known_numbers_with_a_type_are_converted_as_others_are():
    def kernel(v):
        once = u64(0x9E3779B97F4A7C15)
        return i32(once), i8(i32(-129)), u8(i8(-1)), i32(u64(v[0]))

    agree(kernel, np.array([0x9E3779B97F4A7C15], np.uint64))


def test_functions_of_several_numbers():
    def kernel(v, w):
        x, y = v[0], v[1]
        return (
            np.arctan2(x, y),
            np.hypot(x, y),
            np.copysign(x, -y),
            np.minimum(x, w[0]),
            np.where(x < y, x, y),
            np.power(x, y),
            math.pow(2, 3),
            round(v[1]),
            min(v[0], v[1], v[2]),
        )

    agree(kernel, np.array([0.75, 2.5, 0.5]), np.arange(3, dtype=np.float32))


def test_complex_numbers():
    def kernel(v, w, z):
        for i in range(v.size):
            w[i] = v[i] * (1 + 2j) + z - v[i].real * 1j / v[i].conjugate()
            if w[i] == v[i] or abs(w[i]) > 3:
                w[i] = complex(w[i].imag, 0.5)

    v = np.array([1 + 1j, 2 - 1j, 0.5j])
    agree(kernel, v, np.zeros(3, np.complex128), 1.5 - 0.5j)


def test_conditions_are_numbers_of_python():
    def kernel(v, out):
        for i in range(v.size):
            count = 0
            for j in range(v.size):
                count += v[j] > v[i]
            above = v[i] > 2
            out[i] = count + above * 10 + (above + above) * 100 + (not above)

    v, out = np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4, np.int64)
    run(kernel, v, out)
    assert out.tolist() == [4, 3, 211, 210]


def test_the_dtype_of_memory_converts():
    def kernel(v, w):
        for i in range(v.size):
            v[i] = v.dtype(w[i]) + v.dtype.type(1) if v.dtype == f32 else 0

    v = np.zeros(3, np.float32)
    run(kernel, v, np.arange(3))
    assert v.tolist() == [1, 2, 3]


def test_annotations_declare_the_type_of_a_variable():
    def kernel(v):
        x: f32 = 1
        y: int = 2
        for _ in range(2):
            for i in range(v.size):
                v[i] = x * y
        return x, v[0] * y

    _, results = run(kernel, np.ones(2, np.float16))
    assert [x.dtype for x in results] == [f32, f16]


def test_layouts_are_made_and_used_in_kernels():
    def kernel(t, out):
        for _ in range(1):
            part = stack_allocation(f32, Layout.row_major(2, t.shape[1]))
            for i in range(2):
                for j in range(part.shape[1]):
                    part[i, j] = t.load(i, j) + len(part)
            for k in unroll(range(t.dim(1))):
                out[k] = part[1, k] + t.load(1, 0, width=2)[1] + t.size
            t.store(0, 1, vector(7, 8))

    t = accel.container(range(6), dtype="float32").view(Layout.row_major(2, 3))
    out = np.zeros(3, np.float32)
    run(kernel, t, out)
    assert out.tolist() == [3 + 2 + 4 + 6, 4 + 2 + 4 + 6, 5 + 2 + 4 + 6]
    assert t.to_numpy().tolist() == [[0, 7, 8], [3, 4, 5]]


def test_a_grid_of_threads_returns_early_and_from_loops():
    def kernel(v, n):
        i = block_index.x * block_size.x + thread_index.x
        if i >= n:
            return
        for j in range(10):
            for k, m in grid(2, 3):
                if j * 10 + k * 3 + m == i:
                    v[i] = j + 100 * (k + m)
                    return
            if j > 1:
                m = v[i]
                if m == 5:
                    return
        v[i] = -1

    v = np.zeros(16)
    run(kernel, v, 14, grid=(2, 1, 1), block=(8, 1, 1))
    wanted = [0, 100, 200, 100, 200, 300, -1, -1, -1, -1, 1, 101, 201, 101, 0, 0]
    assert v.tolist() == wanted


@func
def split(x):
    split_result = x * 3
    if x > 2:
        return x, split_result
    split_result_0 = x - 1
    return split_result_0, split_result


def test_parts_of_tuples_are_no_other_variables():
    def kernel(v):
        p = (v[0], v[1])
        p_0 = v[2] * 10
        q = split(p[0] + p_0)
        q_1 = v[1]
        return p[0], p_0, q[0], q[1], q_1

    agree(kernel, np.array([1.0, 2.0, 3.0]))


def test_accumulators_are_combined_as_variables_are():
    def kernel(v):
        total, product = accumulator(f64), accumulator(f64, start=1)
        rest, factor = accumulator(i32, 100), accumulator(dtype=i32, start=2)
        for i in range(v.size):
            total = v[i] + total
            product *= v[i]
            rest -= 2
            factor = factor * 2
        return total, product, rest, factor

    _, results = run(kernel, np.array([1.0, 2, 3, 4]))
    assert results == (10, 24, 92, 32)


@pytest.mark.parametrize("dtype", [np.bool_, i8, u8, i64, u64])
def test_accumulators_subtract_in_their_own_type(dtype):
    def kernel(v):
        rest, number, small = accumulator(i64, 5), accumulator(f64, 5), accumulator(u64, 5)
        for i in range(v.size):
            rest -= v[i]
            number -= v[i]
            small -= 2
        return rest, number, small

    v = np.array([-128 if dtype is i8 else 1, 100], dtype)
    _, results = run(kernel, v)
    total = int(v[0]) + int(v[1])
    assert results == (5 - total, 5 - total, 1)


def test_break_leaves_all_loops_of_a_grid():
    def kernel(v, n):
        for _ in range(1):
            count = 0
            for i, j, k in grid(3, 4, 2):
                for m in range(5):
                    if m == 2:
                        break
                    count += 1
                if k == 0 and j % 2:
                    continue
                if i * 10 + j == n:
                    v[0] = i * 100 + j * 10 + k
                    break
                count += 100
            v[1] = count

    for n in (0, 3, 12, 21, 99):
        v = np.zeros(2)
        run(kernel, v, n)
        where = [(i, j, k) for i in range(3) for j in range(4) for k in range(2)]
        skipped = [k == 0 and j % 2 == 1 for _, j, k in where]
        found = [i * 10 + j == n and not skip for (i, j, _), skip in zip(where, skipped, strict=True)]
        end = found.index(True) if True in found else len(where)
        count = 2 * min(end + 1, len(where)) + 100 * sum(not skip for skip in skipped[:end])
        assert v.tolist() == [np.dot(where[end], (100, 10, 1)) if end < len(where) else 0, count]


def test_in_looks_for_a_number_in_a_tuple():
    def kernel(v, n, mode):
        pair = (v[0], n)
        inside = v[1] in (1, 2.5, n)
        if n not in (4, 5) and mode in ("a", "b"):
            inside = inside or v[2] in pair
        return inside, n in (0, 9), n in (1, 2) or 3 in pair, 2 in (1, 2), 2 not in (1, 2), v[0] not in vector(1, v[1])

    for n in range(6):
        for mode in ("a", "c"):
            v = np.array([3.0, n, 3.0])
            _, results = run(kernel, v, n, mode)
            inside = (n in (1, 2.5, n)) or (n not in (4, 5) and mode in ("a", "b"))
            assert results == (inside, n == 0, True, True, False, n != 3)


def test_fmod_has_the_sign_of_the_dividend():
    def kernel(v, w):
        return math.fmod(v[0], v[1]), np.fmod(v[0], w[0]), math.fmod(w[0], 3), math.fmod(-7.5, 2)

    _, results = run(kernel, np.array([-7.25, 2.0], np.float32), np.array([-5], np.int32))
    assert results == (-1.25, -2.25, -2, -1.5)
    assert [x.dtype for x in results] == [np.float32, np.float64, np.float64, np.float64]


def test_functions_that_are_operators():
    def kernel(v, w, n):
        a, b = divmod(w[0], w[1])
        c, d = divmod(v[0], v[1])
        numbers = (v[0], v[1], v[2])
        total = sum(numbers) + sum((n, 1), 10)
        some, every = any((v[0] > 1, n > 1)), all((v[0] > 1, n > 1))
        clipped = np.clip(v[0], -1, 1) + np.clip(v[1], n, 5)
        angle = math.radians(v[0]) + np.rad2deg(v[1])
        logs = math.log(v[1], 3) + math.log(v[1])
        added = np.add(v[0], np.multiply(v[1], 2)) - np.divide(v[2], operator.sub(n, 5))
        whole = np.floor_divide(w[0], 3) + np.remainder(w[0], 3) * operator.lshift(n, 2) + np.bitwise_and(w[1], 3)
        test = np.logical_and(np.less(v[0], v[1]), operator.ge(n, 2)) or np.logical_or(v[0], 0)
        return a, b, c, d, total, some, every, clipped, angle, logs, added, whole, test, float("inf"), float("-1.5")

    v, w = np.array([-7.25, 2.5, 0.5]), np.array([-7, 2])
    for n in (1, 2):
        _, results = run(kernel, v, w, n)
        np.testing.assert_allclose(np.array(results, float), np.array(kernel(v, w, n), float), rtol=1e-14)


def test_numbers_are_converted_by_astype():
    def kernel(v):
        return v[0].astype(np.int32), (v[0] * 2).astype(f32), v[0].astype(float) + f32(1)

    _, results = run(kernel, np.array([-7.25]))
    assert results == (-7, -14.5, -6.25)
    assert [x.dtype for x in results] == [np.int32, np.float32, np.float32]
