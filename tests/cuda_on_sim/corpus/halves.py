"""Numbers of 16 bits."""

import ml_dtypes
import numpy as np

from .cases import program


def whole(gpu, *shape, dtype="f2"):
    return gpu.random.integers(-5, 6, shape).astype(dtype)


@program
def half_saxpy(gpu):
    x, y = whole(gpu, 2, 100)
    there = gpu.array(y)
    gpu.launch("half_saxpy", 2, 64, gpu.array(x), there, 2.0, 100)
    gpu.expect(there, 2 * x + y)


@program
def half_dot(gpu):
    x, y = whole(gpu, 2, 400)
    result = gpu.empty(1, "f4")
    gpu.launch("half_dot", 1, 128, gpu.array(x), gpu.array(y), result, 400)
    gpu.expect(result, x.astype("f4") @ y.astype("f4"))


@program
def bf16_sums(gpu):
    values, out = whole(gpu, 3, 150, dtype=ml_dtypes.bfloat16), gpu.empty(3, "f4")
    gpu.launch("bf16_sums", 3, gpu.warp, gpu.array(values), out, 150)
    gpu.expect(out, values.astype("f4").sum(1))


@program
def half_matmul(gpu):
    a, b, c = whole(gpu, 16, 16), whole(gpu, 16, 16), gpu.empty((16, 16), "f2")
    gpu.launch("half_matmul", (2, 2), (8, 8), gpu.array(a), gpu.array(b), c, 16)
    gpu.expect(gpu.numpy(c).astype("f4"), np.matmul(a.astype("f4"), b.astype("f4")))
