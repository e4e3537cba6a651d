"""Sparse matrices times vectors."""

from typing import NamedTuple

import numpy as np

from .cases import program


class Matrix(NamedTuple):
    """Dense, and as rows, columns and values of its entries, row by row."""

    dense: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @property
    def starts(self):
        return np.searchsorted(self.rows, np.arange(len(self.dense) + 1)).astype("i4")


def matrix(gpu, rows=60, columns=45):
    dense = gpu.random.integers(-5, 6, (rows, columns)) * (gpu.random.random((rows, columns)) < 0.15)
    row, column = (each.astype("i4") for each in np.nonzero(dense))
    return Matrix(dense.astype("f4"), row, column, dense[row, column].astype("f4"))


def vector(gpu, n):
    return gpu.random.integers(-5, 6, n).astype("f4")


@program
def csr_by_rows(gpu):
    m, x, y = matrix(gpu), vector(gpu, 45), gpu.empty(60, "f4")
    gpu.launch("csr_by_rows", 2, 32, *map(gpu.array, (m.starts, m.columns, m.values, x)), y, 60)
    gpu.expect(y, m.dense @ x)


@program
def csr_by_warps(gpu):
    m, x, y = matrix(gpu), vector(gpu, 45), gpu.empty(60, "f4")
    gpu.launch("csr_by_warps", 3, 128, *map(gpu.array, (m.starts, m.columns, m.values, x)), y, 60)
    gpu.expect(y, m.dense @ x)


@program
def ell(gpu):
    m, x, y = matrix(gpu), vector(gpu, 45), gpu.empty(60, "f4")
    width = int(np.diff(m.starts).max())
    columns, values = np.full((width, 60), -1, "i4"), np.zeros((width, 60), "f4")
    for row, (first, last) in enumerate(zip(m.starts[:-1], m.starts[1:], strict=True)):
        columns[: last - first, row], values[: last - first, row] = m.columns[first:last], m.values[first:last]
    gpu.launch("ell", 2, 32, gpu.array(columns), gpu.array(values), gpu.array(x), y, 60, width)
    gpu.expect(y, m.dense @ x)


@program
def coo(gpu):
    m, x, y = matrix(gpu), vector(gpu, 45), gpu.zeros(60, "f4")
    order = gpu.random.permutation(m.rows.size)
    entries = [gpu.array(each[order]) for each in m[1:]]
    gpu.launch("coo", -(-order.size // 64), 64, *entries, gpu.array(x), y, order.size)
    gpu.expect(y, m.dense @ x)


@program
def coo_to_csr(gpu):
    m = matrix(gpu)
    count = m.rows.size
    order = gpu.random.permutation(count)
    rows, columns = gpu.array(m.rows[order]), gpu.array(m.columns[order])
    lengths, used = gpu.zeros(60, "i4"), gpu.zeros(60, "i4")
    starts, placed = gpu.empty(61, "i4"), gpu.empty(count, "i4")
    blocks = -(-count // 64)
    gpu.launch("count_rows", blocks, 64, rows, lengths, count)
    gpu.launch("starts_of_rows", 1, 64, lengths, starts, 60)
    gpu.launch("place_entries", blocks, 64, rows, columns, starts, used, placed, count)
    gpu.expect(starts, m.starts)
    result = gpu.numpy(placed)
    for first, last in zip(m.starts[:-1], m.starts[1:], strict=True):
        np.testing.assert_array_equal(np.sort(result[first:last]), m.columns[first:last])
