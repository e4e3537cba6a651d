"""Operations of the lanes of a warp, beside what NumPy computes for all of them."""

import numpy as np
import pytest
from numba import cuda

from .launching import launched

ALL = 0xFFFFFFFF
DTYPES = [np.int32, np.int64, np.float32, np.float64]
LANES = np.arange(32)


@pytest.mark.usefixtures("checks")
class TestShuffles:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_each_lane_gets_the_value_of_another_one(self, dtype):
        def kernel(x, y, by):
            i = cuda.grid(1)
            y[0, i] = cuda.shfl_sync(ALL, x[i], by)
            y[1, i] = cuda.shfl_up_sync(ALL, x[i], by)
            y[2, i] = cuda.shfl_down_sync(ALL, x[i], by)
            y[3, i] = cuda.shfl_xor_sync(ALL, x[i], by)

        x = (np.random.default_rng(2).random(64) * 1e6).astype(dtype)
        for by in (1, 7, 31):
            result = launched(kernel, (2,), (32,), x, np.zeros((4, 64), dtype), by)[1]
            sources = [
                np.full(32, by),
                np.where(by <= LANES, LANES - by, LANES),
                np.where(LANES + by < 32, LANES + by, LANES),
                LANES ^ by,
            ]
            expected = [np.concatenate([x[:32][source], x[32:][source]]) for source in sources]
            np.testing.assert_array_equal(result, expected)

    def test_some_lanes(self):
        def kernel(x, y):
            i = cuda.grid(1)
            if i % 2 == 0:
                y[i] = cuda.shfl_down_sync(0x55555555, x[i], 2)

        x = np.arange(32, dtype=np.int32)
        expected = np.where(LANES % 2, 0, np.minimum(LANES + 2, np.where(LANES == 30, 30, 31)))
        np.testing.assert_array_equal(launched(kernel, (1,), (32,), x, np.zeros(32, np.int32))[1], expected)


@pytest.mark.usefixtures("checks")
class TestVotes:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_matches(self, dtype):
        def kernel(x, y):
            i = cuda.grid(1)
            y[0, i] = cuda.match_any_sync(ALL, x[i])
            mask, same = cuda.match_all_sync(ALL, x[i])
            y[1, i] = mask if same else 0

        x = np.random.default_rng(3).integers(0, 4, 64).astype(dtype)
        x[32:] = 5
        result = launched(kernel, (2,), (32,), x, np.zeros((2, 64), np.int64))[1].astype(np.uint32)
        warps = x.reshape(2, 1, 32) == x.reshape(2, 32, 1)
        np.testing.assert_array_equal(result[0], (warps * 2 ** LANES.astype(np.uint64)).sum(axis=2).reshape(64))
        np.testing.assert_array_equal(result[1], np.where(warps.all(axis=2), ALL, 0).reshape(64))

    def test_votes(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[0, i] = cuda.all_sync(ALL, x[i])
            y[1, i] = cuda.any_sync(ALL, x[i])
            y[2, i] = cuda.eq_sync(ALL, x[i])
            y[3, i] = cuda.ballot_sync(ALL, x[i])
            y[4, i] = cuda.laneid
            y[5, i] = cuda.lanemask_lt()
            y[6, i] = cuda.activemask()

        x = np.zeros(96, np.int32)
        x[32:64] = 1
        x[70] = 1
        result = launched(kernel, (3,), (32,), x, np.zeros((7, 96), np.int64))[1]
        np.testing.assert_array_equal(result[:3, ::32], [[0, 1, 0], [0, 1, 1], [1, 1, 0]])
        np.testing.assert_array_equal(result[3, ::32].astype(np.uint32), [0, ALL, 1 << 6])
        np.testing.assert_array_equal(result[4], np.tile(LANES, 3))
        np.testing.assert_array_equal(result[5], np.tile(2**LANES - 1, 3))
        np.testing.assert_array_equal(result[6].astype(np.uint32), ALL)


@pytest.mark.usefixtures("checks")
class TestBarriers:
    def test_results_of_barriers(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[0, i] = cuda.syncthreads_count(x[i])
            y[1, i] = cuda.syncthreads_and(x[i])
            y[2, i] = cuda.syncthreads_or(x[i])

        x = np.arange(64, dtype=np.int32) % 4
        x[:32] = 1
        result = launched(kernel, (2,), (32,), x, np.zeros((3, 64), np.int32))[1]
        np.testing.assert_array_equal(result[:, ::32], [[32, 24], [1, 0], [1, 1]])

    def test_the_grid_waits(self):
        def kernel(x, y):
            i = cuda.grid(1)
            x[i] = i
            cuda.cg.this_grid().sync()
            y[i] = x[x.size - 1 - i]

        result = launched(kernel, (4,), (32,), np.zeros(128, np.int64), np.zeros(128, np.int64))[1]
        np.testing.assert_array_equal(result, 127 - np.arange(128))

    def test_fences_publish(self):
        def kernel(x, done, y):
            block = cuda.blockIdx.x
            if cuda.threadIdx.x == 0:
                x[block] = block + 1
                cuda.threadfence()
                if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
                    for i in range(x.size):
                        y[0] += x[i]

        zeros = np.zeros(8, np.int64)
        assert launched(kernel, (8,), (32,), zeros, np.zeros(1, np.int64), np.zeros(1, np.int64))[2][0] == 36
