"""Many numbers to one."""

import numpy as np

from .cases import program


def integers(gpu, n, dtype="i4"):
    return gpu.random.integers(-1000, 1000, n, dtype)


@program
def tree_sum(gpu):
    values, sums = integers(gpu, 900), gpu.empty(4, "i4")
    gpu.launch("tree_sum", 4, 256, gpu.array(values), sums, 900)
    gpu.expect(sums, np.resize(np.pad(values, (0, 124)), (4, 256)).sum(1))


@program
def two_stages(gpu):
    values, sums, total = integers(gpu, 900), gpu.empty(4, "i4"), gpu.empty(1, "i4")
    gpu.launch("tree_sum", 4, 256, gpu.array(values), sums, 900)
    gpu.launch("tree_sum", 1, 256, sums, total, 4)
    gpu.expect(total, values.sum())


@program
def interleaved_sum(gpu):
    values, sums = integers(gpu, 256), gpu.empty(2, "i4")
    gpu.launch("interleaved_sum", 2, 128, gpu.array(values), sums, shared=512)
    gpu.expect(sums, values.reshape(2, 128).sum(1))


@program
def shuffle_sum(gpu):
    values, total = integers(gpu, 1500, "i8").astype("f8"), gpu.zeros(1, "f8")
    gpu.launch("shuffle_sum", 3, 128, gpu.array(values), total, 1500)
    gpu.expect(total, values.sum())


@program
def atomic_sum(gpu):
    values, total = integers(gpu, 500), gpu.zeros(1, "i4")
    gpu.launch("atomic_sum", 4, 128, gpu.array(values), total, 500)
    gpu.expect(total, values.sum())


@program
def last_block_sum(gpu):
    values, partial, total = integers(gpu, 900).astype("f4"), gpu.empty(4, "f4"), gpu.empty(1, "f4")
    gpu.launch("last_block_sum", 4, 128, gpu.array(values), partial, total, 900)
    gpu.expect(total, values.sum())


@program
def largest(gpu):
    values, bits = gpu.random.standard_normal(400, "f4"), gpu.zeros(1, "i4")
    gpu.launch("largest", 4, 128, gpu.array(values), bits, 400)
    gpu.expect(bits, abs(values).max(keepdims=True).view("i4"))


@program
def position_of_least(gpu):
    values = gpu.random.integers(0, 1 << 30, 500, "u4")
    best = gpu.array(np.full(1, (1 << 64) - 1, "u8"))
    gpu.launch("position_of_least", 4, 128, gpu.array(values), best, 500)
    gpu.expect(best, [int(values.min()) << 32 | int(values.argmin())])


@program
def column_sums(gpu):
    matrix, sums = gpu.random.random((37, 50), "f4"), gpu.empty(50, "f4")
    gpu.launch("column_sums", 2, (32, 8), gpu.array(matrix), sums, 37, 50)
    gpu.expect(sums, matrix.sum(0), rtol=1e-5)


@program
def dot(gpu):
    x, y = gpu.random.integers(-9, 9, (2, 500)).astype("f8")
    result = gpu.empty(1, "f8")
    gpu.launch("dot", 1, 128, gpu.array(x), gpu.array(y), result, 500, shared=1024)
    gpu.expect(result, x @ y)


@program
def count_above(gpu):
    values = gpu.random.random((4, 128), "f4") + np.array([[0], [-1], [1], [0]], "f4")
    outputs = [gpu.empty(4, "i4") for _ in range(3)]
    gpu.launch("count_above", 4, 128, gpu.array(values), 0.5, *outputs)
    above = values > 0.5
    gpu.expect(outputs[0], above.sum(1))
    gpu.expect(outputs[1], above.any(1))
    gpu.expect(outputs[2], above.all(1))


@program
def range_of(gpu):
    values = gpu.random.integers(-30000, 30000, 500, "i2")
    least, most = gpu.empty(4, "i2"), gpu.empty(4, "i2")
    gpu.launch("range_of", 4, 128, gpu.array(values), least, most, 500, shared=512)
    parts = np.split(values, [128, 256, 384])
    gpu.expect(least, [part.min() for part in parts])
    gpu.expect(most, [part.max() for part in parts])


@program
def sums_by_key(gpu):
    n, kinds = 800, 150
    keys, values, sums = gpu.random.integers(0, kinds, n, "i4"), integers(gpu, n), gpu.zeros(kinds, "i4")
    gpu.launch("sums_by_key", 3, 64, gpu.array(keys), gpu.array(values), sums, n, kinds, shared=4 * kinds)
    gpu.expect(sums, np.bincount(keys, values, kinds))


@program
def unrolled_sum(gpu):
    values, sums = integers(gpu, 950), gpu.empty(4, "i4")
    gpu.launch("unrolled_sum", 4, 128, gpu.array(values), sums, 950)
    gpu.expect(sums, np.resize(np.pad(values, (0, 74)), (4, 256)).sum(1))


@program
def warp_synchronous_sum(gpu):
    values, sums = integers(gpu, 256), gpu.empty(8, "i4")
    gpu.launch("warp_synchronous_sum", 2, 128, gpu.array(values), sums)
    gpu.expect(sums, values.reshape(8, 32).sum(1))
