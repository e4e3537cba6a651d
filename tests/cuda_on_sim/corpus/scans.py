"""Sums of all that comes before."""

import numpy as np

from .cases import program


def integers(gpu, *shape):
    return gpu.random.integers(-99, 99, shape, "i4")


@program
def hillis_steele(gpu):
    values, out = integers(gpu, 2, 128), gpu.empty((2, 128), "i4")
    gpu.launch("hillis_steele", 2, 128, gpu.array(values), out)
    gpu.expect(out, values.cumsum(1))


@program
def scan_in_place(gpu):
    values, out = integers(gpu, 2, 128), gpu.empty((2, 128), "i4")
    gpu.launch("scan_in_place", 2, 128, gpu.array(values), out)
    gpu.expect(out, values.cumsum(1))


@program
def blelloch(gpu):
    values = integers(gpu, 2, 128)
    out, totals = gpu.empty((2, 128), "i4"), gpu.empty(2, "i4")
    gpu.launch("blelloch", 2, 64, gpu.array(values), out, totals, shared=512)
    gpu.expect(out, values.cumsum(1) - values)
    gpu.expect(totals, values.sum(1))


@program
def blelloch_without_conflicts(gpu):
    values, out = integers(gpu, 256), gpu.empty(256, "i4")
    gpu.launch("blelloch_without_conflicts", 1, 128, gpu.array(values), out)
    gpu.expect(out, values.cumsum() - values)


@program
def scan_in_three_launches(gpu):
    n, block = 1000, 192
    values, out = integers(gpu, n), gpu.empty(n, "i4")
    totals, before, total = gpu.empty(6, "i4"), gpu.empty(6, "i4"), gpu.empty(1, "i4")
    gpu.launch("scan_blocks", 6, block, gpu.array(values), out, totals, n)
    gpu.launch("scan_blocks", 1, 64, totals, before, total, 6)
    gpu.launch("add_totals", 6, block, out, before, n)
    gpu.expect(out, values.cumsum())
    gpu.expect(total, values.sum())


@program
def look_back(gpu):
    n, blocks = 500, 4
    values, out = integers(gpu, n), gpu.empty(n, "i4")
    aggregates, prefixes = gpu.empty(blocks, "i4"), gpu.empty(blocks, "i4")
    flags, following = gpu.zeros(blocks, "i4"), gpu.zeros(1, "i4")
    gpu.launch("look_back", blocks, 128, gpu.array(values), out, aggregates, prefixes, flags, following, n)
    gpu.expect(out, values.cumsum())


@program
def segmented_scan(gpu):
    values, heads = integers(gpu, 128), (gpu.random.random(128) < 0.2).astype("i4")
    heads[::64] = 1
    out = gpu.empty(128, "i4")
    gpu.launch("segmented_scan", 2, 64, gpu.array(values), gpu.array(heads), out)
    starts = np.flatnonzero(heads)
    gpu.expect(out, np.concatenate([part.cumsum() for part in np.split(values, starts[1:])]))
