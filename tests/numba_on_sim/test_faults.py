"""What stops a kernel: reports at the line of Python, and no damage to the process."""

import numpy as np
import pytest
from numba import cuda, float32

import accel
from accel.errors import KernelFaultError, KernelMemoryError, KernelTimeoutError

from .launching import launched


def line_of(error):
    return error.value.reports[0].place.frames[0].text


@pytest.mark.usefixtures("checks")
class TestStacks:
    def test_large_local_arrays(self):
        def kernel(y):
            table = cuda.local.array(20_000, float32)
            i = cuda.grid(1)
            for k in range(20_000):
                table[k] = k + i
            y[i] = table[i * 100]

        np.testing.assert_array_equal(launched(kernel, (1,), (64,), np.zeros(64))[0], np.arange(64) * 101)

    def test_arrays_that_are_too_large(self):
        def kernel(y):
            table = cuda.local.array(200_000, float32)
            i = cuda.grid(1)
            for k in range(200_000):
                table[k] = k + i
            y[i] = table[i * 100]

        with pytest.raises(KernelFaultError, match="has used all of its stack"):
            launched(kernel, (1,), (4,), np.zeros(4))

    def test_endless_recursion(self):
        @cuda.jit(device=True)
        def deeper(n):
            if n <= 0:
                return 0
            return 1 + deeper(n - 1) * 2

        def kernel(y, n):
            y[cuda.grid(1)] = deeper(n)

        with pytest.raises(KernelFaultError, match="has used all of its stack"):
            launched(kernel, (1,), (4,), np.zeros(4), 1_000_000)


class TestLimits:
    def test_endless_loops(self, checks):
        def kernel(x):
            while x[0] > 0:
                x[1] += 1

        with pytest.raises(KernelTimeoutError) as raised, accel.using(kernel_limit=1):
            launched(kernel, (1,), (1,), np.ones(2))
        if checks == "all":
            assert line_of(raised) in {"while x[0] > 0:", "x[1] += 1"}

    def test_negative_indices_count_from_the_end_once(self, checked):
        def kernel(x):
            x[cuda.grid(1) - 9] = 1

        with pytest.raises(KernelMemoryError, match=r"x\[-1\], 8 bytes before the start of x") as raised:
            launched(kernel, (1,), (1,), np.ones(8))
        assert line_of(raised) == "x[cuda.grid(1) - 9] = 1"

    def test_the_device_is_used_after_an_error(self, checked):
        def kernel(x, by):
            x[cuda.grid(1) + by] = 1

        with pytest.raises(KernelMemoryError):
            launched(kernel, (1,), (4,), np.zeros(4), 100)
        assert launched(kernel, (1,), (4,), np.zeros(4), 0)[0].sum() == 4
