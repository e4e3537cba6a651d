"""How often each value is there."""

import numpy as np

from .cases import program


def letters(gpu, n):
    return gpu.random.integers(0, 256, n, "u1")


@program
def histogram(gpu):
    values, counts = letters(gpu, 500), gpu.zeros(256, "u4")
    gpu.launch("histogram", 4, 128, gpu.array(values), counts, 500)
    gpu.expect(counts, np.bincount(values, minlength=256))


@program
def histogram_in_shared(gpu):
    values, counts = letters(gpu, 900), gpu.zeros(256, "u4")
    gpu.launch("histogram_in_shared", 3, 128, gpu.array(values), counts, 900)
    gpu.expect(counts, np.bincount(values, minlength=256))


@program
def histogram_of_warps(gpu):
    values, counts = letters(gpu, 900), gpu.zeros(16, "u4")
    gpu.launch("histogram_of_warps", 2, 256, gpu.array(values), counts, 900)
    gpu.expect(counts, np.bincount(values >> 4, minlength=16))


@program
def histogram_of_threads(gpu):
    values, counts = letters(gpu, 700), gpu.empty(8, "u4")
    gpu.launch("histogram_of_threads", 1, 64, gpu.array(values), counts, 700)
    gpu.expect(counts, np.bincount(values >> 5, minlength=8))


@program
def equalized(gpu):
    values, counts, out = letters(gpu, 900) // 3, gpu.zeros(256, "u4"), gpu.empty(900, "u1")
    there = gpu.array(values)
    gpu.launch("histogram", 4, 256, there, counts, 900)
    gpu.launch("equalized", 2, 256, there, out, counts, 900)
    gpu.expect(out, (np.bincount(values, minlength=256).cumsum() * 255 // 900)[values])
