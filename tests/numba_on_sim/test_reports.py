"""Kernels of a course, each with one planted error and without it: only the error is reported, at its line."""

import inspect

import numpy as np
import pytest
from numba import cuda, float32

import accel
from accel.errors import KernelInitError, KernelMemoryError, KernelRaceError, KernelSyncError

from .launching import launched

WRONG, RIGHT = True, False


def reversal(wrong):
    def kernel(x, y):
        tile = cuda.shared.array(64, dtype=float32)
        i = cuda.grid(1)
        tile[i] = x[i]
        if not wrong:
            cuda.syncthreads()
        y[i] = tile[63 - i]  # reported

    return kernel


def stencil(wrong):
    end = 64 if wrong else 63

    def kernel(x, y):
        i = cuda.grid(1)
        if i < end:
            y[i] = x[i] + x[i + 1]  # reported

    return kernel


def histogram(wrong):
    def kernel(x, y):
        i = cuda.grid(1)
        if wrong:
            y[int(x[i]) % 7] += 1  # reported
        else:
            cuda.atomic.add(y, int(x[i]) % 7, 1)

    return kernel


def branch(wrong):
    def kernel(x, y):
        i = cuda.grid(1)
        if wrong and i < 40:
            cuda.syncthreads()  # reported
        else:
            cuda.syncthreads()  # reported
        y[i] = x[i]

    return kernel


def skipped_barrier(wrong):
    last = 40 if wrong else 64

    def kernel(x, y):
        i = cuda.grid(1)
        if i < last:
            y[i] = x[i]
            cuda.syncthreads()  # reported
        x[i] = 0

    return kernel


def uneven_loop(wrong):
    step = 32 if wrong else 64

    def kernel(x, y):
        i = cuda.grid(1)
        for _ in range(i // step + 1):
            cuda.syncthreads()  # reported
        y[i] = x[i]

    return kernel


def half_tile(wrong):
    last = 60 if wrong else 64

    def kernel(x, y):
        tile = cuda.shared.array((8, 8), dtype=float32)
        i = cuda.grid(1)
        if i < last:
            tile[i >> 3, i & 7] = x[i]
        cuda.syncthreads()
        y[i] = tile[i >> 3, i & 7]  # reported

    return kernel


def reduction(wrong):
    def kernel(x, y):
        sums = cuda.shared.array(64, dtype=float32)
        i = cuda.grid(1)
        sums[i] = x[i]
        cuda.syncthreads()
        half = 32
        while half > 0:
            if i < half:
                sums[i] += sums[i + half]  # reported
            if not wrong:
                cuda.syncthreads()
            half //= 2
        if i == 0:
            y[0] = sums[0]

    return kernel


def warp_sum(wrong):
    lanes = 16 if wrong else 32

    def kernel(x, y):
        i = cuda.grid(1)
        value = x[i]
        if cuda.laneid < lanes:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, 1)  # reported
        y[i] = value

    return kernel


def pipeline(wrong):
    def kernel(x, y):
        tile = cuda.shared.array(64, dtype=float32)
        i = cuda.grid(1)
        for k in range(2):
            tile[i] = x[i] + k  # reported
            cuda.syncthreads()
            y[i] += tile[63 - i]
            if not wrong:
                cuda.syncthreads()

    return kernel


def dynamic_tile(wrong):
    offset = 1 if wrong else 0

    def kernel(x, y):
        tile = cuda.shared.array(0, dtype=float32)
        i = cuda.grid(1)
        tile[i + offset] = x[i]  # reported
        cuda.syncthreads()
        y[i] = x[i]

    return kernel


def local_buffer(wrong):
    size = 9 if wrong else 8

    def kernel(x, y):
        buffer = cuda.local.array(8, dtype=float32)
        i = cuda.grid(1)
        for k in range(8):
            buffer[k] = k
        y[i] = buffer[int(x[i]) % size]  # reported

    return kernel


def between_blocks(wrong):
    def kernel(x, y):
        i = cuda.grid(1)
        if wrong:
            y[(i + 1) % 64] = x[i]
            y[i] += 1  # reported
        else:
            y[i] = x[i]

    return kernel


CASES = [
    (reversal, KernelRaceError, "in the shared array tile of 256 bytes"),
    (stencil, KernelMemoryError, "x[64], right after the end of x"),
    (histogram, KernelRaceError, "y["),
    (branch, KernelSyncError, "waits at a barrier"),
    (skipped_barrier, KernelSyncError, "has gone past it"),
    (uneven_loop, KernelSyncError, "has gone past it"),
    (half_tile, KernelInitError, "tile[6"),
    (reduction, KernelRaceError, "sums["),
    (warp_sum, KernelSyncError, "0xffffffff"),
    (pipeline, KernelRaceError, "tile["),
    (dynamic_tile, KernelMemoryError, "dynamic shared memory of 256 bytes"),
    (local_buffer, KernelMemoryError, "index 8"),
    (between_blocks, KernelRaceError, "y["),
]


def run(kernel, blocks=1):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    launched(kernel, (blocks,), (64 // blocks,), x, y, shared=256)


@pytest.mark.usefixtures("checked")
class TestPlantedErrors:
    @pytest.mark.parametrize(("case", "error", "text"), CASES, ids=lambda value: getattr(value, "__name__", ""))
    def test_each_is_reported_at_its_line(self, case, error, text):
        with pytest.raises(error) as raised:
            run(case(WRONG), 2 if case is between_blocks else 1)
        lines, first = inspect.getsourcelines(case)
        reported = {first + number for number, line in enumerate(lines) if "# reported" in line}
        report = raised.value.reports[0]
        frames = [place.frames[0] for place in (report.place, report.other) if place is not None]
        assert reported & {frame.line for frame in frames}
        assert {frame.function for frame in frames} == {"kernel"}
        assert text in str(raised.value)

    @pytest.mark.parametrize("case", [each[0] for each in CASES])
    def test_right_ones_are_silent(self, case):
        run(case(RIGHT), 2 if case is between_blocks else 1)


@pytest.mark.usefixtures("checked")
class TestNames:
    def test_reports_have_the_words_of_python(self):
        with pytest.raises(KernelRaceError) as raised:
            run(reversal(WRONG))
        assert "__sync" not in str(raised.value)
        assert "__shared__" not in str(raised.value)

    def test_lines_are_those_of_the_file(self):
        with pytest.raises(KernelMemoryError) as raised:
            run(stencil(WRONG))
        frame = raised.value.reports[0].place.frames[0]
        assert frame.file == __file__
        assert frame.text == "y[i] = x[i] + x[i + 1]  # reported"


@pytest.mark.parametrize("dtype", ["int8", "float16", "int32", "float64", "complex128"])
def test_threads_that_write_the_same_value_are_no_error(dtype):
    def same(x):
        x[0] = 3
        x[1] = x.size

    def other(x):
        x[0] = cuda.threadIdx.x

    with accel.using(kernel_checks="all"):
        assert launched(same, (2,), (40,), np.zeros(4, dtype))[0][0] == 3
        with pytest.raises(KernelRaceError):
            launched(other, (1,), (40,), np.zeros(4, dtype))
    with accel.using(kernel_checks="race,same-value"), pytest.raises(KernelRaceError, match="with the same values"):
        launched(same, (1,), (40,), np.zeros(4, dtype))
