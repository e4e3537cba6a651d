"""An element from its neighbours."""

import numpy as np

from .cases import program


@program
def stencil(gpu):
    n = 150
    values, out = gpu.random.integers(0, 100, n, "i4"), gpu.empty(n, "i4")
    gpu.launch("stencil", 3, 64, gpu.array(values), out, n)
    gpu.expect(out, np.convolve(values, np.ones(7, "i4"), "same"))


@program
def five_points(gpu):
    values, out = gpu.random.random((20, 37), "f4"), gpu.zeros((20, 37), "f4")
    gpu.launch("five_points", (3, 3), (16, 8), gpu.array(values), out, 37, 20)
    expected = np.zeros_like(values)
    v = values
    expected[1:-1, 1:-1] = 0.2 * (v[1:-1, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] + v[:-2, 1:-1] + v[2:, 1:-1])
    gpu.expect(out, expected, rtol=1e-5)


@program
def seven_points(gpu):
    v = gpu.random.integers(0, 50, (5, 9, 18)).astype("f4")
    out = gpu.zeros((5, 9, 18), "f4")
    gpu.launch("seven_points", (2, 2), (16, 8), gpu.array(v), out, 18, 9, 5)
    inner = slice(1, -1)
    expected = np.zeros_like(v)
    for axis in range(3):
        expected += np.roll(v, 1, axis) + np.roll(v, -1, axis) - 2 * v
    gpu.expect(gpu.numpy(out)[inner, inner, inner], expected[inner, inner, inner])


@program
def jacobi(gpu):
    n = 150
    values = gpu.random.random(n)
    here, there, change = gpu.array(values), gpu.array(values), gpu.zeros(2, "f8")
    for step in range(2):
        gpu.launch("jacobi", 2, 96, here, there, n, change[step : step + 1])
        here, there = there, here
        next_values = values.copy()
        next_values[1:-1] = (values[:-2] + values[2:]) / 2
        gpu.expect(change[step], abs(next_values - values).sum(), rtol=1e-9)
        values = next_values
    gpu.expect(here, values, rtol=1e-12)


@program
def wave(gpu):
    before, now = gpu.random.random((2, 12, 20), "f4")
    arrays = [gpu.array(before), gpu.array(now), gpu.empty((12, 20), "f4")]
    for _ in range(2):
        gpu.launch("wave", (2, 2), (16, 8), *arrays, 20, 12, 0.25)
        arrays = [*arrays[1:], arrays[0]]
        bent = sum(np.roll(now, by, axis) for axis in (0, 1) for by in (-1, 1)) - 4 * now
        after = np.zeros_like(now)
        after[1:-1, 1:-1] = (2 * now - before + np.float32(0.25) * bent)[1:-1, 1:-1]
        before, now = now, after
    gpu.expect(arrays[1], now, rtol=1e-4, atol=1e-5)


@program
def life(gpu):
    cells = gpu.random.integers(0, 2, (13, 21), "u1")
    now, after = gpu.array(cells), gpu.empty((13, 21), "u1")
    for _ in range(2):
        gpu.launch("life", (2, 4), (16, 4), now, after, 21, 13)
        now, after = after, now
        count = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells
        cells = ((count == 3) | (count == 2) & (cells == 1)).astype("u1")
    gpu.expect(now, cells)


@program
def blur(gpu):
    values, out = gpu.random.integers(0, 256, (13, 21)).astype("f4"), gpu.empty((13, 21), "f4")
    gpu.launch("blur", (3, 2), (8, 8), gpu.array(values), out, 21, 13)
    weights, around = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]), np.pad(values, 2)
    windows = np.lib.stride_tricks.sliding_window_view(around, (5, 5))
    gpu.expect(out, (windows * weights).sum((2, 3)) / 256)


@program
def steps_in_shared(gpu):
    n = 100
    values, out = gpu.random.random(n, "f4"), gpu.empty(n, "f4")
    gpu.launch("steps_in_shared", 2, 64, gpu.array(values), out, n)
    around = np.pad(values, 4)
    for _ in range(4):
        around[1:-1] = (around[:-2] + 2 * around[1:-1] + around[2:]) / 4
    gpu.expect(gpu.numpy(out)[4:-4], around[8:-8], rtol=1e-5)
