"""What kernels have besides numbers and arrays of them."""

import math
from contextlib import redirect_stdout
from io import StringIO

import cffi
import ml_dtypes
import numpy as np
import pytest
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32

from accel.errors import KernelMemoryError
from accel.testing import numba_cuda_on_sim

from .launching import launched

TABLE = np.arange(20.0).reshape(4, 5)
POINT = np.dtype([("x", np.int32), ("y", np.float64), ("name", np.int8)], align=True)


@pytest.mark.usefixtures("checks")
class TestMemory:
    def test_constant_arrays(self):
        def kernel(y):
            table = cuda.const.array_like(TABLE)
            i, j = cuda.grid(2)
            if i < y.shape[0] and j < y.shape[1]:
                y[i, j] = table[j, i]

        np.testing.assert_array_equal(launched(kernel, (1, 1), (8, 8), np.zeros((5, 4)))[0], TABLE.T)

    def test_local_arrays(self):
        def kernel(x, y):
            i = cuda.grid(1)
            window = cuda.local.array((2, 3), np.float32)
            for k in range(6):
                window[k // 3, k % 3] = x[i] + k
            for k in range(6):
                y[i] += window[k % 2, k // 2]

        x = np.arange(16, dtype=np.float32)
        np.testing.assert_array_equal(launched(kernel, (1,), (16,), x, np.zeros(16))[1], 6 * x + 15)

    def test_views_of_dynamic_shared_memory(self):
        def kernel(y):
            i = cuda.grid(1)
            numbers = cuda.shared.array(0, np.float32)[:8]
            others = cuda.shared.array(0, np.int32)[8:16]
            numbers[i] = i + 0.5
            others[i] = i
            cuda.syncthreads()
            y[i] = numbers[7 - i] + others[(i + 1) % 8]

        i = np.arange(8)
        expected = 7.5 - i + (i + 1) % 8
        np.testing.assert_array_equal(launched(kernel, (1,), (8,), np.zeros(8), shared=64)[0], expected)

    @pytest.mark.parametrize("step", [1, 3])
    def test_strided_views(self, cuda, step):
        def kernel(x, y):
            i, j = cuda.grid(2)
            if i < x.shape[0] and j < x.shape[1]:
                y[i, j] = x[i, j]

        values = np.arange(60.0).reshape(6, 10)
        x = cuda.to_device(values)[1:, ::step]
        y = cuda.device_array(x.shape)
        cuda.jit(kernel)[(1, 1), (8, 16)](x, y)
        np.testing.assert_array_equal(y.copy_to_host(), values[1:, ::step])


@pytest.mark.usefixtures("checks")
class TestTypes:
    @pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
    def test_complex(self, dtype):
        def kernel(x, y, z):
            i = cuda.grid(1)
            y[i] = x[i] * z + x[i].conjugate() / (x[i] + 1) - abs(x[i])

        x = (np.arange(12) + 1j * np.arange(12)[::-1]).astype(dtype)
        z = dtype(2 - 3j)
        result = launched(kernel, (1,), (12,), x, np.zeros(12, dtype), z)[1]
        np.testing.assert_allclose(result, x * z + x.conj() / (x + 1) - abs(x), rtol=1e-5)

    def test_records(self):
        def kernel(points):
            i = cuda.grid(1)
            points[i].x += i
            points[i].y = points[i].x * 0.5
            points[i].name = i

        points = np.zeros(10, POINT)
        points["x"] = np.arange(10)
        result = launched(kernel, (1,), (10,), points)[0]
        np.testing.assert_array_equal(result["x"], 2 * np.arange(10))
        np.testing.assert_array_equal(result["y"], np.arange(10.0))

    def test_bfloat16(self):
        from numba.cuda.types import bfloat16, float16, float32, int32

        def kernel(x, y):
            i = cuda.grid(1)
            y[i] = float32(bfloat16(x[i]) * bfloat16(float16(x[i])) + bfloat16(int32(1)))

        x = np.linspace(0, 2, 16).astype(np.float32)
        short = x.astype(ml_dtypes.bfloat16)
        expected = (short * short + ml_dtypes.bfloat16(1)).astype(np.float32)
        result = launched(kernel, (1,), (16,), x, np.zeros(16, np.float32))[1]
        np.testing.assert_allclose(result, expected, rtol=2**-7)

    def test_half_precision(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[i] = x[i] * x[i] + cuda.fp16.hsin(x[i])

        x = np.linspace(0, 2, 16).astype(np.float16)
        expected = (x * x).astype(np.float16) + np.sin(x.astype(np.float32)).astype(np.float16)
        result = launched(kernel, (1,), (16,), x, np.zeros(16, np.float16))[1]
        np.testing.assert_allclose(result, expected, rtol=2e-3)

    def test_vectors(self):
        def kernel(y):
            i = cuda.grid(1)
            vector = cuda.float32x4(i, 1.5, cuda.float32x2(2, 3))
            y[i] = vector.x + vector.y * vector.z - vector.w

        np.testing.assert_array_equal(launched(kernel, (1,), (8,), np.zeros(8, np.float32))[0], np.arange(8))

    def test_intrinsic_functions(self):
        def kernel(x, y):
            i = cuda.grid(1)
            y[i, 0] = cuda.popc(x[i])
            y[i, 1] = cuda.clz(x[i])
            y[i, 2] = cuda.ffs(x[i])
            y[i, 3] = cuda.brev(x[i])
            y[i, 4] = cuda.fma(x[i], 2.0, 1.0)
            y[i, 5] = cuda.selp(x[i] > 5, 1, 2)
            y[i, 6] = cuda.cbrt(x[i])

        x = np.array([1, 2, 8, 27, 2**31], np.uint32)
        result = launched(kernel, (1,), (5,), x, np.zeros((5, 7)))[1]
        expected = [
            [
                f"{v:032b}".count("1"),
                32 - v.bit_length(),
                (v & -v).bit_length(),
                int(f"{v:032b}"[::-1], 2),
                2 * v + 1,
                1 if v > 5 else 2,
                math.cbrt(v),
            ]
            for v in x.tolist()
        ]
        np.testing.assert_allclose(result, expected)


@pytest.mark.usefixtures("checks")
class TestOutput:
    def test_print(self):
        def kernel(x):
            i = cuda.grid(1)
            if i == 2:
                print("element", i, x[i], x[i] > 1, (i, 4))  # noqa: T201 - of the kernel

        with redirect_stdout(StringIO()) as output:
            launched(kernel, (1,), (4,), np.arange(4) * 1.5)
        assert output.getvalue() == "element 2 3.000000 True (2, 4)\n"

    @pytest.mark.parametrize("error", [ValueError, AssertionError])
    def test_exceptions(self, error):
        def kernel(x):
            i = cuda.grid(1)
            if x[i] == 3:
                raise error("three")

        with pytest.raises(error, match=r"tid=\[0, 0, 3\] ctaid=\[0, 0, 0\]: three"):
            launched(kernel, (1,), (8,), np.arange(8), debug=True)


@pytest.mark.usefixtures("checks")
class TestRandomNumbers:
    def test_each_thread_has_a_sequence_of_its_own(self, cuda):
        def kernel(states, uniform, normal):
            i = cuda.grid(1)
            for k in range(uniform.shape[1]):
                uniform[i, k] = xoroshiro128p_uniform_float32(states, i)
                normal[i, k] = xoroshiro128p_normal_float64(states, i)

        states = create_xoroshiro128p_states(64, seed=1)
        uniform, normal = cuda.device_array((64, 50), np.float32), cuda.device_array((64, 50))
        cuda.jit(kernel)[1, 64](states, uniform, normal)
        uniform, normal = uniform.copy_to_host(), normal.copy_to_host()
        assert np.unique(uniform).size > 3000
        assert 0 <= uniform.min() < 0.02
        assert 0.98 < uniform.max() <= 1
        np.testing.assert_allclose([normal.mean(), normal.std()], [0, 1], atol=0.06)


class TestLinkedText:
    TEXT = 'extern "C" __device__ int scaled(float* result, float x, int by) { *result = x * by; return 0; }'

    def test_functions_in_cuda(self, checks):
        with numba_cuda_on_sim():
            scaled = cuda.declare_device("scaled", "float32(float32, int32)", link=cuda.CUSource(self.TEXT))

        def kernel(x, y):
            i = cuda.grid(1)
            y[i] = scaled(x[i], 3)

        x = np.arange(8, dtype=np.float32)
        np.testing.assert_array_equal(launched(kernel, (1,), (8,), x, x.copy())[1], 3 * x)

    def test_their_errors_are_reported(self, checked):
        text = 'extern "C" __device__ int past(float* result, float* x) { *result = x[100]; return 0; }'
        with numba_cuda_on_sim():
            past = cuda.declare_device("past", "float32(CPointer(float32))", link=cuda.CUSource(text))
            ffi = cffi.FFI()

        def kernel(x):
            x[cuda.grid(1)] = past(ffi.from_buffer(x))

        with pytest.raises(KernelMemoryError, match=r"x\[100\]"):
            launched(kernel, (1,), (1,), np.zeros(50, np.float32))


@pytest.mark.usefixtures("checks")
class TestReductions:
    @pytest.mark.parametrize("size", [1, 100, 1000, 70_000])
    def test_sums(self, cuda, size):
        total = cuda.reduce(lambda a, b: a + b)
        x = np.random.default_rng(6).integers(0, 9, size)
        assert total(cuda.to_device(x)) == x.sum()
