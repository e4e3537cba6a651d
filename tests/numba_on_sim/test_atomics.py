"""Atomic operations, in an order that a seed draws: what all of them together must give, and what each returns."""

import numpy as np
import pytest
from numba import cuda

from .launching import launched

INTEGERS = [np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float32, np.float64]
N = 192


def values(dtype):
    generator = np.random.default_rng(4)
    if np.dtype(dtype).kind == "f":
        return generator.integers(-50, 50, N).astype(dtype)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, N, dtype, endpoint=True)


@pytest.mark.usefixtures("checks")
@pytest.mark.parametrize("shared", [False, True])
class TestReductions:
    @pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
    def test_sums_and_extremes(self, dtype, shared):
        def kernel(x, total):
            i = cuda.grid(1)
            if shared:
                part = cuda.shared.array(4, dtype)
                if i < 4:
                    part[i] = total[i]
                cuda.syncthreads()
                cuda.atomic.add(part, 0, x[i])
                cuda.atomic.sub(part, 1, x[i])
                cuda.atomic.max(part, 2, x[i])
                cuda.atomic.min(part, 3, x[i])
                cuda.syncthreads()
                if i < 4:
                    total[i] = part[i]
            else:
                cuda.atomic.add(total, 0, x[i])
                cuda.atomic.sub(total, 1, x[i])
                cuda.atomic.max(total, 2, x[i])
                cuda.atomic.min(total, 3, x[i])

        x = values(dtype)
        start = np.array([1, 2, x[0], x[1]], dtype)
        result = launched(kernel, (1,), (N,), x, start)[1]
        with np.errstate(over="ignore"):
            expected = [x.sum(dtype=dtype) + dtype(1), dtype(2) - x.sum(dtype=dtype), x.max(), x.min()]
        np.testing.assert_array_equal(result, np.array(expected, dtype))

    @pytest.mark.parametrize("dtype", INTEGERS)
    def test_bits(self, dtype, shared):
        def kernel(x, total):
            i = cuda.grid(1)
            if shared:
                part = cuda.shared.array(3, dtype)
                if i < 3:
                    part[i] = total[i]
                cuda.syncthreads()
                cuda.atomic.and_(part, 0, x[i])
                cuda.atomic.or_(part, 1, x[i])
                cuda.atomic.xor(part, 2, x[i])
                cuda.syncthreads()
                if i < 3:
                    total[i] = part[i]
            else:
                cuda.atomic.and_(total, 0, x[i])
                cuda.atomic.or_(total, 1, x[i])
                cuda.atomic.xor(total, 2, x[i])

        x = values(dtype) | dtype(5)
        result = launched(kernel, (1,), (N,), x, np.array([x[0], 0, 0], dtype))[1]
        expected = [np.bitwise_and.reduce(x), np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)]
        np.testing.assert_array_equal(result, np.array(expected, dtype))


@pytest.mark.usefixtures("checks")
class TestReturnedValues:
    @pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
    def test_counters_wrap_around(self, dtype):
        def kernel(total, before):
            i = cuda.grid(1)
            before[0, i] = cuda.atomic.inc(total, 0, 9)
            before[1, i] = cuda.atomic.dec(total, 1, 9)

        result, before = launched(kernel, (3,), (64,), np.zeros(2, dtype), np.zeros((2, N), dtype))
        np.testing.assert_array_equal(result, [N % 10, -N % 10])
        counts = np.bincount(np.arange(N) % 10)
        np.testing.assert_array_equal(np.bincount(before[0].astype(np.int64)), counts)
        np.testing.assert_array_equal(np.bincount(before[1].astype(np.int64)), np.roll(counts[::-1], 1))

    @pytest.mark.parametrize("dtype", INTEGERS)
    def test_exchange_gives_each_value_once(self, dtype):
        def kernel(total, before):
            i = cuda.grid(1)
            before[i] = cuda.atomic.exch(total, 0, i + 1)

        last, before = launched(kernel, (3,), (64,), np.zeros(1, dtype), np.zeros(N, dtype))
        np.testing.assert_array_equal(np.sort([*before, *last]), np.arange(N + 1))

    @pytest.mark.parametrize("dtype", INTEGERS)
    def test_one_thread_takes_each_lock(self, dtype):
        def kernel(locks, total):
            i = cuda.grid(1)
            if cuda.atomic.cas(locks, i % 5, 0, i + 1) == 0:
                cuda.atomic.add(total, i % 5, 1)

        locks, total = launched(kernel, (3,), (64,), np.zeros(5, dtype), np.zeros(5, np.int64))
        np.testing.assert_array_equal(total, 1)
        np.testing.assert_array_equal((locks.astype(np.int64) - 1) % 5, np.arange(5))

    @pytest.mark.parametrize("dtype", FLOATS)
    def test_nan(self, dtype):
        def kernel(x, total):
            i = cuda.grid(1)
            cuda.atomic.nanmax(total, 0, x[i])
            cuda.atomic.nanmin(total, 1, x[i])

        x = values(dtype)
        x[::3] = np.nan
        result = launched(kernel, (3,), (64,), x, np.full(2, np.nan, dtype))[1]
        np.testing.assert_array_equal(result, [np.nanmax(x), np.nanmin(x)])

    def test_a_spinning_lock_ends(self):
        def kernel(lock, total):
            if cuda.threadIdx.x == 0:
                while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                    pass
                cuda.threadfence()
                total[0] += 1
                cuda.threadfence()
                cuda.atomic.exch(lock, 0, 0)

        assert launched(kernel, (40,), (32,), np.zeros(1, np.int32), np.zeros(1, np.int64))[1][0] == 40
