"""Rows to columns."""

from .cases import program


@program
def transpose(gpu):
    matrix, out = gpu.random.random((13, 37), "f4"), gpu.empty((37, 13), "f4")
    gpu.launch("transpose", (3, 4), (16, 4), gpu.array(matrix), out, 13, 37)
    gpu.expect(out, matrix.T)


@program
def transpose_tiled(gpu):
    matrix, out = gpu.random.random((20, 37), "f4"), gpu.empty((37, 20), "f4")
    gpu.launch("transpose_tiled", (3, 2), (16, 4), gpu.array(matrix), out, 20, 37)
    gpu.expect(out, matrix.T)


@program
def transpose_padded(gpu):
    matrix, out = gpu.random.random((50, 33), "f4"), gpu.empty((33, 50), "f4")
    gpu.launch("transpose_padded", (2, 2), (32, 8), gpu.array(matrix), out, 50, 33)
    gpu.expect(out, matrix.T)


@program
def transpose_swizzled(gpu):
    matrix, out = gpu.random.random((32, 32), "f4"), gpu.empty((32, 32), "f4")
    gpu.launch("transpose_swizzled", (2, 2), (16, 16), gpu.array(matrix), out)
    gpu.expect(out, matrix.T)


@program
def transpose_in_place(gpu):
    matrix = gpu.random.random((24, 24), "f4")
    there = gpu.array(matrix)
    gpu.launch("transpose_in_place", (3, 3), (8, 8), there, 24)
    gpu.expect(there, matrix.T)
