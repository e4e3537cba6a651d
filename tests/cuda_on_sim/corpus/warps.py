"""What the lanes of a warp do together."""

import numpy as np

from .cases import program


def numbers(gpu, n, most=100):
    return gpu.random.integers(0, most, n, "i4")


@program
def ballot_compaction(gpu):
    values, out, count = numbers(gpu, 230), gpu.empty(230, "i4"), gpu.zeros(1, "i4")
    gpu.launch("ballot_compaction", 2, 128, gpu.array(values), out, count, 230)
    expected = values[values % 2 == 1]
    gpu.expect(count, [expected.size])
    gpu.expect(np.sort(gpu.numpy(out[: expected.size])), np.sort(expected))


@program
def aggregated_count(gpu):
    values, count = numbers(gpu, 230), gpu.zeros(1, "i4")
    gpu.launch("aggregated_count", 2, 128, gpu.array(values), count, 40, 230)
    gpu.expect(count, [(values > 40).sum()])


@program
def match_any_histogram(gpu):
    keys, counts = numbers(gpu, 256, 12), gpu.zeros(12, "i4")
    gpu.launch("match_any_histogram", 2, 128, gpu.array(keys), counts)
    gpu.expect(counts, np.bincount(keys, minlength=12))


@program
def all_equal(gpu):
    values, equal = numbers(gpu, 256), gpu.empty(256, "i4")
    values[: gpu.warp] = 7
    gpu.launch("all_equal", 2, 128, gpu.array(values), equal)
    warps = values.reshape(-1, gpu.warp)
    gpu.expect(equal, np.repeat((warps == warps[:, :1]).all(1), gpu.warp))


@program
def votes(gpu):
    values, outputs = numbers(gpu, 256), [gpu.empty(256, "i4") for _ in range(2)]
    values[64:128] = 50
    gpu.launch("votes", 2, 128, gpu.array(values), *outputs)
    warps = values.reshape(-1, gpu.warp)
    gpu.expect(outputs[0], np.repeat((warps > 90).any(1), gpu.warp))
    gpu.expect(outputs[1], np.repeat((warps > 10).all(1), gpu.warp))


@program
def sums_of_eight(gpu):
    values, out = numbers(gpu, 128).astype("f4"), gpu.empty(128, "f4")
    gpu.launch("sums_of_eight", 1, 128, gpu.array(values), out)
    gpu.expect(out, values.reshape(-1, 8).sum(1).repeat(8))


@program
def reverse_in_warp(gpu):
    values, out = gpu.random.random(128), gpu.empty(128, "f8")
    gpu.launch("reverse_in_warp", 1, 128, gpu.array(values), out)
    gpu.expect(out, values.reshape(-1, gpu.warp)[:, ::-1].ravel())


@program
def halves_apart(gpu):
    values, out = numbers(gpu, 128), gpu.empty(128, "i4")
    gpu.launch("halves_apart", 1, 128, gpu.array(values), out)
    warps = values.reshape(-1, gpu.warp)
    pairs = np.stack([warps[:, ::2].max(1), warps[:, 1::2].sum(1)], 1)
    gpu.expect(out, np.repeat(pairs[:, None], gpu.warp // 2, 1).ravel())


@program
def transpose_in_warp(gpu):
    values, out = numbers(gpu, (4, 8, 32)), gpu.empty((4, 32, 8), "i4")
    gpu.launch("transpose_in_warp", 1, 128, gpu.array(values), out)
    gpu.expect(out, values.transpose(0, 2, 1))
