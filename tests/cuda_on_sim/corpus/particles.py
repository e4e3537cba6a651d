"""Particles, clusters, random numbers."""

import math

import numpy as np

from .cases import program


@program
def nbody(gpu):
    n = 70
    bodies, forces = gpu.random.random((n, 4), "f4"), gpu.empty((n, 3), "f4")
    gpu.launch("nbody", 3, 32, gpu.array(bodies), forces, n, shared=512)
    away = bodies[None, :, :3] - bodies[:, None, :3]
    distance = np.sqrt((away**2).sum(2) + 0.01)
    gpu.expect(forces, ((bodies[:, 3] / distance**3)[..., None] * away).sum(1), rtol=1e-3, atol=1e-3)


@program
def k_means(gpu):
    n, k = 200, 5
    points, centres = gpu.random.random((n, 2), "f4"), gpu.random.random((k, 2), "f4")
    nearest, sums, counts = gpu.empty(n, "i4"), gpu.zeros((k, 2), "f4"), gpu.zeros(k, "i4")
    gpu.launch("k_means", 4, 64, gpu.array(points), gpu.array(centres), nearest, sums, counts, n, k)
    best = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
    gpu.expect(nearest, best)
    gpu.expect(counts, np.bincount(best, minlength=k))
    gpu.expect(sums, np.stack([np.bincount(best, each, k) for each in points.T], 1), rtol=1e-4)


def philox(counter, key):
    """Return the four numbers of each counter."""
    x = [np.asarray(counter, "u8"), *[np.zeros(len(counter), "u8")] * 3]
    for _ in range(10):
        a, b = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
        x = [b >> shift ^ x[1] ^ np.uint64(key[0]), b & low, a >> shift ^ x[3] ^ np.uint64(key[1]), a & low]
        key = (key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32
    return np.stack(x, 1)


@program
def philox_numbers(gpu):
    out = gpu.empty((50, 4), "u4")
    gpu.launch("philox_numbers", 2, 32, out, 12345, 50)
    gpu.expect(out, philox(np.arange(50), (12345, 0)))


@program
def monte_carlo(gpu):
    hits = gpu.zeros(1, "u8")
    gpu.launch("monte_carlo", 2, 128, hits, 10, 99)
    state, drawn = np.uint32(99) + np.uint32(7919) * np.arange(256, dtype="u4"), []
    for _ in range(20):
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        drawn.append((state >> np.uint32(8)) / 2**24)
    x, y = np.array(drawn[::2]), np.array(drawn[1::2])
    gpu.expect(hits, (x * x + y * y < 1).sum(), atol=2)


@program
def into_cells(gpu):
    x, cells, sizes = gpu.random.random(200, "f4"), gpu.empty(200, "i4"), gpu.zeros(10, "i4")
    gpu.launch("into_cells", 4, 64, gpu.array(x), cells, sizes, 200, 10)
    expected = np.minimum(9, (x * np.float32(10)).astype(int))
    gpu.expect(cells, expected)
    gpu.expect(sizes, np.bincount(expected, minlength=10))


@program
def leapfrog(gpu):
    x, v = gpu.random.random((2, 50))
    there = gpu.array(x), gpu.array(v)
    gpu.launch("leapfrog", 1, 64, *there, 0.01, 20, 50)
    gpu.expect(there[0], x * math.cos(0.2) + v * math.sin(0.2), rtol=1e-4, atol=1e-4)


@program
def black_scholes(gpu):
    n, rate, volatility = 100, 0.02, 0.3
    price, strike = 5 + 25 * gpu.random.random((2, n), "f4")
    years, call = gpu.random.random(n, "f4") + np.float32(0.25), gpu.empty(n, "f4")
    gpu.launch("black_scholes", 2, 64, *map(gpu.array, (price, strike, years)), call, rate, volatility, n)
    spread = volatility * np.sqrt(years)
    d = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / spread
    below = np.vectorize(lambda each: math.erfc(-each / math.sqrt(2)) / 2)
    gpu.expect(call, price * below(d) - strike * np.exp(-rate * years) * below(d - spread), rtol=1e-3, atol=1e-4)
