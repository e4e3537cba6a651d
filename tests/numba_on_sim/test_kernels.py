import numpy as np
import pytest
from numba import cuda, float32

from .launching import launched


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def transpose(x, y):
    tile = cuda.shared.array((8, 9), dtype=float32)
    column, row = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.x
    row = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.y
    if row < y.shape[0] and column < y.shape[1]:
        y[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


def histogram(x, counts):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, x[i], 1)


@pytest.mark.usefixtures("checks")
class TestSimpleKernels:
    def test_scalars_and_arrays(self):
        x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
        result = launched(saxpy, (2,), (64,), np.float32(3), x, y)[1]
        np.testing.assert_array_equal(result, 3 * x + y)

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_tiles_in_shared_memory(self, order):
        x = np.asarray(np.arange(20 * 13).reshape(20, 13), np.float32, order=order)
        result = launched(transpose, (2, 3), (8, 8), x, np.zeros((13, 20), np.float32))[1]
        np.testing.assert_array_equal(result, x.T)

    @pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
    def test_atomic_sums(self, dtype):
        x = np.random.default_rng(0).integers(0, 7, 1000)
        result = launched(histogram, (3,), (32,), x, np.zeros(7, dtype))[1]
        np.testing.assert_array_equal(result, np.bincount(x, minlength=7))


@pytest.mark.parametrize("depth", range(1, 5))
def test_functions_that_call_functions(cuda, depth):
    def increased(function):
        @cuda.jit(device=True)
        def increase(x):
            return function(x) + 1

        return increase

    function = cuda.jit(device=True)(lambda x: 2 * x)
    for _ in range(depth):
        function = increased(function)

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = function(x[i])

    array = cuda.to_device(np.arange(10.0))
    kernel[1, 32](array)
    np.testing.assert_array_equal(array.copy_to_host(), 2 * np.arange(10) + depth)
