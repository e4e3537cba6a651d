"""Small linear systems, a block or a thread for each."""

import numpy as np

from .cases import program


def positive(gpu, count, n):
    half = gpu.random.random((count, n, n))
    return half @ half.transpose(0, 2, 1) + n * np.eye(n)


@program
def cholesky(gpu):
    matrices, factors = positive(gpu, 2, 16), gpu.empty((2, 16, 16), "f8")
    gpu.launch("cholesky", 2, (16, 16), gpu.array(matrices), factors)
    gpu.expect(factors, np.linalg.cholesky(matrices), rtol=1e-9, atol=1e-12)


@program
def lu(gpu):
    matrices, factors = positive(gpu, 2, 16), gpu.empty((2, 16, 16), "f8")
    gpu.launch("lu", 2, (16, 16), gpu.array(matrices), factors)
    values = gpu.numpy(factors)
    gpu.expect((np.tril(values, -1) + np.eye(16)) @ np.triu(values), matrices, rtol=1e-9)


@program
def solve(gpu):
    matrices, right = gpu.random.standard_normal((3, 8, 8), "f4"), gpu.random.standard_normal((3, 8), "f4")
    solutions = gpu.empty((3, 8), "f4")
    gpu.launch("solve", 3, 128, gpu.array(matrices), gpu.array(right), solutions, 8)
    gpu.expect((matrices @ gpu.numpy(solutions)[..., None])[..., 0], right, rtol=1e-2, atol=1e-2)


def diagonals(gpu, *shape):
    low, high = gpu.random.random((2, *shape))
    low[0], high[-1] = 0, 0
    return low, 4 + gpu.random.random(shape), high, gpu.random.random(shape)


def times(low, middle, high, x):
    """Return a tridiagonal matrix times a vector."""
    zero = np.zeros_like(x[:1])
    return low * np.concatenate([zero, x[:-1]]) + middle * x + high * np.concatenate([x[1:], zero])


@program
def tridiagonal(gpu):
    *matrix, right = diagonals(gpu, 12, 40)
    solutions = gpu.empty((12, 40), "f8")
    gpu.launch("tridiagonal", 2, 32, *map(gpu.array, matrix), gpu.array(right), solutions, 40)
    gpu.expect(times(*matrix, gpu.numpy(solutions)), right, rtol=1e-9)


@program
def cyclic_reduction(gpu):
    *matrix, right = diagonals(gpu, 64)
    solution = gpu.empty(64, "f8")
    gpu.launch("cyclic_reduction", 1, 64, *map(gpu.array, matrix), gpu.array(right), solution, 64, shared=4 * 8 * 64)
    gpu.expect(times(*matrix, gpu.numpy(solution)), right, rtol=1e-9)


@program
def substitute(gpu):
    lower = np.tril(gpu.random.random((32, 32))) + 8 * np.eye(32)
    right, solution = gpu.random.random(32), gpu.empty(32, "f8")
    gpu.launch("substitute", 1, gpu.warp, gpu.array(lower), gpu.array(right), solution)
    gpu.expect(lower @ gpu.numpy(solution), right, rtol=1e-9)


@program
def power_method(gpu):
    matrix = gpu.random.random((64, 64))
    vector, value = gpu.empty(64, "f8"), gpu.empty(1, "f8")
    gpu.launch("power_method", 1, 64, gpu.array(matrix), vector, value, 4)
    v = np.ones(64)
    for _ in range(4):
        w = matrix @ v
        v = w / np.linalg.norm(w)
    gpu.expect(vector, v, rtol=1e-9)
    gpu.expect(value, np.linalg.norm(w), rtol=1e-9)
