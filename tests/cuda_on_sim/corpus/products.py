"""Matrix times matrix, matrix times vector."""

from .cases import program


def whole(gpu, *shape):
    """Return numbers whose sums of products are exact."""
    return gpu.random.integers(-5, 6, shape).astype("f4")


def product(gpu, kernel, m, n, k, grid, block, *sizes):
    a, b, c = whole(gpu, m, k), whole(gpu, k, n), gpu.empty((m, n), "f4")
    gpu.launch(kernel, grid, block, gpu.array(a), gpu.array(b), c, *sizes)
    gpu.expect(c, a @ b)


@program
def matmul(gpu):
    product(gpu, "matmul", 13, 18, 9, (3, 2), (8, 8), 13, 18, 9)


@program
def matmul_tiled(gpu):
    product(gpu, "matmul_tiled", 13, 18, 20, (3, 2), (8, 8), 13, 18, 20)


@program
def matmul_in_registers(gpu):
    product(gpu, "matmul_in_registers", 32, 32, 32, (2, 1), (8, 8), 32)


@program
def matmul_vectorized(gpu):
    product(gpu, "matmul_vectorized", 32, 32, 32, (2, 2), (4, 16), 32)


@program
def matmul_double_buffered(gpu):
    product(gpu, "matmul_double_buffered", 24, 24, 24, (3, 3), (8, 8), 24)


@program
def gemv(gpu):
    matrix, x, y = whole(gpu, 9, 100), whole(gpu, 100), gpu.empty(9, "f4")
    gpu.launch("gemv", -(-9 * gpu.warp // 128), 128, gpu.array(matrix), gpu.array(x), y, 9, 100)
    gpu.expect(y, matrix @ x)


@program
def gemv_by_rows(gpu):
    matrix, x, y = whole(gpu, 100, 90), whole(gpu, 90), gpu.empty(100, "f4")
    gpu.launch("gemv_by_rows", 2, 64, gpu.array(matrix), gpu.array(x), y, 100, 90)
    gpu.expect(y, matrix @ x)


@program
def matmul_split(gpu):
    a, b, c = whole(gpu, 8, 24), whole(gpu, 24, 8), gpu.zeros((8, 8), "f4")
    gpu.launch("matmul_split", 3, (8, 8), gpu.array(a), gpu.array(b), c, 8, 24)
    gpu.expect(c, a @ b)
