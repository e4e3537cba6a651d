"""Cooperative groups."""

import numpy as np

from .cases import program


def numbers(gpu, n):
    return gpu.random.integers(-100, 100, n, "i4")


@program
def sum_of_block(gpu):
    values, sums = numbers(gpu, 256), gpu.empty(2, "i4")
    gpu.launch("sum_of_block", 2, 128, gpu.array(values), sums)
    gpu.expect(sums, values.reshape(2, 128).sum(1))


@program
def sums_of_tiles(gpu):
    values, of_four, of_32 = numbers(gpu, 256), gpu.empty(64, "i4"), gpu.empty(8, "i4")
    gpu.launch("sums_of_tiles", 2, 128, gpu.array(values), of_four, of_32)
    gpu.expect(of_four, values.reshape(64, 4).sum(1))
    gpu.expect(of_32, values.reshape(8, 32).sum(1))


@program
def coalesced_count(gpu):
    values, count = numbers(gpu, 230), gpu.zeros(1, "i4")
    gpu.launch("coalesced_count", 2, 128, gpu.array(values), count, 230)
    gpu.expect(count, [np.fmod(values, 3).tolist().count(0)])


@program
def reverse_in_tiles(gpu):
    values, out = numbers(gpu, 256), gpu.empty(256, "i4")
    gpu.launch("reverse_in_tiles", 2, 128, gpu.array(values), out)
    gpu.expect(out, values.reshape(-1, 16)[:, ::-1].ravel())
