"""Arithmetic of kernels, beside numba's compiler for processors, and beside what GPUs do where that differs."""

import math

import numba
import numpy as np
import pytest
from numba import cuda

from .launching import launched

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float32, np.float64]


def applied(function):
    """Return a kernel that applies a function to the elements of two arrays."""
    on_device = cuda.jit(device=True)(function)

    def kernel(x, y, result):
        i = cuda.grid(1)
        if i < x.size:
            result[i] = on_device(x[i], y[i])

    return kernel


def on_host(function, x, y, result):
    """Apply a function to elements by numba's compiler for processors."""
    compiled_function = numba.njit(function)
    for i in range(x.size):
        result[i] = compiled_function(x[i], y[i])
    return result


def combined(a, b):
    c = a * b + (a ^ b)
    return (c << 3) - (c >> 2) + (a & b) - (a | b) + (a < b)


def divided(a, b):
    return a // b + a % b * 3 if b != 0 else a - a


class TestIntegers:
    @pytest.mark.parametrize("dtype", INTEGERS)
    @pytest.mark.parametrize("function", [combined, divided])
    def test_results_are_those_on_processors(self, dtype, function):
        generator = np.random.default_rng(1)
        limits = np.iinfo(dtype)
        x, y = (generator.integers(limits.min, limits.max, 60, dtype, endpoint=True) for _ in range(2))
        x[:4], y[:4] = [limits.min, limits.max, 0, limits.min], [1, limits.max, limits.min or 7, 3]
        result = launched(applied(function), (1,), (64,), x, y, np.zeros(60, np.int64))[2]
        np.testing.assert_array_equal(result, on_host(function, x, y, np.zeros(60, np.int64)))

    @pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
    def test_division_by_zero_stops_no_kernel(self, dtype):
        def kernel(x, y, result):
            i = cuda.grid(1)
            result[i] = x[i] // y[i] + x[i] % y[i]

        x = np.array([5, np.iinfo(dtype).min, 0], dtype)
        launched(kernel, (1,), (3,), x, np.array([0, -1 if np.iinfo(dtype).min else 0, 0]).astype(dtype), x.copy())

    @pytest.mark.parametrize("target", [np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
    def test_casts_from_floats_saturate(self, target):
        kind = numba.from_dtype(np.dtype(target))

        def kernel(x, result):
            i = cuda.grid(1)
            result[i] = kind(x[i])

        limits = np.iinfo(target)
        x = np.array([1e30, -1e30, np.inf, -np.inf, 3.9, np.nan])
        result = launched(kernel, (1,), (6,), x, np.zeros(6, target))[1]
        assert result[:5].tolist() == [limits.max, limits.min, limits.max, limits.min, 3]


class TestMathematics:
    @pytest.mark.parametrize("dtype", FLOATS)
    def test_functions_are_those_of_c(self, dtype):
        def kernel(x, result):
            i = cuda.grid(1)
            a = x[i]
            result[i, 0] = (
                math.acos(a) + math.asin(a) + math.atan(a) + math.acosh(a + 1) + math.asinh(a) + math.atanh(a)
            )
            result[i, 1] = math.cos(a) + math.sin(a) + math.tan(a) + math.cosh(a) + math.sinh(a) + math.tanh(a)
            result[i, 2] = math.erf(a) + math.erfc(a) + math.gamma(a) + math.lgamma(a)
            result[i, 3] = math.exp(a) + math.expm1(a) + math.log(a) + math.log10(a) + math.log1p(a) + math.log2(a)
            result[i, 4] = math.ceil(a) + math.floor(a) + math.trunc(a) + math.fabs(-a) + math.sqrt(a)
            result[i, 5] = math.atan2(a, a + 1) + math.fmod(a + 3, a) + math.hypot(a, 2) + math.pow(a, a)
            result[i, 6] = math.copysign(a, -1) + math.ldexp(a, 3) + math.frexp(a)[0] + math.modf(a + 2)[1]

        x = np.linspace(0.01, 0.95, 16).astype(dtype)
        result = launched(kernel, (1,), (16,), x, np.zeros((16, 7), dtype))[1]
        expected = np.array(list(_expected(x.astype(np.float64))))
        np.testing.assert_allclose(result, expected, rtol=np.finfo(dtype).eps * 40, atol=np.finfo(dtype).eps * 8)


def _expected(x):
    for a in x.tolist():
        yield [
            math.acos(a) + math.asin(a) + math.atan(a) + math.acosh(a + 1) + math.asinh(a) + math.atanh(a),
            math.cos(a) + math.sin(a) + math.tan(a) + math.cosh(a) + math.sinh(a) + math.tanh(a),
            math.erf(a) + math.erfc(a) + math.gamma(a) + math.lgamma(a),
            math.exp(a) + math.expm1(a) + math.log(a) + math.log10(a) + math.log1p(a) + math.log2(a),
            math.ceil(a) + math.floor(a) + math.trunc(a) + math.fabs(-a) + math.sqrt(a),
            math.atan2(a, a + 1) + math.fmod(a + 3, a) + math.hypot(a, 2) + math.pow(a, a),
            math.copysign(a, -1) + math.ldexp(a, 3) + math.frexp(a)[0] + math.modf(a + 2)[1],
        ]
