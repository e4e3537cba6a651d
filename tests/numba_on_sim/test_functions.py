"""Functions that kernels call."""

import numpy as np
import pytest
from numba import cuda

from .launching import launched


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit(device=True)
def norm(x, y):
    return square(x) + square(y)


@cuda.jit(device=True)
def mixed(x, y):
    return norm(x, y) - square(x)


@cuda.jit(device=True)
def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


@pytest.mark.usefixtures("checks")
class TestDeviceFunctions:
    def test_several_functions_call_the_same(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[i] = mixed(x[i], 3) + norm(x[i], 2)

        x = np.arange(40.0)
        np.testing.assert_array_equal(launched(kernel, (2,), (20,), x, x.copy())[1], 9 + x * x + 4)

    def test_recursion(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[i] = factorial(x[i])

        x = np.arange(10)
        expected = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880]
        assert launched(kernel, (1,), (10,), x, x.copy())[1].tolist() == expected

    def test_closures_and_tuples(self):
        weights = (1.5, 2.5, 3.0)

        def kernel(x, y):
            i = cuda.grid(1)
            values = (x[i], x[i] + 1, x[i] + 2)
            for k in range(3):
                y[i] += values[k] * weights[k]

        x = np.arange(8.0)
        expected = x * 1.5 + (x + 1) * 2.5 + (x + 2) * 3
        np.testing.assert_array_equal(launched(kernel, (1,), (8,), x, np.zeros(8))[1], expected)
