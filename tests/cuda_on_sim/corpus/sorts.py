"""Into ascending order."""

import numpy as np

from .cases import program


@program
def bitonic_in_shared(gpu):
    values = gpu.random.integers(-500, 500, (2, 128), "i4")
    there = gpu.array(values)
    gpu.launch("bitonic_in_shared", 2, 64, there)
    gpu.expect(there, np.sort(values, 1))


@program
def bitonic_in_steps(gpu):
    n = 64
    values = gpu.random.random(n, "f4")
    there = gpu.array(values)
    size = 2
    while size <= n:
        by = size // 2
        while by:
            gpu.launch("bitonic_step", 2, 32, there, by, size, n)
            by //= 2
        size *= 2
    gpu.expect(there, np.sort(values))


@program
def odd_even_sort(gpu):
    values = gpu.random.integers(-500, 500, 101, "i2")
    there = gpu.array(values)
    gpu.launch("odd_even_sort", 1, 64, there, 101)
    gpu.expect(there, np.sort(values))


@program
def radix_sort(gpu):
    values = gpu.random.integers(0, 64, (2, 128), "u4")
    there = gpu.array(values)
    gpu.launch("radix_sort", 2, 128, there, 6)
    gpu.expect(there, np.sort(values, 1))


@program
def merge_path(gpu):
    a, b = (np.sort(gpu.random.integers(0, 200, n, "i4")) for n in (130, 77))
    out = gpu.empty(207, "i4")
    gpu.launch("merge_path", 2, 32, gpu.array(a), 130, gpu.array(b), 77, out, 5)
    gpu.expect(out, np.sort(np.concatenate([a, b])))


@program
def rank_sort(gpu):
    values, out = gpu.random.integers(0, 50, 100).astype("f4"), gpu.empty(100, "f4")
    gpu.launch("rank_sort", 2, 64, gpu.array(values), out, 100)
    gpu.expect(out, np.sort(values))


@program
def sort_in_warp(gpu):
    values = gpu.random.integers(-500, 500, 128, "i4")
    there = gpu.array(values)
    gpu.launch("sort_in_warp", 1, 128, there)
    gpu.expect(there, np.sort(values.reshape(-1, gpu.warp), 1).ravel())


@program
def counting_sort(gpu):
    values, out = gpu.random.integers(0, 32, 300, "u1"), gpu.empty(300, "u1")
    gpu.launch("counting_sort", 1, 64, gpu.array(values), out, 300)
    gpu.expect(out, np.sort(values))
