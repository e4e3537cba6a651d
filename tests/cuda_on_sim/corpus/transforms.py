"""Fourier and Walsh-Hadamard transforms."""

import numpy as np

from .cases import program


def signal(gpu, *shape):
    return (gpu.random.standard_normal(shape) + 1j * gpu.random.standard_normal(shape)).astype("c8")


@program
def dft(gpu):
    x, out = signal(gpu, 50), gpu.empty(50, "c8")
    gpu.launch("dft", 1, 64, gpu.array(x), out, 50)
    gpu.expect(out, np.fft.fft(x), rtol=1e-3, atol=1e-3)


@program
def fft_in_shared(gpu):
    x, out = signal(gpu, 2, 128), gpu.empty((2, 128), "c8")
    gpu.launch("fft_in_shared", 2, 64, gpu.array(x), out)
    gpu.expect(out, np.fft.fft(x), rtol=1e-3, atol=1e-3)


@program
def stockham(gpu):
    n = 128
    x = signal(gpu, n)
    now, after, done = gpu.array(x), gpu.empty(n, "c8"), 1
    while done < n:
        gpu.launch("stockham", 2, 48, now, after, n, done)
        now, after, done = after, now, 2 * done
    gpu.expect(now, np.fft.fft(x), rtol=1e-3, atol=1e-3)


@program
def walsh_hadamard(gpu):
    values = gpu.random.integers(-9, 9, 128).astype("f4")
    there = gpu.array(values)
    gpu.launch("walsh_hadamard", 1, 64, there, shared=512)
    index = np.arange(128)
    signs = np.where(np.bitwise_count(index[:, None] & index) % 2, -1, 1)
    gpu.expect(there, signs @ values)


@program
def haar(gpu):
    values, out = gpu.random.integers(0, 1024, 64).astype("f4"), gpu.empty(64, "f4")
    gpu.launch("haar", 1, 32, gpu.array(values), out, 64)
    expected, part = np.empty(64), values
    while part.size > 1:
        expected[part.size // 2 : part.size] = (part[::2] - part[1::2]) / 2
        part = (part[::2] + part[1::2]) / 2
    expected[0] = part[0]
    gpu.expect(out, expected)
