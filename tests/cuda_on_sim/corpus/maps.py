"""One thread for each element, or a few."""

import numpy as np

from accel import xp

from .cases import program


@program
def saxpy(gpu):
    n = 700
    x, y = gpu.random.random((2, n), "f4")
    on_gpu = gpu.array(y)
    gpu.launch("saxpy", 3, 256, gpu.array(x), on_gpu, 2.5, n)
    gpu.expect(on_gpu, np.float32(2.5) * x + y, rtol=1e-6)


@program
def grid_stride(gpu):
    n = 1000
    x, y = gpu.random.random((2, n), "f4")
    z = gpu.empty(n, "f4")
    gpu.launch("grid_stride", 2, 64, gpu.array(x), gpu.array(y), z, 2.0, -1.0, n)
    gpu.expect(z, 2 * x - y, rtol=1e-5, atol=1e-6)


@program
def scale_by_four(gpu):
    n = 1003
    x = gpu.random.random(n, "f4")
    out = gpu.empty(n, "f4")
    gpu.launch("scale_by_four", 2, 128, gpu.array(x), out, 3.0, n)
    gpu.expect(out, 3 * x, rtol=1e-6)


@program
def grey(gpu):
    pixels = gpu.random.integers(0, 256, (19, 33, 4), "u1")
    out = gpu.empty((19, 33), "u1")
    gpu.launch("grey", (3, 3), (16, 8), gpu.array(pixels), out, 33, 19)
    gpu.expect(out, (pixels[..., :3].astype("i4") @ [77, 151, 28]) >> 8)


@program
def mandelbrot(gpu):
    width, height, most = 20, 15, 12
    steps = gpu.empty((height, width), "i4")
    gpu.launch("mandelbrot", (2, 4), (16, 4), steps, width, height, most)
    c = (-2 + 3 * np.arange(width) / width) + 1j * (-1.5 + 3 * np.arange(height) / height)[:, None]
    z, count = np.zeros_like(c), np.zeros(c.shape, int)
    for _ in range(most):
        inside = abs(z) ** 2 <= 4
        z[inside] = z[inside] ** 2 + c[inside]
        count += inside
    gpu.expect(steps, count, atol=1)


@program
def polynomial(gpu):
    x = gpu.random.random(300)
    y = gpu.empty(300, "f8")
    gpu.launch("polynomial", 3, 128, gpu.array(x), y, 300)
    gpu.expect(y, np.polyval([-1.0, 2.0, 0.25, -0.5, 1.0], x), rtol=1e-12)


@program
def gather_and_scatter(gpu):
    n = 333
    x, order = gpu.random.random(n), gpu.random.permutation(n).astype("i4")
    index, between, out = gpu.array(order), gpu.empty(n, "f8"), gpu.empty(n, "f8")
    gpu.launch("gather", 2, 192, gpu.array(x), index, between, n)
    gpu.expect(between, x[order])
    gpu.launch("scatter", 2, 192, between, index, out, n)
    gpu.expect(out, x)


@program
def complex_product(gpu):
    a, b = (gpu.random.random((2, 200)) + 1j * gpu.random.random((2, 200))).astype("c8")
    c = gpu.empty(200, "c8")
    gpu.launch("complex_product", 4, 64, gpu.array(a), gpu.array(b), c, 200)
    gpu.expect(c, a * b, rtol=1e-5)


@program
def clamp(gpu):
    values = gpu.random.integers(-100, 100, 900, "i4")
    out = gpu.empty(900, "i4")
    gpu.launch("clamp", 2, 128, gpu.array(values), out, -20, 30, 900)
    gpu.expect(out, np.clip(values, -20, 30))


@program
def shear(gpu):
    values = gpu.random.random((6, 70), "f4")
    out = gpu.empty((6, 70), "f4")
    columns = gpu.array(np.ascontiguousarray(values.T))
    gpu.launch("shear", (2, 6), 64, xp.permute_dims(columns, (1, 0)), out)
    gpu.expect(out, np.stack([np.roll(row, shift) for shift, row in enumerate(values)]))


@program
def split(gpu):
    n = 150
    particles = np.zeros(n, "f4,f4,f4,i4")
    for name in ("f0", "f1", "f2"):
        particles[name] = gpu.random.random(n)
    particles["f3"] = gpu.random.integers(0, 9, n)
    parts = [*(gpu.empty(n, "f4") for _ in range(3)), gpu.empty(n, "i4")]
    gpu.launch("split", 3, 64, gpu.array(particles.view("i4")), *parts, n)
    for part, name in zip(parts, particles.dtype.names, strict=True):
        gpu.expect(part, particles[name])
